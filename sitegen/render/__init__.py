"""From a conversation to HTML fragments: exchanges, activities, prose, and the two exports. No files, no database."""

from sitegen.render.context import RenderOptions
from sitegen.render.fragments import Fragment, Fragments
from sitegen.render.together import Drawn, Help, draw_leg
from sitegen.render.transcript import render

__all__ = ["Drawn", "Fragment", "Fragments", "Help", "RenderOptions", "draw_leg", "render"]
