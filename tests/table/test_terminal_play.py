"""`marias play` with its input from a pipe: whole deals, advice, errors, matches."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from marias_env.showing.layout import visible
from marias_env.showing.phrases import LANGUAGES, phrases
from tests.table.terminal import QUICK, finished, numbers, play, records

PRESETS = ("traditional", "online", "additive")
NOT_RULES = ("--rules", "traditional,suits=sh,ranks=9TQK,illegal_action=revoke")


def deals(typed: str, count: int) -> str:
    """Answers for so many deals: between two deals a number means nothing and Enter the next."""
    return "".join(f"{typed}\n" for _ in range(count))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("preset", PRESETS)
def test_whole_deals_from_a_pipe(preset: str, language: str, tmp_path: Path) -> None:
    file = tmp_path / "deals.jsonl"
    seed = PRESETS.index(preset) * 2 + LANGUAGES.index(language)
    told = play(
        numbers(seed, 80) + "\n" + numbers(seed + 1, 80),
        *(str(file), "--rules", preset, "--lang", language, "--seed", str(seed), *QUICK),
        *("--seat", str(seed % 3), "--no-analysis", "--name", "Eva"),
    )
    assert told.exit_code == 0, told.output
    whole = finished(file)
    assert whole
    assert {record["rules"] for record in whole} == {preset}
    words = phrases(language)
    assert words["settlement"] in told.stdout
    assert words["terminal_after"] in told.stdout
    assert f"marias play --resume {file}" in told.stdout
    for record in whole:
        assert record["seats"][seed % 3] == {"kind": "person"}
        assert record["players"].count("Eva") == 1
        acted = [seat for seat, _ in record["actions"]]
        assert [by == "person" for by in record["by"]] == [seat == seed % 3 for seat in acted]
        for seat, units in enumerate(record["payments"]):
            assert f"{seat} {'Eva' if seat == seed % 3 else 'rules'}" in told.stdout
            assert f"{units:+d}  (" in told.stdout
    assert "\x1b" not in told.stdout  # it is no terminal


def test_a_match_goes_to_its_end_and_names_the_winner(tmp_path: Path) -> None:
    file = tmp_path / "match.jsonl"
    typed = "".join(numbers(5, 80) + "\n" for _ in range(4))
    told = play(typed, str(file), "--match", "2", "--seed", "5", *QUICK, "--no-analysis")
    assert told.exit_code == 0, told.output
    for line in ("Deal 1 of 2", "Deal 2 of 2", "The match is over · Winner: "):
        assert line in told.stdout
    # Enter began another one; its first deal counts from the beginning.
    assert [record["sitting"]["number"] for record in records(file)][:3] == [1, 2, 1]
    totals = [sum(r["payments"][seat] for r in finished(file)[:2]) for seat in range(3)]
    winner = f"Winner: {', '.join(_name(s) for s in range(3) if totals[s] == max(totals))}"
    assert winner in told.stdout
    assert records(file)[0]["sitting"]["match"] == {"deals": 2, "points": None}


def _name(seat: int) -> str:
    return f"{seat} {'Player' if seat == 0 else 'rules'}"


def test_it_plays_where_an_event_loop_is_running_already(tmp_path: Path) -> None:
    # As in a notebook, or in a test after one that drives a browser from the same process.
    async def inside() -> None:
        told = play("?\n1\n" * 40, str(tmp_path / "deals.jsonl"), "--seed", "3", *QUICK)
        assert told.exit_code == 0, told.stdout
        assert "rules would do: " in told.stdout
        assert "What each card cost" in told.stdout

    # In a thread of its own, since here such a test may have come before.
    with ThreadPoolExecutor(1) as one:
        one.submit(asyncio.run, inside()).result()


def test_equal_seeds_deal_equal_cards(tmp_path: Path) -> None:
    files = [tmp_path / f"{name}.jsonl" for name in "abc"]
    for file, seed in zip(files, ("1", "1", "2"), strict=True):
        play("1\n" * 60 + "\n1\n", str(file), "--seed", seed, *QUICK, "--no-analysis")
    decks = [[record["deck"] for record in records(file)] for file in files]
    assert decks[0] == decks[1] != decks[2]
    assert len(decks[0]) == 2
    assert decks[0][0] != decks[0][1]


def test_advice_and_what_may_be_looked_up(tmp_path: Path) -> None:
    file = tmp_path / "deals.jsonl"
    typed = "?\n1\nwhy\nlast\nscore\nrules\nhelp\ntable\nnext\n" + "why\n?\n1\nlast\n" * 30
    told = play(typed, str(file), "--seed", "3", *QUICK, "--no-analysis")
    out = told.stdout
    assert told.exit_code == 0, out
    for text in (
        "rules would do: good (1)",
        "the choice of rules, which gives no reasons",
        "No trick has been finished yet.",
        "Total           0 Player +0 · 1 rules +0 · 2 rules +0",
        "A seven nobody announced",
        "what an agent would do, and why",
        "First this deal.",
        "These are all the things that may be said here",
        "Follow suit: ",
        "(not allowed now: ",
    ):
        assert text in out, text
    assert records(file)[0]["by"].count("person+hint") >= 2


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("nonsense", "nonsense: neither one of these nor a command"),
        ("0", "0: the numbers go from 1 to 2."),
        ("3", "3: the numbers go from 1 to 2."),
        ("99999999999999999999", "999999: the numbers go from 1 to 2."),
        ("", "Choose something"),
        ("!", "Choose something"),
        ("Kh", "You do not hold this card."),
        ("betl", "Not possible now. Possible: good, bad."),
        ("x" * 5000, "xxx...: neither"),
        ("\x1b[31mred\x00", "neither one of these"),
    ],
)
def test_bad_input_gets_one_line_and_is_asked_again(
    typed: str, answer: str, tmp_path: Path
) -> None:
    file = tmp_path / "deals.jsonl"
    told = play(f"{typed}\n", str(file), "--seed", "3", *QUICK)
    assert told.exit_code == 0, told.output
    after = told.stdout.partition("\n>")[2].splitlines()[1:]
    assert answer in after[0]
    assert "What do you say?" in after[1]
    assert all(by != "person" for by in records(file)[0]["by"])


def test_a_forbidden_card_says_which_rule(tmp_path: Path) -> None:
    file = tmp_path / "deals.jsonl"
    # The queen of clubs was led; there are clubs in the hand, two of them higher.
    told = play("1\n1\n1\n1\nKd\n7c\n", str(file), "--seed", "3", *QUICK)
    assert "Follow suit: clubs were led." in told.stdout
    assert "Beat the queen of clubs: you hold a higher one." in told.stdout


def test_a_revoke_is_played_with_an_exclamation_mark(tmp_path: Path) -> None:
    file = tmp_path / "deals.jsonl"
    rules = "traditional,illegal_action=revoke"
    told = play(
        "1\n1\n1\n1\nKd\nKd!\n", str(file), "--seed", "3", "--rules", rules, *QUICK, "--no-analysis"
    )
    assert "with ! behind it" in told.stdout
    assert "revoke by player 0" in told.stdout
    assert finished(file)[0]["actions"][-1] == [0, "Kd"]


def test_two_cards_are_put_away_by_one_line(tmp_path: Path) -> None:
    file = tmp_path / "deals.jsonl"
    told = play("suit\n8d, 7c\nspades\n", str(file), "--rules", "online", "--seed", "1",
                "--seat", "2", *QUICK)  # fmt: skip
    actions = [action for seat, action in records(file)[0]["actions"] if seat == 2]
    assert actions[:4] == ["suit", "8d", "7c", "trump_s"], told.stdout


@pytest.mark.parametrize("columns", [60, 80])
def test_nothing_is_wider_than_it_should_be(
    columns: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("marias_table.terminal.command.columns", lambda least, most: columns - 1)
    typed = "?\nwhy\nhelp\nrules\nscore\nlast\n" + numbers(0, 100)
    for language in LANGUAGES:
        file = tmp_path / f"{language}.jsonl"
        told = play(typed, str(file), "--seed", "3", *QUICK, "-l", language)
        assert phrases(language)["analysis"] in told.stdout
        for line in told.stdout.splitlines():
            if str(tmp_path) not in line and not line.startswith(">"):
                assert visible(line) < columns, line


def test_watching_needs_nobody(tmp_path: Path) -> None:
    file = tmp_path / "watch.jsonl"
    told = play("", str(file), "--seat", "watch", "--agent", "rules", "--match", "2", "--adviser",
                "rules", "--seed", "4", "--no-analysis")  # fmt: skip
    assert told.exit_code == 0, told.output
    assert len(finished(file)) == 2
    assert "The match is over" in told.stdout
    assert "▒" not in told.stdout  # whoever watches agents sees all cards


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--rules", "unheard"), "unknown rules: 'unheard'"),
        (("--rules", "online,max_doublings=x"), "max_doublings"),
        (("--agent", "nobody"), "--agent nobody: "),
        (("--adviser", "nobody"), "--adviser nobody: "),
        (("--agent", "rules", "--agent", "rules", "--agent", "rules"), "--agent 3 times"),
        (("--seat", "3"), "expected 0, 1, 2 or watch"),
        (("--match", "0"), "match deals"),
        (("--match", "x"), "match deals"),
        (("--match", "3,20"), "expected standard, 6 or 20,points=20"),
        (("--match", "3,points=0"), "match points"),
        (("--lang", "de"), "expected one of en, cs"),
        (("--name", "x" * 30), "expected at most 24"),
    ],
)
def test_bad_options_are_one_clear_line(
    arguments: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    file = tmp_path / "deals.jsonl"
    told = play("", str(file), "--seed", "1", *arguments)
    assert told.exit_code == 2
    assert message in " ".join(told.stderr.replace("│", " ").split())
    assert not file.exists()


def test_the_choice_of_trumps_lists_cards_beside_each_other(tmp_path: Path) -> None:
    file = tmp_path / "deals.jsonl"
    told = play("naslepo\n", str(file), "--seed", "2", *QUICK)
    assert " 1) 8♥  2) 7♥  3) 10♠  4) J♠  5) 10♦  6) 8♦  7) A♣\n 8) blind " in told.stdout
    assert "1 rules  " in told.stdout  # no role yet, and nothing that separates it
    assert records(file)[0]["actions"][0] == [0, "blind"]
    told = play("2\nhra\n", "--resume", str(file), "--adviser", "rules", "-l", "en")
    assert [action for _, action in records(file)[0]["actions"]][:2] == ["blind", "betl"]
