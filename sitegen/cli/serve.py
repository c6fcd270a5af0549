"""`sitegen serve`: the site in a browser, under its real address, made again while it's being worked on."""

from __future__ import annotations

import click

from sitegen.cli.frame import App, pass_app
from sitegen.serve import LOCAL, PORT, ServeOptions


@click.command("serve")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=PORT,
    show_default=True,
    metavar="N",
    help="Where to listen; when it's taken, the next free one. 0: any.",
)
@click.option(
    "--host",
    default=LOCAL,
    show_default=True,
    metavar="ADDRESS",
    help="The address to listen at. Others in your network can read the preview unless it is this computer's own.",
)
@click.option("--open", "opens_browser", is_flag=True, help="Open it in the browser.")
@pass_app
def command(app: App, port: int, host: str, opens_browser: bool) -> None:
    """Preview the site while it changes.

    Builds into a folder of its own and serves that under the path of base_url. When the projection, the configuration
    or anything else that pages are made of changes, the site is built again and open pages load themselves anew.
    """
    from sitegen.serve.preview import Preview
    from sitegen.serve.server import Server

    config_path = app.config_path()
    options = ServeOptions(host=host, port=port, opens_browser=opens_browser)
    Server(Preview(config_path, _say), options, lambda url: _welcome(url, options)).run()


def _welcome(url: str, options: ServeOptions) -> None:
    click.echo(f"Preview at {url} – Ctrl-C ends it.")
    if options.host not in (LOCAL, "localhost", "::1"):
        click.echo("Whoever reaches this computer can read it, and what isn't published yet with it.")
    if options.port and f":{options.port}/" not in url:
        click.echo(f"Port {options.port} is taken.")
    if options.opens_browser:
        import threading
        import webbrowser

        # Some browsers keep their caller until they are closed, and this thread has to answer them.
        threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()


def _say(text: str) -> None:
    """What happens, with the time of this computer, on stderr."""
    from datetime import datetime

    from sitegen.cli.terminal import safe_lines

    click.echo(f"{datetime.now().astimezone():%H:%M:%S} {safe_lines(text)}", err=True)
