"""Settlement once more, straight from the rules' text and slow: a check on the compiled one.

It reads a finished record and works with texts only. Deals that were not played out for another
reason than a decided betl or durch are left to the cases.
"""

from __future__ import annotations

from typing import Any

from marias_env.rules import Rules

CONTRACT_NAMES = ("suit", "betl", "durch", "open_betl", "open_durch")
ORDER = {"suit": "789JQKTA", "no trumps": "789TJQKA"}


def is_card(text: str) -> bool:
    return len(text) == 2


def payments(record: dict[str, Any], rules: Rules) -> list[int] | None:
    """What a finished deal pays by seat; None where this reference has nothing to say."""
    actions = [(seat, text) for seat, text in record["actions"]]
    named = [i for i, (_, text) in enumerate(actions) if text in CONTRACT_NAMES]
    declarer, contract = actions[named[-1]]
    after = [text for _, text in actions[named[-1] :]]
    if contract.startswith("open"):
        return None
    if rules.dealing == "chosen_trump":
        exchanges = len(named)
        skipped = 2 * exchanges + is_card(actions[0][1])
    else:
        exchanges = max(len(named) - 1, 1)
        skipped = 2 * exchanges
    plays = [(seat, text) for seat, text in actions if is_card(text)][skipped:]
    if contract != "suit":
        won = count_tricks(tricks_of(plays, None), declarer)
        made = won == 0 if contract == "betl" else won == len(plays) // 3
        value = rules.tariff[contract] * 2 ** after.count("flek_game")
        return ledger(declarer, capped(value if made else -value, rules))
    if len(plays) != 3 * rules.hand_size:
        return None
    trump = trump_suit(record, actions, rules)
    value = suit_value(actions, plays, declarer, trump, rules)
    return ledger(declarer, capped(value * (2 if trump == "h" else 1), rules))


def trump_suit(record: dict[str, Any], actions: list[tuple[int, str]], rules: Rules) -> str:
    if rules.dealing == "talon":
        return next(text[-1] for _, text in actions if text.startswith("trump_"))
    if actions[0][1] != "blind":
        return actions[0][1][1]
    k = rules.hand_size
    first, others = k + 2 - k // 2, -(-k // 2)
    return str(record["deck"][first + 2 * others][1])


def ledger(declarer: int, value: int) -> list[int]:
    return [2 * value if seat == declarer else -value for seat in range(3)]


def capped(value: int, rules: Rules) -> int:
    if rules.max_payment is None:
        return value
    return max(-rules.max_payment, min(rules.max_payment, value))


def tricks_of(
    plays: list[tuple[int, str]], trump: str | None
) -> list[tuple[int, list[tuple[int, str]]]]:
    """(winner, cards) of every whole trick."""
    order = ORDER["suit" if trump else "no trumps"]
    found = []
    for at in range(0, len(plays) - 2, 3):
        trick = plays[at : at + 3]
        led = trick[0][1][1]

        def power(play: tuple[int, str], led: str = led) -> tuple[int, int]:
            rank, suit = play[1]
            return (2 if suit == trump else 1 if suit == led else 0, order.index(rank))

        found.append((max(trick, key=power)[0], trick))
    return found


def count_tricks(tricks: list[Any], seat: int) -> int:
    return sum(winner == seat for winner, _ in tricks)


def suit_value(
    actions: list[tuple[int, str]],
    plays: list[tuple[int, str]],
    declarer: int,
    trump: str,
    rules: Rules,
) -> int:
    tricks = tricks_of(plays, trump)
    points = {True: 0, False: 0}  # by side, True for the declarer
    for winner, trick in tricks:
        points[winner == declarer] += 10 * sum(text[0] in "AT" for _, text in trick)
    points[tricks[-1][0] == declarer] += 10
    marriages: dict[bool, list[int]] = {True: [], False: []}
    for at, (seat, text) in enumerate(plays):
        if text[0] == "Q" and (seat, "K" + text[1]) in plays[at:]:
            marriages[seat == declarer].append(40 if text[1] == trump else 20)

    # What was announced, by which side, and how often it was doubled.
    hundred: bool | None = None
    seven: bool | None = None
    levels = {"flek_game": 0, "flek_seven": 0}
    for seat, text in actions:
        if text == "hundred":
            hundred = seat == declarer
            levels["flek_game"] = 0
        elif text == "seven":
            seven = seat == declarer
        elif text in levels:
            levels[text] += 1

    def qualifying(side: bool) -> int:
        scored = marriages[side] or [0]
        return {"best": max(scored), "first": scored[0], "all": sum(scored)}[
            rules.qualifying_marriage
        ]

    def rung(base: int, tens: int) -> int:
        return {
            "doubling": base * 2**tens,
            "linear": base * (tens + 1),
            "fixed": base,
        }[rules.hundred_steps]

    needed = 10 * sum(r in "AT" for r in rules.ranks) * len(rules.suits) + 20
    reached = {side: points[side] + qualifying(side) >= needed for side in (True, False)}

    # The trump 7 in the last trick.
    last = [seat for seat, text in plays[-3:] if text == "7" + trump]
    last_won = bool(last) and tricks[-1][0] == last[0]
    last_side = last[0] == declarer if last else None
    seven_made = seven is not None and last_side == seven and last_won
    together = rules.seven_hundred_together and seven is not None and seven == hundred
    both = together and seven_made and reached[bool(seven)]

    if hundred is not None:
        total = points[hundred] + sum(marriages[hundred])
        if reached[hundred]:
            game = rung(4, (total - needed) // 10)
            if together and not both:
                game = -4
        else:
            short = needed - 10 - points[hundred] - qualifying(hundred)
            if rules.opponents_marriages_in_failed_hundred:
                short += sum(marriages[not hundred])
            game = -rung(4, short // 10)
        game *= 1 if hundred else -1
    else:
        game = quiet_game(points, marriages, qualifying, rung, needed, rules)
    value = game * 2 ** levels["flek_game"]
    if seven is not None:
        made = both if together else seven_made
        value += (2 if made == seven else -2) * 2 ** levels["flek_seven"]
    elif last:
        value += 1 if last_won == last_side else -1
    return value


def quiet_game(
    points: dict[bool, int],
    marriages: dict[bool, list[int]],
    qualifying: Any,
    rung: Any,
    needed: int,
    rules: Rules,
) -> int:
    for side in (True, False) if rules.defenders_quiet_hundred else (True,):
        counted = qualifying(side)
        if rules.quiet_hundred_marriages == "all":
            counted = sum(marriages[side])
        if points[side] + counted >= needed:
            worth: int = rung(2, (points[side] + sum(marriages[side]) - needed) // 10)
            return worth if side else -worth
    difference = points[True] + sum(marriages[True]) - points[False] - sum(marriages[False])
    if difference == 0:
        return -rules.tariff["suit"] if rules.dealing == "chosen_trump" else 0
    return rules.tariff["suit"] if difference > 0 else -rules.tariff["suit"]
