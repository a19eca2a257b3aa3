"""Completion scripts for shells: bash, zsh and fish (the option ``--print-completion``)."""

from extras import Extra

EXTRA = Extra(options=(("", "extras.completion.options"),))
