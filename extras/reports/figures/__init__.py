"""The figures of reports, drawn with Matplotlib."""
