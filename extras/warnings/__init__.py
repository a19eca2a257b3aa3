"""Warnings of ``inspect``: convergence, repeated games, overfitting, and ratings that fall."""

from extras import Extra

EXTRA = Extra(checks=("extras.warnings.findings",))
