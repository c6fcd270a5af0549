"""From a conversation to HTML fragments: exchanges, activities, prose, and the two exports. No files, no database."""
