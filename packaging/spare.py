"""Takes libraries of the archive into use that this system lacks: ``spare.py FOLDER``."""

import ctypes
import os
import sys

for name in sorted(os.listdir(os.path.join(sys.argv[1], "spare"))):
    try:
        ctypes.CDLL(name)
    except OSError:
        os.rename(os.path.join(sys.argv[1], "spare", name), os.path.join(sys.argv[1], name))
