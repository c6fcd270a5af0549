"""The files that `sitegen init` makes, as text."""

from __future__ import annotations

from typing import Final

CONFIG: Final = """\
# What is published, and how. All keys: docs/reference/configuration.md

[site]
title = "Conversations"
# Where the site will stand. Its path is the base path; sitemap and feeds need it.
# base_url = "https://ann.github.io/talks/"
language = "en"
timezone = "UTC"                    # for the times that pages show

[source]
projection = "archive.duckdb"       # "sitegen ingest" writes it; a list names several, an address is fetched

[output]
directory = "public"

# [privacy]
# Secrets, home folders and e-mail addresses are taken out; "sitegen report" shows what else a share would tell.
# secrets = "block"                 # redact | block | allow
# hide = ["Acme"]                   # words that nobody should read
# show = "calls"                    # all | calls | conversation: what shares show unless they say so

# [theme]
# folder = "theme"                  # templates and sheets of your own: docs/how-to/make-it-yours.md

# "sitegen share" adds shares:
#
# [[share]]
# conversation = "claude_code:7f3c…"
# slug = "fixing-the-parser"
# title = "Fixing the parser"
# gate = "password"                 # its secret is kept elsewhere: docs/how-to/protect.md
# expires = 2027-01-31T00:00:00Z
# listed = true                     # on the site's indexes; otherwise only by its address
#
# A rule shares all that it matches, now and later:
#
# [[rule]]
# match = { project = "talks", since = 2026-01-01 }
# listed = true
"""

GITIGNORE: Final = """\
# Secrets and the state of builds
.sitegen/
# The site; it is built again where it is published
public/
# All conversations, also those that aren't shared
*.duckdb
*.duckdb.wal
*.duckdb.changes
*.duckdb.files/
# Words that must not be published, and what a report says of them
private/
report.html
"""

PRIVATE_GITIGNORE: Final = """\
*
"""

WORKFLOW: Final = """\
# Builds the site and publishes it on GitHub Pages. Set Settings → Pages → Source to "GitHub Actions".
# What to fill in, and how the conversations get here: docs/how-to/github-pages.md
name: pages

on:
  push:
    branches: [main]
  schedule:
    - cron: "17 3 * * *" # so that what has expired leaves the site
  workflow_dispatch:

permissions: {}

# One at a time, and none stopped half-way.
concurrency:
  group: pages
  cancel-in-progress: false

defaults:
  run:
    shell: bash # which ends with the first command that fails

jobs:
  build:
    runs-on: ubuntu-latest
    timeout-minutes: 30
    permissions:
      contents: read
    env:
      # Where pip finds sitegen @VERSION@: a wheel that you commit (wheels/sitegen-@VERSION@-py3-none-any.whl), or
      # git+https://… of the repository you have it from. The package index knows another program by this name.
      SITEGEN_PACKAGE: ""
      # Secrets of the repository, by name. First the value of site_secret in .sitegen/secrets.toml; then, if anything
      # is protected by a password, one line for each: SITEGEN_SECRET_ and the slug in capitals.
      SITEGEN_SITE_SECRET: ${{ secrets.SITEGEN_SITE_SECRET }}
      # SITEGEN_SECRET_FIXING_THE_PARSER: ${{ secrets.SITEGEN_SECRET_FIXING_THE_PARSER }}
      # For a projection that is fetched by https from where it isn't public:
      # SITEGEN_SOURCE_TOKEN: ${{ secrets.SITEGEN_SOURCE_TOKEN }}
    steps:
      - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2
        with:
          persist-credentials: false
      - uses: actions/setup-python@42375524e23c412d93fb67b49958b491fce71c38 # v5.4.0
        with:
          python-version: "3.13"
      - name: Install
        run: pip install "${SITEGEN_PACKAGE:?is empty - say in this workflow where pip finds sitegen}"
      # The projection holds all conversations, also those that aren't shared, so it isn't in the repository. Either
      # sitegen.toml names its address; or a release of this repository holds it:
      # - name: Fetch the projection
      #   run: gh release download data --pattern archive.duckdb
      #   env:
      #     GH_TOKEN: ${{ github.token }}
      # or it's made from sources that the repository holds:
      # - name: Read the conversations
      #   run: sitegen ingest claude-code sessions
      - name: Build
        run: sitegen build
      - name: Check
        run: sitegen check
      - uses: actions/upload-pages-artifact@56afc609e74202658d3ffba0e8f6dda462b719fa # v3.0.1
        with:
          path: public

  deploy:
    needs: build
    runs-on: ubuntu-latest
    timeout-minutes: 15
    permissions:
      pages: write
      id-token: write
    environment:
      name: github-pages
      url: ${{ steps.deployment.outputs.page_url }}
    steps:
      - id: deployment
        uses: actions/deploy-pages@d6db90164ac5ed86f2b6aed7e0febac5b3c0c03e # v4.0.5
"""


def secrets_file(site_secret: str) -> str:
    """The private file with a site secret, which is 32 bytes in base64url."""
    return f"""\
# Private: whoever has this can open every protected page. Keep a copy in a safe place, and never in a repository.
site_secret = "{site_secret}"
"""
