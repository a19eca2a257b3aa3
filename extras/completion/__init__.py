"""Completion scripts for shells: bash and zsh (the option ``--print-completion``)."""

from extras import Extra

EXTRA = Extra(options=(("", "extras.completion.options"),))
