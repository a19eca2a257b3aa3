"""A form for sessions: any preset, published systems too, with every value of its configuration, and what it takes."""

from extras import Extra

SECTIONS = "extras.form.published:PublishedSection", "extras.form.screen:FormSection"

EXTRA = Extra(entries=[("new-session", section) for section in SECTIONS])
