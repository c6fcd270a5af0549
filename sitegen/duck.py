"""DuckDB's engine without what its package lays around it: relations, expressions, Arrow. Nobody here uses those, and
they take as long to import as all of rendering. The package has each of these names from the same place.
"""

try:
    from _duckdb import (
        Appender,
        DuckDBPyConnection,
        Error,
        InvalidInputException,
        IOException,
        OutOfMemoryException,
        __version__,
        connect,
    )
except ImportError:  # a DuckDB that keeps them elsewhere
    from duckdb import (
        Appender,
        DuckDBPyConnection,
        Error,
        InvalidInputException,
        IOException,
        OutOfMemoryException,
        __version__,
        connect,
    )

__all__ = [
    "Appender",
    "DuckDBPyConnection",
    "Error",
    "IOException",
    "InvalidInputException",
    "OutOfMemoryException",
    "__version__",
    "connect",
]
