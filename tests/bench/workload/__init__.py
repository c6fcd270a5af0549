"""Invented sessions of any number and size for measuring. The same seed gives the same bytes on any machine."""
