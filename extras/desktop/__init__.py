"""The verb ``desktop``: a menu entry, icons and a file type on the desktops of Linux."""

from extras import Extra, Verb

EXTRA = Extra(
    verbs=(Verb("desktop", "extras.desktop.command", "add a menu entry and file types to the desktop", "Connect"),)
)
