"""The whole site as one file that opens from disk, with a manifest of what is in it: built, packed, signed."""
