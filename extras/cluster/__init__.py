"""A cluster: games are played on several machines, with Dask (the verb ``cluster``, and the option ``--cluster``)."""

from extras import Extra, Verb

EXTRA = Extra(
    verbs=(
        Verb("cluster", "extras.cluster.command", "start a cluster that plays games on several machines", "Connect"),
    ),
    machines=("extras.cluster.command",),
)
