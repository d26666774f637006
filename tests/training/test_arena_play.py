from __future__ import annotations

import numpy as np
import pytest

from marias_env import DealBatch
from marias_env.actions import OVER
from marias_env.errors import AgentError, DeckError
from marias_env.records import validate
from marias_training.arena.chunk import common_deals
from marias_training.play import play
from tests.training.arena_helpers import Array, First, Last, Moody, Recorder

SEATING = np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0], [0, 0, 1], [0, 0, 0], [1, 1, 1]])


def deals(n: int, rules: str = "traditional", seed: int = 5) -> tuple[Array, Array]:
    from marias_env.rules import get_rules

    return common_deals(get_rules(rules), seed, 0, n)


@pytest.mark.parametrize("rules", ["traditional", "online", "additive"])
@pytest.mark.parametrize("share", [True, False])
def test_same_as_every_deal_played_alone(rules: str, share: bool) -> None:
    decks, dealers = deals(6, rules)
    agents = [First(), Last()]
    played = play(decks, dealers, SEATING, agents, rules, share)
    assert (played.deals["phase"] == OVER).all()
    assert (played.payments.sum(axis=1) == 0).all()
    for row in range(6):
        single = DealBatch(1, rules, seed=0, autoreset=False)
        single.set_decks(decks[row], int(dealers[row]))
        while single.turn[0] >= 0:
            agent = agents[SEATING[row, single.turn[0]]]
            single.step(agent.act(single.views(), single.legal_mask()))
        assert single.payments[0].tolist() == played.payments[row].tolist()
        length = int(single.deals["num_actions"][0])
        assert (
            single.deals["history"][0, :length].tolist()
            == played.deals["history"][row, :length].tolist()
        )


def test_agents_get_only_views_of_their_own_seats() -> None:
    decks, dealers = deals(6)
    recorder = Recorder()
    played = play(decks, dealers, SEATING, [recorder, Last()], share=False)
    assert played.use[0].decisions == sum(len(views) for views in recorder.given)
    for views in recorder.given:
        assert (views.deals["viewer"] == views.deals["turn"]).all()
        hidden = np.arange(3) != views.deals["viewer"][:, None]
        assert (views.deals["hands"][hidden] == 0).all()


def test_one_call_per_agent_and_sweep() -> None:
    decks, dealers = deals(50)
    played = play(decks, dealers, [0, 1, 1], [First(), Last()])
    longest = int(played.deals["num_actions"].max())
    assert all(use.calls <= longest for use in played.use)
    total = int(played.deals["num_actions"].sum())
    assert sum(use.decisions for use in played.use) == total


def test_equal_views_are_asked_once() -> None:
    decks, dealers = deals(1)
    same = np.repeat(decks, 20, axis=0)
    recorder = Recorder()
    played = play(same, int(dealers[0]), [0, 0, 0], [recorder])
    assert all(len(views) == 1 for views in recorder.given)
    assert played.use[0].decisions == 20 * played.use[0].asked
    assert len(np.unique(played.payments, axis=0)) == 1


def test_records_replay_and_name_the_agents() -> None:
    decks, dealers = deals(6, "online")
    played = play(decks, dealers, SEATING, [First(), Last()], "online")
    for row in range(6):
        record = played.record(row, deal=row)
        validate(record)
        assert record["agents"] == [("first", "last")[index] for index in SEATING[row]]
        assert record["payments"] == played.payments[row].tolist()


class Wrong(First):
    name = "wrong"

    def __init__(self, answer: object, after: int = 0) -> None:
        self.answer = answer
        self.after = after

    def act(self, views: object, masks: Array) -> Array:
        self.after -= 1
        if self.after >= 0:
            return np.argmax(masks, axis=1)
        if callable(self.answer):
            return np.asarray(self.answer(masks))
        return np.asarray(self.answer)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda m: np.argmin(m, axis=1), r"'wrong': action \d+ .* not legal for seat 1 in phase"),
        (lambda m: np.full(len(m), 48), r"action 48 \(out of range\)"),
        (lambda m: np.full(len(m), -1), r"action -1 \(out of range\)"),
        (lambda m: np.argmax(m, axis=1).astype(float), "dtype float64"),
        (lambda m: np.argmax(m, axis=1)[:-1], r"shape \(3,\)"),
        (lambda m: None, r"shape \(\)"),
    ],
)
def test_illegal_agent(answer: object, message: str) -> None:
    decks, _ = deals(4)
    with pytest.raises(AgentError, match=message):
        play(decks, 0, [0, 0, 0], [Wrong(answer)])
    # Later in the deal too: the error comes whatever the phase.
    with pytest.raises(AgentError, match="wrong"):
        play(decks, 0, [0, 0, 0], [Wrong(answer, after=12)])


def test_an_agent_that_paints_its_mask_is_caught() -> None:
    class Painter(First):
        name = "painter"

        def act(self, views: object, masks: Array) -> Array:
            illegal = np.argmin(masks, axis=1)
            masks[:] = 1
            return illegal

    decks, dealers = deals(4)
    with pytest.raises(AgentError, match="painter"):
        play(decks, dealers, [0, 0, 0], [Painter()])


def test_bad_arguments() -> None:
    decks, dealers = deals(4)
    with pytest.raises(ValueError, match="seating"):
        play(decks, dealers, [0, 0, 1], [First()])
    with pytest.raises(ValueError, match="seating"):
        play(decks, dealers, [0, 0, 0], [])
    with pytest.raises(DeckError):
        play(decks[:, :30], dealers, [0, 0, 0], [First()])
    with pytest.raises(DeckError):
        play(decks, 3, [0, 0, 0], [First()])


def test_a_stateful_agent_plays_too() -> None:
    decks, dealers = deals(10)
    played = play(decks, dealers, [0, 1, 0], [Moody(1), Moody(2)])
    assert (played.payments.sum(axis=1) == 0).all()
