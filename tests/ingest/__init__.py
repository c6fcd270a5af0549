"""What ingesting promises."""
