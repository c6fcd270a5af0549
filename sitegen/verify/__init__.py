"""Checks a copy of a site, or the live one, against a manifest: what is missing, changed, extra, or signed wrongly."""

from sitegen.verify.comparing import Report, verify

__all__ = ["Report", "verify"]
