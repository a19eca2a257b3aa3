"""Games in words: a text game for a terminal and its screen reader (``play --text``)."""

from extras import Extra

EXTRA = Extra(options=(("play", "extras.text.command"),))
