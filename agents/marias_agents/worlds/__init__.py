"""Worlds: the complete deals that a seat cannot tell from the true one.

A *world* of an information view is an assignment of the unseen cards to the left hand, the right
hand and the talon of the moment (before forehand has chosen trumps: also to forehand's cards not
yet picked up) for which some deck and some legal hidden actions give exactly this view. What counts
as evidence is everything that the rules make certain, and nothing else: own cards; own, taken and
passed-on talons; who could not follow, head or overtrump; marriages shown or not; announced seven
and hundred; a seven that had to be kept; what may be put away in a suit game, and not named
afterwards; the trump card that was shown. That somebody said nothing proves nothing.

**Measure.** All worlds of a view are equally likely. That is the posterior of a uniformly shuffled
deck when hidden choices (trump card, discards) tell nothing beyond having been legal: where nobody
but the seat itself and the declarer has held the talon, each world stems from equally many decks.
Only where a talon went through both other hands could one count stories instead of outcomes;
outcomes are counted, since the present hands are what matters for play. Within a world, what is
past or still hidden is drawn backwards: earlier talons, then forehand's hidden trump card, each
uniformly among what leaves a legal story; last the order of the deck, in which the trump card lies
in forehand's first packet, or first in the second if it was chosen blind. `weights` reweights
worlds by what a policy would have done.

A `cut` deck's previous deal is not in a view, and is not used.
"""

from marias_agents.worlds.api import count_worlds, enumerate_worlds, marginals, sample_worlds
from marias_agents.worlds.weights import Policy, deterministic, weights

__all__ = [
    "Policy",
    "count_worlds",
    "deterministic",
    "enumerate_worlds",
    "marginals",
    "sample_worlds",
    "weights",
]
