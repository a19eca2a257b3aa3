"""The climb: a ladder of levels and generations of a run, on which rated games lead upwards."""

from extras import Extra

EXTRA = Extra(entries=(("home", "extras.climb.home:ClimbEntry"),))
