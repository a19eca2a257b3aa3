"""The verb ``desktop``: a menu entry, an icon and file types on the desktops of Linux and Windows."""

from extras import Extra, Verb

EXTRA = Extra(
    verbs=(Verb("desktop", "extras.desktop.command", "add a menu entry and file types to the desktop", "Connect"),),
)
