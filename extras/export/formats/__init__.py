"""Formats of exported files: each module is one (`extras.Extra`), found by its name."""
