"""Sounds of the window, all made by the program: moves, captures by their men, crowning, the end, a level passed."""

from extras import Extra

EXTRA = Extra(entries=(("speaker", "extras.sounds.speaker:WindowSpeaker"),))
