"""Sizes that recur, in pixels of the design: of text, of the space between things, of controls.

Screens name these sizes and have no numbers of their own; `tests/gui/test_design.py` looks.
"""

from __future__ import annotations

SMALL, BODY, TITLE, HEADING, DISPLAY = 12, 14, 17, 20, 34
"""Text: captions and keys; what is read; names of screens and cards; figures and large buttons; the program's name."""

LEAST_TEXT = 11
"""What labels shrink to before they are cut."""

UNIT = 4
TIGHT, GAP, ROOM, EDGE, APART = UNIT, 2 * UNIT, 3 * UNIT, 4 * UNIT, 6 * UNIT
"""Space: of what belongs together; between neighbours; inside panels; around screens; between halves of a screen."""

CONTROL, LARGE_CONTROL, MAIN_CONTROL = 36, 44, 68
"""Heights: of buttons and fields; of those that a screen is about; of one with a second line."""
