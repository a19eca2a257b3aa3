"""Games in words: a text game for a terminal and its screen reader, also spoken (``play --text`` and ``--speak``)."""

from extras import Extra

EXTRA = Extra(options=(("play", "extras.text.command"),))
