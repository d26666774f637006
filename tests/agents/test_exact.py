"""Exact methods on mini decks: the tree is the game, best responses are best, CFR converges."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from marias_agents.exact import (
    GameTree,
    TabularAgent,
    TabularCFR,
    best_response,
    build_tree,
    expected_payments,
    nash_conv,
)
from marias_env import RULES, DealBatch, Rules
from marias_env.core.bounds import max_actions, max_tokens, max_units
from marias_env.core.chance import (
    all_decks,
    blind_cards,
    deck_of,
    drawn,
    draws,
    outcome_of,
    packet_sizes,
    packets_of,
    put_first,
)
from marias_env.errors import AgentError


def mini(base: str = "online", **options: object) -> Rules:
    return dataclasses.replace(
        RULES[base],
        **{"suits": "h", "ranks": "TJQKA", "max_doublings": 0, **options},  # type: ignore[arg-type]
    )


@pytest.fixture(scope="module")
def tree() -> GameTree:
    return build_tree(mini())


@pytest.fixture(scope="module")
def trained(tree: GameTree) -> TabularCFR:
    return TabularCFR(tree).run(60)


def play(tree: GameTree, agents: list[TabularAgent | None], deals: int, seed: int) -> np.ndarray:
    """Payments by seat over random deals of the tree's game; None draws anew in every row.

    (The agent `random` would not do: it does the same at equal views, and a mini deck has few.)
    """
    batch = DealBatch(deals, tree.rules, seed=seed, autoreset=False)
    batch.set_decks(batch.deals["deck"][:, : tree.rules.num_cards].astype(np.int64), tree.dealer)
    while (batch.turn >= 0).any():
        actions = batch.sample_legal()
        for seat, agent in enumerate(agents):
            rows = np.flatnonzero(batch.turn == seat)
            if rows.size and agent is not None:
                views = batch.views(rows)
                actions[rows] = agent.act(views, views.legal_mask())
        batch.step(actions)
    return batch.payments


# ---------------------------------------------------------------------- chance


@pytest.mark.parametrize(
    ("rules", "sizes", "deals"),
    [
        (mini("traditional"), (3, 1, 1), 20),
        (mini("online"), (1, 1, 1, 2), 60),
        (mini("traditional", suits="sh", ranks="7TQK"), (3, 1, 2, 2), 1680),
        (mini("online", suits="h", ranks="789TJQKA"), (2, 2, 2, 2), 2520),
        (mini("traditional", suits="sh", ranks="789TJQK"), (4, 2, 4, 4), None),
        (RULES["traditional"], (7, 5, 10, 10), None),
        (RULES["online"], (10, 10, 10, 2), None),
    ],
)
def test_packets(rules: Rules, sizes: tuple[int, ...], deals: int | None) -> None:
    assert packet_sizes(rules) == sizes
    outcomes = math.prod(draw.outcomes for draw in draws(rules))
    if deals is None:
        with pytest.raises(ValueError, match="smaller deck"):
            all_decks(rules)
    else:
        decks = all_decks(rules)
        assert len(decks) == outcomes == deals
        assert len({deck.tobytes() for deck in decks}) == deals
    rng = np.random.default_rng(0)
    for _ in range(5):
        batch = DealBatch(1, rules, seed=int(rng.integers(1000)))
        before = batch.copy()
        packets = packets_of(rules, batch.deals["deck"][0])
        batch.set_decks(deck_of(rules, packets), before.dealer)
        for name in ("hands", "talon", "pending", "turn", "phase", "legal"):
            assert (batch.deals[name] == before.deals[name]).all()


def test_draws_are_inverted() -> None:
    for rules in (mini("traditional", suits="sh", ranks="7TQK"), RULES["traditional"]):
        rng = np.random.default_rng(1)
        left = [card for card in range(32) if rules.deck_mask >> card & 1]
        for draw in draws(rules):
            outcome = int(rng.integers(draw.outcomes))
            cards = drawn(left, draw, outcome)
            assert len(cards) == draw.size
            assert outcome_of(left, draw, cards) == outcome
            left = [card for card in left if card not in cards]


def test_blind_takes_the_card_put_first() -> None:
    rules = RULES["traditional"]
    for card in blind_cards(DealBatch(1, rules, seed=5).deals[0]):
        batch = DealBatch(1, rules, seed=5)
        seen = [batch.observe(seat).tobytes() for seat in range(3)]
        hands = batch.deals["hands"].copy()
        put_first(batch.deals[0], rules, card)
        assert [batch.observe(seat).tobytes() for seat in range(3)] == seen
        batch.step([32])
        assert batch.deals["trump_card"][0] == card
        assert (batch.deals["hands"] == hands).all()


@pytest.mark.parametrize(
    "rules",
    [
        *RULES.values(),
        mini("traditional", max_doublings=2),
        mini("online", suits="sh", ranks="7TQK", max_doublings=3),
        mini("additive", suits="scdh", ranks="7TQKA", max_doublings=16, max_payment=None),
    ],
    ids=str,
)
def test_bounds_hold(rules: Rules) -> None:
    batch = DealBatch(1500, rules, seed=3, autoreset=False)
    rng = np.random.default_rng(3)
    while (batch.turn >= 0).any():
        mask = batch.legal_mask()
        actions = batch.sample_legal()
        eager = rng.random(len(batch)) < 0.8
        for call in (43, 44, 45, 46, 47):  # bad, seven, hundred, raises
            actions[(mask[:, call] == 1) & eager] = call
        batch.step(actions)
    lengths = np.array([batch.tokens(seat)[1].max() for seat in range(3)])
    assert int(batch.deals["num_actions"].max()) <= max_actions(rules)
    assert lengths.max() <= max_tokens(rules)
    assert np.abs(batch.payments).max() <= max_units(rules)


# ---------------------------------------------------------------------- trees


def test_the_tree_is_the_game(tree: GameTree) -> None:
    roots = tree.parent < 0
    assert roots.sum() == 60
    assert tree.chance[roots].sum() == pytest.approx(1.0)
    assert (np.diff(tree.depth) >= 0).all()
    assert (tree.parent[~roots] < np.flatnonzero(~roots)).all()
    assert not tree.payments.sum(axis=1).any()
    over = tree.infoset < 0
    assert not tree.payments[~over].any()
    # Every choice is somewhere taken, and as often as its information set has nodes.
    nodes = np.bincount(tree.infoset[~over], minlength=tree.num_infosets)
    taken = np.bincount(tree.choice[~roots], minlength=tree.num_choices)
    assert (taken == nodes[tree.infoset_of_choice]).all()


def test_information_sets_are_views(tree: GameTree) -> None:
    # Random play: a seat's view names its information set, with the right actions.
    batch = DealBatch(300, tree.rules, seed=8, autoreset=False)
    batch.set_decks(batch.deals["deck"][:, :5].astype(np.int64), tree.dealer)
    while (batch.turn >= 0).any():
        views = batch.views(np.flatnonzero(batch.turn >= 0))
        infosets = tree.lookup(views)
        assert (infosets >= 0).all()
        assert (tree.seat[infosets] == views.seats).all()
        uniform = tree.action_probabilities(tree.uniform(), views)
        for mask, given in zip(views.legal_mask(), uniform):
            assert list(given) == np.flatnonzero(mask).tolist()
            assert sum(given.values()) == pytest.approx(1.0)
        batch.step(batch.sample_legal())
    other = DealBatch(1, "online", seed=0).views()
    assert tree.lookup(other).tolist() == [-1]
    with pytest.raises(KeyError):
        tree.action_probabilities(tree.uniform(), other)


def test_uniform_value_is_that_of_random_play(tree: GameTree) -> None:
    payments = play(tree, [None] * 3, 30_000, seed=1)
    error = payments.std(axis=0) / math.sqrt(len(payments))
    exact = expected_payments(tree, tree.uniform())
    assert exact.sum() == pytest.approx(0.0, abs=1e-9)
    assert (np.abs(payments.mean(axis=0) - exact) < 4 * error).all()


def test_too_large_a_tree_is_refused() -> None:
    with pytest.raises(ValueError, match="too many nodes"):
        build_tree(mini(suits="sh", ranks="7TQK"), max_nodes=50_000)


def test_a_blind_trump_branches() -> None:
    # 14 cards: two of forehand's are unseen, so a blind choice turns up either.
    from marias_agents.exact import tree as module

    rules = mini("traditional", suits="sh", ranks="789TJQK")
    batch = DealBatch(2, rules, seed=0, autoreset=False)
    row, taken = np.nonzero(batch.legal_mask())
    rows, actions, chance, deals = module._children(batch, row, taken)
    assert len(rows) == len(row) + 2
    assert chance[actions == 32].tolist() == [0.5] * 4
    deals.step(actions.astype(np.int64))
    turned = deals.deals["trump_card"][actions == 32]
    assert len(set(turned[:2].tolist())) == len(set(turned[2:].tolist())) == 2


# ---------------------------------------------------------------------- policies


@pytest.mark.parametrize("seat", range(3))
def test_best_response_against_random_agrees_with_simulation(tree: GameTree, seat: int) -> None:
    uniform = tree.uniform()
    value, response = best_response(tree, uniform, seat)
    assert value > expected_payments(tree, uniform)[seat] + 2
    assert expected_payments(tree, response)[seat] == pytest.approx(value)
    agents: list[TabularAgent | None] = [None] * 3
    agents[seat] = TabularAgent(tree, response)
    payments = play(tree, agents, 20_000, seed=2)[:, seat]
    error = payments.std() / math.sqrt(len(payments))
    assert abs(payments.mean() - value) < 4 * error


def test_best_response_beats_every_other_policy(tree: GameTree, trained: TabularCFR) -> None:
    rng = np.random.default_rng(0)
    average = trained.average()
    of = tree.infoset_of_choice
    mine = tree.seat[of] == 1
    for policy in (tree.uniform(), average):
        value, _ = best_response(tree, policy, 1)
        for _ in range(5):
            draw = rng.random(tree.num_choices) ** 4
            draw /= np.bincount(of, weights=draw)[of]
            other = np.where(mine, draw, policy)
            assert expected_payments(tree, other)[1] <= value + 1e-9


def test_cfr_converges(tree: GameTree, trained: TabularCFR) -> None:
    uniform = nash_conv(tree, tree.uniform())
    assert uniform == pytest.approx(19.6944444, abs=1e-6)
    solver = TabularCFR(tree)
    values = [uniform]
    for iterations in (5, 15):
        values.append(nash_conv(tree, solver.run(iterations).average()))
    values.append(nash_conv(tree, trained.average()))
    assert values == sorted(values, reverse=True)
    assert values[-1] < 0.005 * uniform
    plain = TabularCFR(tree, plus=False).run(60)
    assert nash_conv(tree, plain.average()) < 0.1 * uniform
    average = trained.average()
    sums = np.bincount(tree.infoset_of_choice, weights=average)
    assert np.allclose(sums, 1.0)
    # Forehand, who names the contract, wins 4 units in equilibrium; the others pay two each.
    assert np.allclose(expected_payments(tree, average), [4, -2, -2], atol=0.1)


def test_a_solved_game_is_played(tree: GameTree, trained: TabularCFR) -> None:
    average = trained.average()
    means = []
    for seed in range(100):  # an agent does the same at equal views: mixing shows across seeds
        agents = [TabularAgent(tree, average, seed=3 * seed + seat) for seat in range(3)]
        means.append(play(tree, agents, 150, seed).mean(axis=0))
    error = np.std(means, axis=0) / math.sqrt(len(means)) + 1e-3
    assert (np.abs(np.mean(means, axis=0) - expected_payments(tree, average)) < 4 * error).all()


def test_agents_know_their_game(tree: GameTree) -> None:
    views = DealBatch(3, "online", seed=0).views()
    with pytest.raises(AgentError, match="not in its game tree"):
        TabularAgent(tree, tree.uniform()).act(views, views.legal_mask())
    lenient = TabularAgent(tree, tree.uniform(), others="random")
    masks = views.legal_mask()
    actions = lenient.act(views, masks)
    assert masks[np.arange(3), actions].all()
    assert (actions == lenient.act(views, masks)).all()
    with pytest.raises(ValueError, match="expected"):
        expected_payments(tree, np.ones(3))
