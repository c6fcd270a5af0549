"""Names, numbers and tables that the modules of the output share. Imports nothing: the no-op path stays light."""

STATE_FILE = "state.sqlite"
LOCK_FILE = "lock"
CACHE_FOLDER = "cache"
SCAN_FOLDER = "scans"
LISTING_FOLDER = "listings"
COMPILED_FOLDER = "templates"
ASSETS_FOLDER = "assets"

DOT_FILE = ".sitegen-files"
"""In the output folder: one truncated hash for each file that sitegen wrote there."""
TEMPORARY_PREFIX = ".sitegen-tmp-"
"""Begins the name of a file that is being written; one that is found later was left by a killed build."""
DOT_OWNER = ""
"""Owner of the dot file itself, which no plan names."""

APPLICATION_ID = 0x5347454E
VERSION = 1

SCHEMA = """
CREATE TABLE output (
    id INTEGER PRIMARY KEY,
    root TEXT NOT NULL UNIQUE,
    is_finished INTEGER NOT NULL DEFAULT 0,
    invocation TEXT,
    built_at REAL,
    next_expiry REAL,
    environment TEXT NOT NULL DEFAULT '',
    notes TEXT NOT NULL DEFAULT ''
);
CREATE TABLE input (
    output INTEGER NOT NULL, path TEXT NOT NULL,
    size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, ctime_ns INTEGER NOT NULL, inode INTEGER NOT NULL,
    PRIMARY KEY (output, path)
) WITHOUT ROWID;
CREATE TABLE file (
    output INTEGER NOT NULL, path TEXT NOT NULL,
    owner TEXT NOT NULL, sha256 TEXT NOT NULL,
    size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, ctime_ns INTEGER NOT NULL, inode INTEGER NOT NULL,
    PRIMARY KEY (output, path)
) WITHOUT ROWID;
CREATE TABLE share (
    output INTEGER NOT NULL, slug TEXT NOT NULL,
    conversation TEXT NOT NULL, page_key TEXT NOT NULL, cache_key TEXT NOT NULL, expires REAL, card TEXT NOT NULL,
    PRIMARY KEY (output, slug)
) WITHOUT ROWID;
CREATE TABLE fact (
    output INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (output, name)
) WITHOUT ROWID;
CREATE TABLE revoked (slug TEXT PRIMARY KEY, at REAL NOT NULL) WITHOUT ROWID;
"""
