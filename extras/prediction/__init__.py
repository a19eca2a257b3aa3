"""Founders that learn to predict the results of games (`founders.method=predicted`, the preset ``cowan-deep``)."""

from extras import Extra

EXTRA = Extra(founders=("extras.prediction.prediction",))
