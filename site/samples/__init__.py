"""Invented conversations of invented people, written as Claude Code writes its sessions."""
