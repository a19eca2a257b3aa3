"""Progress of a run: games of its newest champion against earlier generations (``inspect --earlier``)."""

from extras import Extra

EXTRA = Extra(options=(("inspect", "extras.progress.options"),), parts=("extras.progress.options",))
