"""The preview: a site built into a folder of its own, served under its real address, built again when anything changes.

Light to import; the server and its libraries are loaded when it starts.
"""

from sitegen.serve.options import LOCAL, PORT, ServeOptions

__all__ = ["LOCAL", "PORT", "ServeOptions"]
