"""One deal as one file: the viewer's page with everything in it, for whoever has a browser.

Nothing is fetched and nothing is sent, which the file's own content security policy makes sure of:
scripts, styles, cards, words and the deal itself stand in it, what is long compressed.
"""

from __future__ import annotations

import base64
import gzip
import html
import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from marias_agents.action_values import action_values
from marias_env.records import each_position
from marias_env.showing.card_faces import DECKS, face_sheet
from marias_env.showing.phrases import LANGUAGES, phrases
from marias_env.views import Views
from marias_table import worker
from marias_table.film import RECEIVERS, actions_of_record, film, options_at
from marias_table.requests import told_advice

STATIC: Final = Path(__file__).parent / "static"
_IMPORT: Final = re.compile(r'from "\./([a-z_]+)\.js"|import "\./([a-z_]+)\.js"')
_POLICY: Final = (
    "default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline'; "
    "img-src data:; base-uri 'none'; form-action 'none'"
)


def share_html(
    record: Mapping[str, Any],
    specs: Sequence[str] = (),
    language: str = "en",
    progress: Callable[[int, int], None] | None = None,
) -> str:
    """Returns a deal as an HTML document that needs no server and no network.

    Args:
        record: a deal record, finished or not.
        specs: agents whose choices are shown, each made from what its seat knows.
        language: that it opens in; it holds both.
        progress: is called with positions done and positions in all.

    Raises:
        AgentError: no such agent.
        RecordError: a malformed or illegal record.
        ValueError: no such language.
    """
    phrases(language)  # an unknown one is refused before anything is worked out
    page = (STATIC / "view.html").read_text(encoding="utf-8")
    content = {
        "language": language,
        "record": dict(record),
        "words": {lang: phrases(lang) for lang in LANGUAGES},
        "cards": {deck: face_sheet(deck) for deck in DECKS},
        "agents": list(specs),
        **_deal(record, specs, progress),
    }
    page = re.sub(r'<link rel="stylesheet" href="([^"]+)">\n', lambda m: _style(m[1]), page)
    page = re.sub(r'<link rel="icon"[^>]*>\n', "", page)
    page = re.sub(
        r'<script type="module" src="js/([a-z_]+)\.js"></script>\n', lambda m: _scripts(m[1]), page
    )
    head = f'<meta http-equiv="content-security-policy" content="{html.escape(_POLICY)}">\n'
    page = page.replace('<meta charset="utf-8">\n', f'<meta charset="utf-8">\n{head}', 1)
    packed = base64.b64encode(
        gzip.compress(json.dumps(content, ensure_ascii=False).encode(), mtime=0)
    ).decode()
    block = f'<script type="text/plain" id="shared">{packed}</script>\n'
    return page.replace("</head>", f"{block}</head>", 1)


def _deal(
    record: Mapping[str, Any],
    specs: Sequence[str],
    progress: Callable[[int, int], None] | None,
) -> dict[str, Any]:
    actions = actions_of_record(record)
    films = {lang: [film(record, receiver, lang) for receiver in RECEIVERS] for lang in LANGUAGES}
    options: dict[str, list[Any]] = {lang: [] for lang in LANGUAGES}
    advice: dict[str, list[Any]] = {lang: [] for lang in LANGUAGES}
    for at, batch in enumerate(each_position(record)):
        taken = actions[at] if at < len(actions) else None
        values = action_values(batch)
        views = batch.views() if batch.turn[0] >= 0 else None
        told = [] if views is None else [(spec, views, _advice(spec, views)) for spec in specs]
        for lang in LANGUAGES:
            options[lang].append(options_at(batch, taken, values, lang))
            advice[lang].append(
                [
                    {"agent": spec, **told_advice(seen.deals[0], seen.rules, found, spec, lang)}
                    for spec, seen, found in told
                ]
            )
        if progress is not None:
            progress(at + 1, len(actions) + 1)
    return {"films": films, "options": options, "advice": advice}


def _advice(spec: str, views: Views) -> dict[str, Any]:
    return worker.advise(spec, views.deals.tobytes(), views.rules)


def _style(path: str) -> str:
    return f"<style>\n{(STATIC / path).read_text(encoding='utf-8')}</style>\n"


def _scripts(start: str) -> str:
    # Modules find each other by an import map: a file from the disk has no address to load from.
    found: dict[str, str] = {}

    def take(name: str) -> None:
        if name in found:
            return
        found[name] = ""
        text = (STATIC / "js" / f"{name}.js").read_text(encoding="utf-8")
        for match in _IMPORT.finditer(text):
            take(match[1] or match[2])
        found[name] = re.sub(r'((?:from|import) )"\./([a-z_]+\.js)"', r'\1"marias/\2"', text)

    take(start)
    places = {
        f"marias/{name}.js": "data:text/javascript;base64,"
        + base64.b64encode(text.encode()).decode()
        for name, text in found.items()
    }
    listed = json.dumps({"imports": places})
    return (
        f'<script type="importmap">{listed}</script>\n'
        f'<script type="module">import "marias/{start}.js";</script>\n'
    )
