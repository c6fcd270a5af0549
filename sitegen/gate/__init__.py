"""Gates: what stands between a reader and a share. Pure functions of bytes; no files, no time, no randomness."""
