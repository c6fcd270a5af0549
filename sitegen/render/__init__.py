"""From a conversation to HTML fragments: exchanges, activities, prose, and the two exports. Reads no file, writes none."""
