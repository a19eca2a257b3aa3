"""A form for sessions: any preset, published systems too, with every value of its configuration, and what it takes."""

from extras import Extra

EXTRA = Extra(
    entries=(
        ("new-session", "extras.form.published:PublishedSection"),
        ("new-session", "extras.form.screen:FormSection"),
    )
)
