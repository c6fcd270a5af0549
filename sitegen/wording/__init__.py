"""Tells what a person wrote from what programs wrap into their words; knows the wrappers, and what fits a title."""
