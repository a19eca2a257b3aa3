"""Sweeps: several runs over seeds and values, compared by rating (``--seeds``, ``--sweep`` and ``--stop-behind``)."""

from extras import Extra

EXTRA = Extra(several=("extras.sweeps.options",))
