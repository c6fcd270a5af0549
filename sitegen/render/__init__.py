"""From a conversation to HTML fragments: exchanges, activities, prose, and the two exports. No files, no database."""

from sitegen.render.context import RenderOptions
from sitegen.render.fragments import Fragment, Fragments
from sitegen.render.transcript import render

__all__ = ["Fragment", "Fragments", "RenderOptions", "render"]
