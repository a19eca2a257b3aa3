"""The table of all individuals of all runs and files, for researchers."""

from extras import Extra

EXTRA = Extra(
    entries=(("chooser", "extras.individuals.entry:TableEntry"), ("session", "extras.individuals.entry:PlayersEntry")),
)
