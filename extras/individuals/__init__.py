"""The table of the individuals of a run or file, for researchers."""

from extras import Extra

EXTRA = Extra(entries=(("chooser", "extras.individuals.entry:TableEntry"),))
