"""Follows a deal of a preset in plain Python, from its cards and actions alone.

What an observation has to say is derived here once more, from the rules' text and without any of
the package's rule functions: with sets of cards, one small step at a time.
"""

from __future__ import annotations

from typing import Any

from marias_env.actions import PHASES
from marias_env.rules import Rules

STRENGTH = [0, 1, 2, 6, 3, 4, 5, 7]
"""Of the ranks 7 8 9 T J Q K A in a suit game; without trumps they are in order."""
QUEEN, KING, SHARP_RANKS = 5, 6, (3, 7)
CONTRACTS = {"suit": 0, "betl": 1, "durch": 2, "open_betl": 3, "open_durch": 4}


class Follower:
    """One deal; `see(seat)` says what each slice must hold.

    Args:
        rules: a preset.
        deck: card ids in dealing order.
        dealer: seat.
    """

    def __init__(self, rules: Rules, deck: list[int], dealer: int) -> None:
        self.rules = rules
        self.dealer = dealer
        self.forehand = (dealer + 1) % 3
        order = [(dealer + 1 + n) % 3 for n in range(3)]
        self.hands: list[set[int]] = [set(), set(), set()]
        self.talon: set[int] = set()
        self.pending: set[int] = set()
        if rules.dealing == "chosen_trump":
            packets = zip([0, 1, 2, 0, 1, 2], [0, 7, 12, 17, 22, 27, 32], [7, 12, 17, 22, 27, 32])
            self.pending = set(deck[17:22])
        else:
            packets = zip([0, 1, 2, 0, 1, 2], range(0, 30, 5), range(5, 31, 5))
            self.talon = set(deck[30:32])
        for place, start, stop in packets:
            self.hands[order[place]] |= set(deck[start:stop])
        self.blind_card = deck[17]
        self.taken: list[set[int]] = [set(), set(), set()]
        self.discards: list[set[int]] = [set(), set(), set()]
        self.trump_card: int | None = None
        self.trump: int | None = None
        self.trump_shown = self.talon_taken = self.accepted = self.blind = False
        self.declarer = self.forehand
        self.contract: int | None = None
        self.named: dict[int, int] = {}
        self.replies, self.reply_flek = 0, False
        self.by: dict[str, int | None] = {"seven": None, "hundred": None}
        self.levels = {"game": 0, "seven": 0}
        self.open: set[str] = set()
        self.raised: set[str] = set()
        self.round, self.doubling_side = 0, ""
        self.played: list[list[int]] = [[], [], []]
        self.cannot: list[set[int]] = [set(), set(), set()]
        self.must: list[set[int]] = [set(), set(), set()]
        self.marriages: list[set[int]] = [set(), set(), set()]
        self.trick: list[tuple[int, int]] = []
        self.tricks_won = [0, 0, 0]
        self.points = {"declarer": 0, "defenders": 0}

    # ------------------------------------------------------------------ the course of the deal

    def follow(self, phase: str, seat: int, action: str, card: int | None) -> None:
        """One action: the phase it was taken in, who took it, its text, its card if it is one."""
        if phase == "TRUMP":
            self.blind = action == "blind"
            self.trump_card = self.blind_card if card is None else card
            self.trump = self.trump_card // 8
            self.pending = set()
        elif phase == "CONTRACT":
            self.contract = CONTRACTS[action]
            self.named[self.contract] = self.declarer = seat
            self.forget_replies()
            if action != "suit":
                self.trump = None
        elif phase == "DISCARD":
            assert card is not None
            self.hands[seat].remove(card)
            self.talon.add(card)
            if len(self.talon) == 2:
                self.discards[seat] = set(self.talon)
        elif phase == "REPLY":
            self.reply(seat, action)
        elif phase == "NAME_TRUMP":
            self.trump, self.trump_shown = "scdh".index(action[-1]), True
        elif phase in ("ANNOUNCE", "DOUBLE"):
            self.call(seat, action)
        else:
            assert card is not None
            self.play(seat, card)

    def forget_replies(self) -> None:
        self.replies, self.reply_flek = 0, False
        self.levels["game"] = 0

    def take_talon(self, seat: int) -> None:
        self.hands[seat] |= self.talon
        self.taken[seat], self.talon = self.talon, set()
        self.talon_taken = True

    def reply(self, seat: int, action: str) -> None:
        if action == "bad":
            self.take_talon(seat)
            self.declarer = seat
            self.forget_replies()
            return
        self.replies += 1
        if action == "flek_game":
            self.reply_flek = True
            self.levels["game"] = 1
        if self.replies == 2:
            self.accepted = True
            if self.rules.dealing == "talon" and not self.talon_taken:
                self.take_talon(self.declarer)
            elif self.rules.dealing == "chosen_trump" and self.contract == 0:
                self.trump_shown = True

    def before(self, phase: str, turn: int) -> None:
        """Called in every state: doubling begins, changes sides, ends with its phase."""
        if phase != "DOUBLE":
            self.open, self.raised, self.doubling_side = set(), set(), ""
            return
        side = "declarer" if turn == self.declarer else "defenders"
        if not self.doubling_side:
            # A suit game begins with the defenders; a flek in the replies was round 0.
            self.round = 0 if self.contract == 0 else 1
            self.open = {"game"}
            if self.by["seven"] is not None:
                self.open.add("seven")
        elif side != self.doubling_side:
            self.round += 1
            self.open, self.raised = self.raised, set()
        self.doubling_side = side

    def call(self, seat: int, action: str) -> None:
        if action in ("seven", "hundred"):
            component = "seven" if action == "seven" else "game"
            self.by[action] = seat
            self.levels[component] = 0
            if seat != self.declarer:
                self.open.discard(component)
                self.raised.add(component)
        elif action.startswith("flek_"):
            component = action[5:]
            self.levels[component] += 1
            self.open.discard(component)
            if self.levels[component] < self.rules.max_doublings:
                self.raised.add(component)

    # ------------------------------------------------------------------ play

    def strength(self, card: int) -> int:
        rank = card % 8
        return STRENGTH[rank] if self.trump is not None else rank

    def power(self, card: int) -> tuple[bool, bool, int]:
        """Orders the cards of a trick; only the led suit and trumps can win."""
        led = self.trick[0][1] // 8
        return (card // 8 == self.trump, card // 8 == led, self.strength(card))

    def best(self) -> tuple[int, int] | None:
        return max(self.trick, key=lambda play: self.power(play[1])) if self.trick else None

    def may_play(self, card: int, other: int) -> bool:
        """Whether `card` may be played by someone who also holds `other` (5.2, 5.3)."""
        forced = self.trump is not None and self.rules.queen_before_king == "forced"
        if forced and card % 8 == KING and other == card - 1:
            return False
        best = self.best()
        if best is None:
            return True
        led = self.trick[0][1] // 8
        groups = [led] if self.trump is None else [led, self.trump]
        for suit in groups:
            if card // 8 == suit:
                # A card of the same suit that beats the trick goes before one that does not.
                heads = self.power(other) > self.power(best[1])
                return not (other // 8 == suit and heads) or self.power(card) > self.power(best[1])
            if other // 8 == suit:
                return False
        return True

    def play(self, seat: int, card: int) -> None:
        # Whoever plays a card shows which others he cannot have had beside it.
        self.cannot[seat] |= {c for c in range(32) if c != card and not self.may_play(card, c)}
        self.hands[seat].remove(card)
        self.played[seat].append(card)
        if self.trump is not None and card % 8 == QUEEN:
            if card + 1 in self.hands[seat]:
                self.marriages[seat].add(card // 8)
                self.must[seat].add(card + 1)
            else:
                self.cannot[seat].add(card + 1)
        self.must[seat].discard(card)
        self.trick.append((seat, card))
        if len(self.trick) < 3:
            return
        best = self.best()
        assert best is not None
        winner = best[0]
        self.tricks_won[winner] += 1
        points = sum(c % 8 in SHARP_RANKS for _, c in self.trick)
        if self.contract == 0 and sum(self.tricks_won) == 10:
            points += 1
        self.points["declarer" if winner == self.declarer else "defenders"] += points
        self.trick = []

    # ------------------------------------------------------------------ what a seat sees

    def see(self, me: int, phase: str, turn: int) -> dict[str, Any]:
        """What every slice must show: sets of places, or lists of numbers for counts."""
        over = phase == "OVER"
        left, right = (me + 1) % 3, (me + 2) % 3
        knows_trump = over or self.trump_shown or me == self.forehand
        put_away = self.rules.dealing == "chosen_trump" or self.talon_taken
        best = self.best()
        table = dict(self.trick)

        def place(seat: int | None) -> set[int]:
            return set() if seat is None or seat < 0 else {(seat - me) % 3}

        def one(number: int | None) -> set[int]:
            return set() if number is None else {number}

        trump = self.trump if knows_trump else None
        components = ("game", "seven")
        return {
            "hand": self.hands[me] - self.pending,
            "talon": self.talon if over or (me == self.declarer and put_away) else set(),
            "taken": self.taken[me],
            "discards": self.discards[me],
            "trump_card": one(self.trump_card) if knows_trump else set(),
            "played_me": set(self.played[me]),
            "played_left": set(self.played[left]),
            "played_right": set(self.played[right]),
            "table_me": one(table.get(me)),
            "table_left": one(table.get(left)),
            "table_right": one(table.get(right)),
            "cannot_left": self.cannot[left],
            "cannot_right": self.cannot[right],
            "must_left": self.must[left],
            "must_right": self.must[right],
            "best_card": one(best and best[1]),
            "phase": {PHASES.index(phase)},
            "turn": place(turn),
            "dealer": place(self.dealer),
            "declarer": place(self.declarer),
            "contract": one(self.contract),
            "named": {3 * number + (seat - me) % 3 for number, seat in self.named.items()},
            "trump": one(trump),
            "blind": {0} if self.blind else set(),
            "trump_shown": {0} if self.trump_shown else set(),
            "talon_taken": {0} if self.talon_taken else set(),
            "accepted": {0} if self.accepted else set(),
            "replies": [self.replies],
            "reply_flek": {0} if self.reply_flek else set(),
            "seven_by": place(self.by["seven"]),
            "hundred_by": place(self.by["hundred"]),
            "level_game": {min(self.levels["game"], 7)},
            "level_seven": {min(self.levels["seven"], 7)},
            "open": {i for i, name in enumerate(components) if name in self.open},
            "next_open": {i for i, name in enumerate(components) if name in self.raised},
            "round": [self.round],
            "led": {self.trick[0][1] // 8} if self.trick else set(),
            "position": {len(self.trick)},
            "winning": place(best and best[0]),
            "trick": {min(sum(self.tricks_won), 9)},
            "tricks_won": [self.tricks_won[seat] for seat in (me, left, right)],
            "points": [self.points["declarer"], self.points["defenders"]],
            "marriages": {
                4 * n + suit
                for n, seat in enumerate((me, left, right))
                for suit in self.marriages[seat]
            },
            "hearts": {0} if trump == 3 else set(),
            "padding": set(),
            "hand_left": self.hands[left],
            "hand_right": self.hands[right],
            "true_talon": self.talon,
            "true_trump_card": one(self.trump_card),
            "pending": self.pending,
            "true_trump": one(self.trump),
            "state_padding": set(),
        }
