"""Sweeps: several runs over seeds and values, compared by rating (``--seeds`` and ``--sweep``)."""

from extras import Extra

EXTRA = Extra(several=("extras.sweeps.options",))
