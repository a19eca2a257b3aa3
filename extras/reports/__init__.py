"""Reports as pages and figures: ``inspect --html``, whose page of a run moves, and ``inspect --plots``."""

from extras import Extra

EXTRA = Extra(
    options=(("inspect", "extras.reports.options"),),
    entries=(("session", "extras.reports.entry:FilmEntry"),),
    needs=("export",),
)
