"""sitegen: AI conversations as a read-only static site its owner controls."""

__version__ = "0.1.0"
