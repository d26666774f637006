"""Rule sets: the options of RULES.md 6d and 9 as one frozen value, and the named presets."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from marias_env.actions import CONTRACTS
from marias_env.cards import RANKS, SUITS
from marias_env.errors import RulesError
from marias_env.notebook import shown
from marias_env.options import Bound, Choice, Flag, Maybe, Whole, check, check_fields


class Tariff(dict[str, int]):
    """Units by contract, unchangeable once it is made.

    A dict, since `dataclasses.asdict`, `json`, `copy` and `pickle` know what to do with one.
    """

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise TypeError("a tariff does not change; make other rules by dataclasses.replace")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return Tariff, (dict(self),)


TARIFF: Final = Tariff({"suit": 1, "betl": 5, "durch": 10, "open_betl": 10, "open_durch": 20})
"""Units a contract pays per opponent before doubling (RULES.md 6a, 6b)."""

# What no option changes (RULES.md 1.3, 5.3, 6).
TEN: Final = 10
"""Card points of an ace, a ten and the last trick; the ladder of a hundred climbs by as many."""
MARRIAGE: Final = 20
"""Card points of a marriage; one in trumps: `TRUMP_MARRIAGE`."""
TRUMP_MARRIAGE: Final = 40
QUIET_HUNDRED: Final = 2
"""Units of the first rung of a hundred's ladder; announced: `ANNOUNCED_HUNDRED`."""
ANNOUNCED_HUNDRED: Final = 4
QUIET_SEVEN: Final = 1
"""Units of a seven that nobody announced; announced: `ANNOUNCED_SEVEN`."""
ANNOUNCED_SEVEN: Final = 2
LEAST_REVOKE: Final = 10
"""Units that a revoke pays each of the others at least (6e)."""
HEARTS: Final = SUITS.index("h")
"""The suit that multiplies a suit game by `HEARTS_FACTOR`."""
HEARTS_FACTOR: Final = 2

MAX_DOUBLINGS_LIMIT: Final = 16
"""A deal's history has room for this many doublings of each component."""
MAX_AMOUNT: Final = 1_000_000
"""Largest tariff and `max_payment`: keeps every payment exact in 64 bits."""

CHOICES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "dealing": ("chosen_trump", "talon"),
        "queen_before_king": ("forced", "free"),
        "deck_policy": ("shuffle", "cut"),
        "hundred_steps": ("doubling", "linear", "fixed"),
        "qualifying_marriage": ("best", "first", "all"),
        "quiet_hundred_marriages": ("one", "all"),
        "illegal_action": ("error", "revoke"),
    }
)
"""Values that the options given by name take; the id of a value is its place here."""
AMOUNT: Final = Whole(0, MAX_AMOUNT)
"""Bounds of the units of one contract."""
_FLAGS: Final = (
    "open_contracts",
    "play_out_decided",
    "opponents_marriages_in_failed_hundred",
    "defenders_quiet_hundred",
    "seven_hundred_together",
    "talon_trumps",
    "blind_trump",
    "unplayed_plain_suit",
    "unplayed_seven_vs_flek",
    "seven_requires_card",
    "hundred_requires_marriage",
)
_BOUNDS: Final[dict[str, Bound]] = {
    **{name: Choice(*words) for name, words in CHOICES.items()},
    **{name: Flag() for name in _FLAGS},
    "max_doublings": Whole(0, MAX_DOUBLINGS_LIMIT),
    "max_payment": Maybe(Whole(1, MAX_AMOUNT)),
}
BOUNDS: Final[Mapping[str, Bound]] = MappingProxyType(_BOUNDS)
"""Bounds of the options; tariff, suits and ranks are checked by code of their own."""


@dataclasses.dataclass(frozen=True)
class Rules:
    """One rule set. Variants by `dataclasses.replace(RULES["traditional"], max_doublings=3)`.

    The defaults are the preset `traditional`. Every value is checked when the object is made.

    Attributes:
        dealing: `chosen_trump` (RULES.md 3a) or `talon` (3b).
        open_contracts: whether open betl and open durch may be named.
        queen_before_king: `forced`: the K may not be played while its Q is in the same hand.
        max_doublings: cap on each component's level, 0…16.
        play_out_decided: betl and durch are played to the end although they are decided.
        deck_policy: `shuffle` every deal, or `cut` between the deals of one match (2.4).
        hundred_steps: how a hundred grows per ten points: `doubling`, `linear`, `fixed`.
        qualifying_marriage: the marriage that counts for reaching a hundred.
        quiet_hundred_marriages: `all`: every marriage counts for reaching a quiet hundred.
        opponents_marriages_in_failed_hundred: they are added to the shortfall.
        defenders_quiet_hundred: whether the defenders can make one.
        seven_hundred_together: both announced by one side must both be made.
        talon_trumps: false: trumps may be discarded in a suit game only when nothing else may.
        blind_trump: whether forehand may choose trumps blind.
        max_payment: cap on |V|, or None.
        tariff: units per contract; a partial mapping is completed from `TARIFF`.
        unplayed_plain_suit: an unannounced, unfleked suit game is paid as won without play.
        unplayed_seven_vs_flek: seven alone against a single flek of the game: not played, V = 0.
        illegal_action: `error`, or `revoke` (6e).
        seven_requires_card: seven and seven-against need the trump 7 in hand.
        hundred_requires_marriage: hundred and hundred-against need a K and Q of one suit in hand.
        suits: suits of the deck, a subset of `scdh` (RULES.md 9).
        ranks: ranks of the deck, a subset of `789TJQKA`.

    Raises:
        RulesError: a value that the option does not take.
    """

    dealing: str = "chosen_trump"
    open_contracts: bool = True
    queen_before_king: str = "forced"
    max_doublings: int = 6
    play_out_decided: bool = False
    deck_policy: str = "shuffle"
    hundred_steps: str = "doubling"
    qualifying_marriage: str = "best"
    quiet_hundred_marriages: str = "one"
    opponents_marriages_in_failed_hundred: bool = False
    defenders_quiet_hundred: bool = True
    seven_hundred_together: bool = False
    talon_trumps: bool = True
    blind_trump: bool = True
    max_payment: int | None = None
    tariff: Mapping[str, int] = dataclasses.field(default_factory=lambda: TARIFF)
    unplayed_plain_suit: bool = False
    unplayed_seven_vs_flek: bool = False
    illegal_action: str = "error"
    seven_requires_card: bool = True
    hundred_requires_marriage: bool = True
    suits: str = SUITS
    ranks: str = RANKS

    def __post_init__(self) -> None:
        check_fields(self, BOUNDS, RulesError, "option ")
        object.__setattr__(self, "tariff", _full_tariff(self.tariff))
        object.__setattr__(self, "suits", _subset("suits", self.suits, SUITS))
        object.__setattr__(self, "ranks", _subset("ranks", self.ranks, RANKS))
        if self.num_cards % 3 != 2 or self.num_cards < 5:
            raise RulesError(
                f"options suits and ranks: {len(self.suits)} x {len(self.ranks)} = "
                f"{self.num_cards} cards; expected 3k + 2 of them with k at least 1, such as "
                "1 x 5, 2 x 4 or 4 x 5"
            )

    @property
    def num_cards(self) -> int:
        """Cards in the deck, 3k + 2."""
        return len(self.suits) * len(self.ranks)

    @property
    def hand_size(self) -> int:
        """k: cards a hand in play, and tricks in a deal."""
        return (self.num_cards - 2) // 3

    @property
    def card_points(self) -> int:
        """P: card points in play, the last trick included (90 with the full deck)."""
        return TEN * (len(self.suits) * sum(rank in self.ranks for rank in "AT") + 1)

    @functools.cached_property
    def deck_mask(self) -> int:
        """Bit set of the deck's cards."""
        return sum(
            1 << (8 * SUITS.index(suit) + RANKS.index(rank))
            for suit in self.suits
            for rank in self.ranks
        )

    def options(self, base: str) -> dict[str, Any]:
        """Returns the fields that differ from a preset, as JSON values (the tariff in full)."""
        preset = RULES[base]
        found: dict[str, Any] = {}
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if value != getattr(preset, field.name):
                found[field.name] = dict(value) if field.name == "tariff" else value
        return found

    def _repr_html_(self) -> str:
        return shown(self, "marias_env.showing.notebook", "rules_html")

    @functools.cached_property
    def _hash(self) -> int:
        values = [getattr(self, f.name) for f in dataclasses.fields(self) if f.name != "tariff"]
        return hash((*values, *self.tariff.values()))

    def __hash__(self) -> int:
        return self._hash  # asked for at every step, as the key of packed rules

    def __reduce__(self) -> tuple[Any, ...]:
        # Made anew: a kept hash would be another process's.
        return Rules, tuple(getattr(self, field.name) for field in dataclasses.fields(self))


def _full_tariff(tariff: Any) -> Mapping[str, int]:
    if not isinstance(tariff, Mapping):
        raise RulesError(f"option tariff: {tariff!r}; expected a mapping of contracts to units")
    full = dict(TARIFF)
    for name, units in tariff.items():
        if name not in CONTRACTS:
            raise RulesError(
                f"option tariff: unknown contract {name!r}; expected {', '.join(CONTRACTS)}"
            )
        full[name] = check(f"option tariff[{name!r}]", units, AMOUNT, RulesError)
    return Tariff(full)


def _subset(name: str, value: Any, whole: str) -> str:
    if (
        not isinstance(value, str)
        or not value
        or len(set(value)) != len(value)
        or not set(value) <= set(whole)
    ):
        raise RulesError(f"option {name}: {value!r}; expected different letters out of {whole!r}")
    return "".join(letter for letter in whole if letter in value)


_TRADITIONAL = Rules()
RULES: Final[Mapping[str, Rules]] = MappingProxyType(
    {
        "traditional": _TRADITIONAL,
        "online": Rules(
            dealing="talon", open_contracts=False, queen_before_king="free", max_doublings=3
        ),
        "additive": dataclasses.replace(
            _TRADITIONAL,
            hundred_steps="linear",
            quiet_hundred_marriages="all",
            opponents_marriages_in_failed_hundred=True,
            max_payment=500,
            max_doublings=4,
        ),
    }
)
"""The presets of RULES.md by name."""


def get_rules(rules: str | Rules | Mapping[str, Any]) -> Rules:
    """Returns the rule set for a preset's name or a text as `read_rules` takes it, or itself.

    A mapping of options by name (what `dataclasses.asdict` and the JSON of a Gymnasium spec make of
    a rule set) is taken too; options that are missing are those of `traditional`.

    Raises:
        RulesError: no preset has this name, or an option is wrong.
    """
    if isinstance(rules, Rules):
        return rules
    if isinstance(rules, str) and rules in RULES:
        return RULES[rules]
    if isinstance(rules, str) and "," in rules:
        return read_rules(rules)
    if isinstance(rules, Mapping):
        return rules_with_options("traditional", rules)
    raise RulesError(
        f"unknown rules: {rules!r}; expected a Rules value or one of {', '.join(RULES)}, "
        "options after a comma: online,max_doublings=2"
    )


def rules_with_options(preset: str, options: Mapping[str, Any]) -> Rules:
    """Returns a preset with some fields replaced, as deal records write them.

    Raises:
        RulesError: unknown preset or option, or a bad value.
    """
    base = get_rules(preset)
    known = {field.name for field in dataclasses.fields(Rules)}
    for name in options:
        if name not in known:
            raise RulesError(
                f"unknown option: {name!r}; expected one of {', '.join(sorted(known))}"
            )
    return dataclasses.replace(base, **options)


def preset_and_options(rules: Rules) -> tuple[str, dict[str, Any]]:
    """Returns the preset that a rule set is closest to, and the fields that differ from it."""
    candidates = [(name, rules.options(name)) for name in RULES]
    return min(candidates, key=lambda item: len(item[1]))


def read_rules(text: str) -> Rules:
    """Returns the rule set of a text: a preset, then options that differ from it.

    For example `online,seven_hundred_together=true,tariff=1:5:10:10:20`: true and false, numbers,
    `none`, the tariff as five numbers in the order of `CONTRACTS`, other options by their names.

    Raises:
        RulesError: unknown preset or option, an option twice, or a bad value.
    """
    preset, *pairs = (part.strip() for part in text.split(","))
    options: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or name in options:
            raise RulesError(f"option {_short(pair)}; expected name=value, each name once")
        options[name] = _read_option(name, value)
    return rules_with_options(preset, options)


def rules_text(rules: Rules) -> str:
    """Returns the text that `read_rules` reads back, with the preset closest to the rule set."""
    preset, options = preset_and_options(rules)
    return ",".join([preset, *(f"{name}={_option_text(v)}" for name, v in options.items())])


def _read_option(name: str, value: str) -> Any:
    # What the text spells; `Rules` checks it.
    if name == "tariff":
        units = [AMOUNT.read(unit) for unit in value.split(":")]
        if len(units) != len(CONTRACTS) or not all(isinstance(unit, int) for unit in units):
            raise RulesError(f"option tariff={_short(value)}; expected five numbers, 1:5:10:10:20")
        return dict(zip(CONTRACTS, units))
    return BOUNDS[name].read(value) if name in BOUNDS else value


def _option_text(value: Any) -> str:
    if isinstance(value, Mapping):
        return ":".join(str(value[name]) for name in CONTRACTS)
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
