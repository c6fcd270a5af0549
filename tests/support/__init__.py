"""Small inputs that tests write for themselves."""
