"""Sessions, runs of your own loop and boards for notebooks and scripts (``crownhead.run``, ``Arena``, ``Board``)."""

from extras import Extra

EXTRA = Extra()
