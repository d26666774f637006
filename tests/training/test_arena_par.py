from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from marias_agents.solver import solve
from marias_env.actions import PLAY
from marias_env.records import read_records, replay
from marias_env.rules import Rules, get_rules
from marias_training.arena import ControlVariate, evaluate, fit_variate
from marias_training.arena.chunk import common_deals
from marias_training.arena.par import bidding_lengths, first_leads, par_payments
from marias_training.arena.tables import grids
from marias_training.play import play
from tests.training.arena_helpers import First, Last


def test_first_leads_are_the_positions_before_the_first_card() -> None:
    rules = get_rules("online")
    decks, dealers = common_deals(rules, 3, 0, 20)
    played = play(decks, dealers, [0, 1, 0], [First(), Last()], rules)
    lengths = bidding_lengths(played.deals)
    batch = first_leads(played.deals, rules, lengths)
    assert (batch.deals["phase"] == PLAY).all()
    assert (batch.deals["tricks"] == 0).all()
    assert (batch.deals["in_trick"] == 0).all()
    assert (batch.deals["num_actions"] == lengths).all()
    assert (batch.deals["contract"] == played.deals["contract"]).all()


def test_par_is_the_solver_s_value_at_the_first_lead(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    found = evaluate(["good", "random"], deals=6, par=True, records=file)
    values = np.zeros(6)
    for record in read_records(file, check=False):
        contracts = ("suit", "betl", "durch", "open_betl", "open_durch")
        declarer = [seat for seat, action in record["actions"] if action in contracts][-1]
        begun = ({**record, "actions": record["actions"][:n], "payments": None} for n in range(40))
        value = solve(next(b for b in begun if replay(b).phase[0] == PLAY))["value"]
        paid = np.full(3, -value)
        paid[declarer] = 2 * value
        seats = np.array(record["agents"])
        values[record["deal"]] += (
            paid[seats == "good"].mean() - paid[seats == "random"].mean()
        ) / 6
    pair = found.pair("good", "random")
    assert pair.bidding["raw"].mean == pytest.approx(values.mean())
    for metric in ("raw", "capped"):
        total = getattr(pair, metric).mean
        assert pair.bidding[metric].mean + pair.play[metric].mean == pytest.approx(total)
    back = found.pair("random", "good")
    assert back.play["raw"].mean == -pair.play["raw"].mean
    assert "Bidding and card play" in [grid.title for grid in grids(found)]
    assert evaluate(["good", "random"], deals=6).pair("good", "random").bidding == {}


def test_unplayed_deals_count_what_was_paid() -> None:
    rules = Rules(unplayed_plain_suit=True)
    decks, dealers = common_deals(rules, 0, 0, 10)
    from marias_agents.registry import make

    played = play(decks, dealers, [0, 0, 0], [make("good")], rules)
    assert (par_payments(played.deals, rules) == played.payments).all()


def seat_of_the_ace(decks: np.ndarray, dealers: np.ndarray, rules: Rules) -> np.ndarray:
    return np.argmax(decks == 31, axis=1).astype(float)


def test_control_variate() -> None:
    fitted = fit_variate("ace", seat_of_the_ace, ["good", "random"], deals=200, chunk=100)
    assert set(fitted.coefficients) == {"raw", "capped"}
    assert 12 < fitted.mean < 19
    with pytest.raises(ValueError, match="pair"):
        fit_variate("ace", seat_of_the_ace, ["good", "random", "first"])
    plain = evaluate(["good", "random"], deals=200)
    found = evaluate(["good", "random"], deals=200, chunk=50, variates=[fitted])
    pair = found.pair("good", "random")
    assert pair.raw == plain.pair("good", "random").raw
    adjusted = pair.adjusted["ace"]
    values = seat_of_the_ace(*common_deals(get_rules("traditional"), 0, 0, 200), Rules())
    by_hand = pair.per_deal["raw"] - fitted.coefficients["raw"] * (values - fitted.mean)
    assert adjusted.intervals["raw"].mean == pytest.approx(by_hand.mean())
    assert adjusted.saved["raw"] == pytest.approx(1 - by_hand.var() / pair.per_deal["raw"].var())
    assert abs(adjusted.saved["raw"]) < 0.1  # a useless variate costs next to nothing
    assert "Control variates" in [grid.title for grid in grids(found)]


def test_a_good_variate_saves_what_it_explains() -> None:
    # The variate is the deal's own difference in a part: half of the deviation is known luck.
    base = evaluate(["good", "random"], deals=300)
    luck = base.pair("good", "random").per_deal["capped"]

    def known(decks: np.ndarray, dealers: np.ndarray, rules: Rules) -> np.ndarray:
        return luck

    variate = ControlVariate("luck", known, float(luck.mean()), {"capped": 0.5})
    pair = evaluate(["good", "random"], deals=300, chunk=300, variates=[variate])
    adjusted = pair.pair("good", "random").adjusted["luck"]
    assert adjusted.saved["capped"] == pytest.approx(0.75)
    assert adjusted.saved["raw"] == 0
    assert adjusted.intervals["capped"].mean == pytest.approx(luck.mean())
    half = pair.pair("good", "random").capped.half_width
    assert adjusted.intervals["capped"].half_width == pytest.approx(half / 2)
