"""Reads projections: DuckDB files in the chatstrata schema. Nothing outside this room and `ingest` opens one."""

from __future__ import annotations

from sitegen.projection.listing import Known, Listing
from sitegen.projection.reader import Projection
from sitegen.projection.titles import display_title
from sitegen.projection.union import Projections, open_all

__all__ = ["Known", "Listing", "Projection", "Projections", "display_title", "open_all"]
