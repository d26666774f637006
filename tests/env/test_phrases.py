"""The one table of words: both languages whole, and enough of them for every option and rule."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from marias_env.rules import CHOICES, RULES, Rules
from marias_env.showing.phrases import LANGUAGES, phrases
from marias_env.showing.rules_text import rules_text


def test_both_languages_have_the_same_words_with_the_same_gaps():
    english, czech = phrases("en"), phrases("cs")
    assert english.keys() == czech.keys()
    for key in english:
        gaps = [sorted(re.findall(r"\{\w*\}", words[key])) for words in (english, czech)]
        assert gaps[0] == gaps[1], key
        assert english[key].strip(), key
        assert czech[key].strip(), key


def test_every_phrase_is_used():
    tables = {"event_phrases.py", "option_phrases.py", "table_phrases.py"}
    root = Path(__file__).parents[2]
    code = ""
    for folder in (root / "marias_env", root / "agents", root / "training"):
        for path in sorted(folder.rglob("*")):
            if path.suffix in (".py", ".js", ".html") and path.name not in tables:
                text = path.read_text("utf-8")
                if path.name == "phrases.py":  # the words themselves are no use of them
                    text = text[: text.index("_EN: Final")] + text[text.index("def _names") :]
                code += text
    words = set(re.findall(r"\w+", code))
    # What is put together: f"card_{card}" in Python, `card_${card}` or "card_" + card in the page.
    beginnings = set(re.findall(r"""["'`]([a-z]+(?:_[a-z]+)*_)(?:\$?\{|["']\s*\+)""", code))
    assert "card_" in beginnings
    unused = [
        key for key in phrases("en") if key not in words and not key.startswith(tuple(beginnings))
    ]
    assert unused == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_option_value_and_preset_has_words(language):
    words = phrases(language)
    for field in dataclasses.fields(Rules):
        assert words[f"option_{field.name}"]
        assert words[f"option_{field.name}_help"]
        for value in CHOICES.get(field.name, ()):
            assert words[f"option_{field.name}_{value}"]
    for preset in RULES:
        assert words[f"preset_{preset}"]
        assert words[f"preset_{preset}_text"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("preset", RULES)
def test_rules_in_short_hold_the_presets_own_numbers(preset, language):
    rules = RULES[preset]
    text = "\n".join(line for _, lines in rules_text(rules, language, preset) for line in lines)
    assert not re.search(r"[{}]", text)
    assert ("kajzr 64" in text) == (rules.max_doublings >= 6)
    assert (str(rules.max_payment) in text) == (rules.max_payment is not None)
    last_heading = rules_text(rules, language, preset)[-1][0]
    assert last_heading in ("A match", "Zápas")


def test_rules_in_short_follow_the_options():
    small = dataclasses.replace(
        RULES["traditional"],
        suits="sh",
        ranks="789TQKA",
        max_doublings=2,
        tariff={"betl": 7},
        blind_trump=False,
    )
    sections = dict(rules_text(small, "en", "traditional"))
    text = "\n".join(line for lines in sections.values() for line in lines)
    assert f"{small.num_cards} cards" in text
    assert "flek 2, re 4." in text
    assert "tutti" not in text
    assert "Betl: Lose every trick. No trumps. Pays 7." in text
    assert "blind" not in "\n".join(sections["Deal and trumps"])
    assert sections["Changed at this table"] == [
        "Most doublings: 2",
        "Blind trumps: no",
        "Tariff: suit game 1, betl 7, durch 10, open betl 10, open durch 20",
        "Suits of the deck: sh",
        "Ranks of the deck: 789TQKA",
    ]
