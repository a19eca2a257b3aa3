"""Learning: one network learns by gradients, from games, searches or tables (the verb ``train``)."""

from extras import Extra, Verb

EXTRA = Extra(
    verbs=(Verb("train", "extras.learning.command", "train one network, or continue such a run", "Evolve"),),
    entries=(("session", "extras.learning.page:LearningCurves"),),
    methods=("extras.learning.methods", "extras.learning.policy_gradient_method"),
    needs=("recorded",),  # for games that it learns from
)
