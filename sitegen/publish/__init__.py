"""Puts a built site where its readers are, and takes away there what isn't shared any more.

New files come first, pages next, removals last, and what was taken back goes even when all else fails.
"""
