"""One table: chairs, the deal on it, whose move it is, and what has happened there.

Nothing here waits, opens a file or knows of a connection: the lobby does. Nothing here is a rule of
the game either: the deal is a row of a `DealBatch`.
"""

from __future__ import annotations

import dataclasses
import random
import secrets
from collections import deque
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from marias_env.actions import ACTION_IDS, ACTIONS, OVER
from marias_env.batch import DealBatch
from marias_env.cards import CARDS, cards_of
from marias_env.core.legal import is_revoke
from marias_env.match import Match
from marias_env.records import play_actions
from marias_env.rules import Rules, preset_and_options
from marias_env.showing.phrases import LANGUAGES
from marias_env.showing.why import why_not
from marias_table.chairs import Chair
from marias_table.events import Happening, Marks, changes, is_secret, what_of
from marias_table.journal import Journal
from marias_table.messages import Result
from marias_table.protocol import ErrorCode, ProtocolError
from marias_table.view import Memo, label_of, result_of, view_of

KEPT_EVENTS: Final = 300
"""More than a deal has: who was away for longer gets the state alone."""
PERSON: Final = "person"
ADVISED: Final = "person+hint"
"""Who chose an action before which an agent's advice was asked for."""
_SITTING: Final = Match(deals=1_000_000)
"""Single deals: a match that never ends, so that the deal rotates and the score runs."""


@dataclasses.dataclass(frozen=True)
class Terms:
    """What is played at a table, fixed when it is made.

    Attributes:
        rules: the rule set.
        match: None for single deals.
        spectators: `nobody`, `table` or `cards`.
        hints: whether people may ask for advice.
        stand_in: spec of the agent that plays for the absent and in open chairs.
    """

    rules: Rules
    match: Match | None = None
    spectators: str = "table"
    hints: bool = True
    stand_in: str = "rules"


class Room:
    """One table.

    Args:
        terms: what is played.
        chairs: the three chairs.
        journal: where everything is written down; None: nowhere.
        rng: where the cards come from; None: the operating system's randomness.
    """

    def __init__(
        self,
        terms: Terms,
        chairs: Sequence[Chair],
        journal: Journal | None = None,
        rng: random.Random | None = None,
    ) -> None:
        self.terms = terms
        self.preset, self.options = preset_and_options(terms.rules)
        self.chairs = list(chairs)
        self.journal = journal or Journal()
        self._rng = rng or secrets.SystemRandom()
        self.batch = DealBatch(
            1,
            terms.rules,
            seed=self._rng.getrandbits(64),
            autoreset=False,
            match=terms.match or _SITTING,
        )
        self.deal = 0
        self.started = False
        self.closed = False
        self.watching = 0
        self.thinking: int | None = None
        self.advised: tuple[int, int] | None = None
        """The last `place` where advice was given."""
        self.history: list[list[int]] = []
        self.seq = 0
        self.events: deque[Happening] = deque(maxlen=KEPT_EVENTS)
        self.changed = True
        """Something is to be told; whoever tells it sets it back."""
        self.memo = Memo()
        self._result: dict[str, Result | None] = {}

    # ------------------------------------------------------------------ who sits where

    @property
    def paused(self) -> bool:
        """Nobody is there: the agents wait too."""
        return not any(chair.present for chair in self.chairs)

    def sit(self, token: str, name: str, seat: int | None = None, host: bool = False) -> int:
        """A person takes an open chair, for good.

        Args:
            token: hash of the seat's token.
            name: what the person is called.
            seat: which chair; None: the first that is open.
            host: whether this is the table's host.

        Raises:
            ProtocolError: no chair, or not this one.
        """
        free = [i for i, chair in enumerate(self.chairs) if chair.kind == "open"]
        if not free:
            raise ProtocolError(ErrorCode.TABLE_FULL, "no chair is open at this table")
        if seat is not None and seat not in free:
            raise ProtocolError(ErrorCode.SEAT_TAKEN, f"chair {seat} is not open; open: {free}")
        chosen = free[0] if seat is None else seat
        self.chairs[chosen] = Chair("person", name, token=token, host=host, away=True)
        self._seat_changed("sat", chosen)
        return chosen

    def connect(self, seat: int) -> None:
        """The person of a chair is there, or there once more."""
        chair = self.chairs[seat]
        chair.connections += 1
        came_back = chair.away and chair.was_away
        chair.away = chair.was_away = False
        if came_back:
            self._seat_changed("returned", seat)
        else:
            self.changed = True
        self.begin()

    def disconnect(self, seat: int) -> None:
        """A connection of the chair has ended; the chair stays the person's."""
        chair = self.chairs[seat]
        chair.connections = max(chair.connections - 1, 0)
        self.changed = True

    def go(self, seat: int) -> None:
        """The person is away: from now on an agent plays, if anybody else is there."""
        chair = self.chairs[seat]
        if chair.kind != "person" or chair.away:
            return
        chair.away = chair.was_away = True
        self._seat_changed("left", seat, agent=self.terms.stand_in)
        self._deal_on_when_ready()

    def rename(self, seat: int, name: str) -> None:
        """Changes a person's name."""
        chair = self.chairs[seat]
        old, chair.name = chair.name, name
        self._seat_changed("renamed", seat, old=old)

    def change_seat(self, seat: int, agent: str | None) -> None:
        """The host puts an agent in a chair, or opens it.

        Raises:
            ProtocolError: a person's chair.
        """
        if self.chairs[seat].kind == PERSON:
            raise ProtocolError(ErrorCode.SEAT_TAKEN, f"chair {seat} is a person's")
        self.chairs[seat] = Chair("open") if agent is None else Chair("agent", agent, agent=agent)
        self._seat_changed("opened" if agent is None else "agent", seat)
        self.begin()

    def replace(self, seat: int, why: str, by: str = "rules") -> None:
        """An agent that hung or failed is replaced for good.

        Args:
            seat: where it played.
            why: `late` or `failed`.
            by: spec of who plays instead.
        """
        chair = self.chairs[seat]
        failed = self.player(seat)
        if chair.kind == "agent":
            self.chairs[seat] = Chair("agent", by, agent=by)
        else:
            self.terms = dataclasses.replace(self.terms, stand_in=by)
            self.journal.terms(self.terms)
        self._log("replaced", {"seat": seat, "name": failed, "agent": failed, "by": by, "why": why})
        self.journal.seat(seat, self.chairs[seat])

    def _seat_changed(self, kind: str, seat: int, **more: str) -> None:
        self._log(kind, {"seat": seat, **more})
        self.journal.seat(seat, self.chairs[seat])

    def close(self) -> None:
        """Ends the table for good."""
        self.closed = True
        self._log("closed", {})

    # ------------------------------------------------------------------ the course of play

    def begin(self, early: bool = False) -> None:
        """Starts play once no chair is open, or earlier on the host's word."""
        if self.started or not (early or all(chair.kind != "open" for chair in self.chairs)):
            return
        self.started = True
        self._log("began", {})
        self._deal(first=True)

    def _deal(self, first: bool = False) -> None:
        deals = self.batch.deals
        # Nobody may compute cards to come from cards he has seen.
        deals["key"] = self._rng.getrandbits(64)
        if not first:
            self.batch.next_deals([0])
        if deals["match_deals"][0] == 0:
            self.history = []
        if first or self.terms.rules.deck_policy == "shuffle" or not self.history:
            deck = cards_of(self.terms.rules.deck_mask)
            self._rng.shuffle(deck)
            self.batch.set_decks(deck, int(deals["dealer"][0]))
        self._result, self.memo = {}, Memo()
        self.deal += 1
        for chair in self.chairs:
            chair.ready = False
        dealer = int(deals["dealer"][0])
        self.journal.dealt(
            self.deal,
            dealer,
            [CARDS[card] for card in deals["deck"][0, : self.terms.rules.num_cards].tolist()],
            not self.history,
        )
        self._log("deal", {"deal": self.deal, "seat": dealer})

    def player(self, seat: int) -> str | None:
        """Returns the spec of the agent that acts for a chair now; None: its person does."""
        chair = self.chairs[seat]
        if chair.kind == "agent":
            return chair.agent
        return None if chair.present else self.terms.stand_in

    def mover(self) -> tuple[int, str] | None:
        """Returns the seat and the spec of the agent whose move it is, if it is an agent's."""
        seat = int(self.batch.deals["turn"][0])
        if self.closed or not self.started or seat < 0 or self.paused:
            return None
        spec = self.player(seat)
        return None if spec is None else (seat, spec)

    @property
    def place(self) -> tuple[int, int]:
        """Number of the deal and of actions in it: which decision is to be made."""
        return self.deal, int(self.batch.deals["num_actions"][0])

    def act(
        self,
        seat: int,
        text: str,
        place: tuple[int, int],
        language: str = "en",
        revoke: bool = False,
    ) -> None:
        """A person's action.

        Args:
            seat: who acts.
            text: the action.
            place: the `place` that the person saw.
            language: of the reason in an error.
            revoke: the person means it, where the rules know revokes.

        Raises:
            ProtocolError: nothing has changed.
        """
        deal = self.batch.deals[0]
        if not self.started or self.closed or deal["phase"] == OVER:
            raise ProtocolError(ErrorCode.WRONG_TIME, "no deal is being played")
        if place != self.place:
            raise ProtocolError(
                ErrorCode.STALE, f"deal and action {place}; the table is at {self.place}"
            )
        if deal["turn"] != seat:
            raise ProtocolError(ErrorCode.NOT_YOUR_TURN, f"seat {deal['turn']} is on turn")
        action = ACTION_IDS.get(text)
        if action is None:
            raise ProtocolError(ErrorCode.BAD_MESSAGE, f"action: {text!r} is no action")
        if not int(deal["legal"]) >> action & 1:
            packed = self.batch.packed_rules[0]
            if not (revoke and is_revoke(deal, packed, np.int64(action))):
                view = view_of(self.batch, seat)
                rule, why = why_not(view, self.terms.rules, action, language)
                raise ProtocolError(ErrorCode.ILLEGAL_ACTION, why, rule=rule, text=why)
        self.play(seat, action, ADVISED if place == self.advised else PERSON)

    def play(self, seat: int, action: int, by: str) -> None:
        """Takes an action that is legal.

        Args:
            seat: who is on turn.
            action: its id.
            by: `person`, or the spec of the agent that chose it.

        Raises:
            IllegalActionError: it is not legal; nothing has changed.
        """
        deal, place = self.batch.deals[0], self.place
        before, told = Marks(deal), self._action_event(seat, action)
        self.batch.step(np.array([action]))
        self.journal.acted(*place, seat, action, by)
        self._log("action", *told)
        deal = self.batch.deals[0]
        for kind, data in changes(before, deal, self.terms.rules):
            self._log(kind, data)
        if deal["phase"] == OVER:
            self._finish(deal["payments"].tolist())

    def _action_event(
        self, seat: int, action: int
    ) -> tuple[dict[str, Any], int | None, dict[str, str]]:
        deal = self.batch.deals[0]
        phase = int(deal["phase"])
        what, secret = what_of(phase, action), is_secret(phase, action)
        text = None if secret else ACTIONS[action]
        data = {"seat": seat, "what": what, "action": text}
        data["card"] = text if what == "play" else None
        calls = {}
        if what == "call":
            for language in LANGUAGES:
                calls[language] = label_of(deal, self.terms.rules, action, language)
        return data, action if secret else None, calls

    def _finish(self, payments: list[int]) -> None:
        self.history.append(payments)
        self.journal.finished(self.deal, payments, self.players())
        self._log("over", {"payments": payments})
        if self.match_over:
            self._log("match_over", {"payments": self.totals})

    def players(self) -> list[dict[str, str]]:
        """Returns who sits in each seat, as records tell it."""
        found = []
        for chair in self.chairs:
            if chair.kind == PERSON:
                found.append({"kind": PERSON, "name": chair.name})
            else:
                agent = chair.agent or self.terms.stand_in
                found.append({"kind": "agent", "name": agent, "agent": agent})
        return found

    @property
    def totals(self) -> list[int]:
        """Units by seat since the match, or the sitting, began."""
        return [int(units) for units in self.batch.deals["totals"][0]]

    @property
    def match_over(self) -> bool:
        """Whether the deal that has ended was the last of the match."""
        match = self.terms.match
        if match is None or self.batch.deals["phase"][0] != OVER:
            return False
        reached = match.points is not None and max(self.totals) >= match.points
        return reached or len(self.history) >= match.deals

    def ready(self, seat: int) -> None:
        """A person wants the next deal; it comes when all who are there do.

        Raises:
            ProtocolError: the deal is not over.
        """
        if not self.started or self.batch.deals["phase"][0] != OVER:
            raise ProtocolError(ErrorCode.WRONG_TIME, "the deal is not over")
        self.chairs[seat].ready = True
        self.changed = True
        self._deal_on_when_ready()

    def _deal_on_when_ready(self) -> None:
        over = self.started and self.batch.deals["phase"][0] == OVER
        if over and not self.paused and not self.waiting_for():
            self._deal()

    def waiting_for(self) -> list[int]:
        """Returns the persons whose `ready` the next deal waits for."""
        if not self.started or self.batch.deals["phase"][0] != OVER:
            return []
        return [i for i, chair in enumerate(self.chairs) if chair.present and not chair.ready]

    def result(self, language: str) -> Result | None:
        """Returns how the deal ended, in words too; None while it has not."""
        if self.batch.deals["phase"][0] != OVER:
            return None
        if language not in self._result:
            self._result[language] = result_of(self.batch, language)
        return self._result[language]

    def resume(
        self,
        deal: int,
        dealer: int,
        deck: Sequence[str],
        actions: Sequence[int],
        history: Sequence[Sequence[int]],
        seq: int,
    ) -> None:
        """Goes on where a table stood, as the journal has it.

        Args:
            deal: number of the last deal.
            dealer: its dealer.
            deck: its cards in dealing order.
            actions: its actions so far.
            history: payments of the finished deals of this match, this one included if it is over.
            seq: number of the last event.

        Raises:
            RecordError: the deck or the actions are not those of a deal.
        """
        pairs = [[0, ACTIONS[action]] for action in actions]
        ids = [CARDS.index(card) for card in deck]
        replayed = play_actions(self.terms.rules, ids, dealer, pairs, check_seats=False)
        self.batch.deals[0] = replayed.deals[0]
        self.batch.deals["totals"] = np.sum(history, axis=0) if history else 0
        self.batch.deals["match_deals"] = len(history)
        self.history = [list(payments) for payments in history]
        self.deal, self.seq, self.started = deal, seq, True
        self._result, self.memo = {}, Memo()

    def _log(
        self,
        kind: str,
        data: dict[str, Any],
        secret: int | None = None,
        calls: dict[str, str] | None = None,
    ) -> None:
        self.seq += 1
        self.events.append(Happening(self.seq, kind, data, secret, calls or {}))
        self.changed = True
