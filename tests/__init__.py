"""Tests of sitegen, named for the promise each one holds."""
