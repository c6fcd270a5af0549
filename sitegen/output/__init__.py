"""The output folder: what is planned, what is ours, how it is written, and what the last build left behind.

Kept empty on purpose: the path of a build with nothing to do imports `unchanged` alone and must stay light.
"""
