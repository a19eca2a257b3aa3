"""Sweeps: several runs over seeds and values, compared by rating, or proposed by a search (``--search``)."""

from extras import Extra

EXTRA = Extra(several=("extras.sweeps.options",))
