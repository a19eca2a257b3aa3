"""Several runs: sweeps over seeds and values, compared by rating."""

from extras import Extra

EXTRA = Extra(several=("extras.sweeps.options",), options=(("inspect", "extras.sweeps.inspecting"),), uses=("reports",))
