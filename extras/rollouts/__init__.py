"""Tree search by games that are played to their end (the player ``rollouts``, and ``search=rollouts`` of a network)."""

from extras import Extra

EXTRA = Extra(
    players=("extras.rollouts.kind",),
    searches=("extras.rollouts.kind",),
    examples=(("match", "rollouts,nodes=10000 material,depth=2", "random games from each leaf of a tree"),),
)
