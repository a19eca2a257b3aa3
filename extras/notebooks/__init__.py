"""Sessions, runs of your own loop and boards for notebooks and scripts (``crownhead.run``, ``Arena``, ``Board``)."""

from extras import Extra

EXTRA = Extra(
    python=[
        ("Arena", "extras.notebooks.sessions:Arena"),
        ("Board", "extras.notebooks.board:Board"),
        ("resume", "extras.notebooks.sessions:resume"),
        ("run", "extras.notebooks.sessions:run"),
    ]
)
