/** Parts beside the play: the course of the deal, advice, the waiting room and the settlement. */
import { cardName, lying, suitSign } from "./cards.js";
import { settlement } from "./course.js";
import { act, ask, askAnalysis, copyLink, openDialog } from "./deeds.js";
import { h } from "./dom.js";
import { app, redraw, ui } from "./store.js";
import { capital, signed, t } from "./words.js";

/**
 * @typedef {import("./types.js").State} State
 */

/**
 * The adviser's choice.
 * @param {State} state
 */
export function hintView(state) {
  const hint = ui.hint;
  if (!hint) return null;
  if (hint === "wait") return h("p", { class: "hint", key: "hint" }, t("hint_wait"));
  return h(
    "section",
    { class: "hint", key: "hint", "aria-label": t("hint_title", hint.agent) },
    h("p", null, h("strong", null, capital(hint.label)), hint.reason ? ` – ${hint.reason}` : ""),
    hint.alternatives.length > 1
      ? h(
          "details",
          null,
          h("summary", null, t("hint_title", hint.agent)),
          h(
            "ul",
            { class: "plain" },
            hint.alternatives.slice(0, 6).map((one, index) =>
              h(
                "li",
                { key: `a${index}` },
                [
                  capital(one.label),
                  one.units === null ? "" : t("hint_units", one.units.toFixed(1)),
                  one.wins === null ? "" : t("hint_wins", Math.round(100 * one.wins)),
                ]
                  .filter(Boolean)
                  .join(" · "),
              ),
            ),
          ),
        )
      : null,
    h(
      "div",
      { class: "row" },
      state.legal.some((choice) => choice.action === hint.action)
        ? h(
            "button",
            { type: "button", class: "small-button main", "data-tool": "do-hint", onclick: () => void act(hint.action) },
            t("hint_do"),
          )
        : null,
      h(
        "button",
        {
          type: "button",
          class: "small-button",
          onclick: () => {
            ui.hint = null;
            redraw();
          },
        },
        t("close"),
      ),
    ),
  );
}

/**
 * A link to be sent to somebody.
 * @param {string} label
 * @param {string} path
 */
export function linkField(label, path) {
  const link = new URL(path, location.href).href;
  return h(
    "div",
    { class: "link", key: path },
    h("label", null, h("span", null, label), h("input", { type: "text", readonly: true, value: link, "data-link": path })),
    h(
      "button",
      { type: "button", class: "small-button", onclick: () => void copyLink(path) },
      ui.copied === path ? t("copied") : t("copy"),
    ),
  );
}

/**
 * Before the first deal, while chairs are open.
 * @param {State} state
 */
export function waitingRoom(state) {
  return h(
    "section",
    { class: "felt waiting", key: "felt" },
    h("h2", null, t("waiting_room")),
    h("p", null, t("waiting_help")),
    app.links?.join ? linkField(t("invite_link"), app.links.join) : null,
    app.links?.watch ? linkField(t("watch_link"), app.links.watch) : null,
    state.host
      ? h(
          "button",
          { type: "button", class: "big", "data-tool": "begin", onclick: () => void ask("start") },
          t("begin"),
        )
      : null,
  );
}

/**
 * How the deal ended.
 * @param {State} state
 */
export function resultView(state) {
  const result = state.result;
  if (!result) return null;
  const waiting = state.waiting_for.map((seat) => state.seats[seat].name);
  const asked = state.you !== null && state.waiting_for.includes(state.you);
  const match = state.match;
  return h(
    "div",
    { class: "result", key: "result", role: "region", "aria-label": t("settlement") },
    settlement(state),
    h(
      "div",
      { class: "row" },
      state.you !== null
        ? h(
            "button",
            {
              type: "button",
              class: "small-button main",
              "data-tool": "next",
              disabled: !asked,
              onclick: () => void ask("next"),
            },
            t(match?.over ? "next_match" : "next_deal"),
          )
        : null,
      h(
        "button",
        { type: "button", class: "small-button", "data-tool": "analysis", onclick: () => void askAnalysis() },
        t("analysis"),
      ),
      h(
        "button",
        { type: "button", class: "small-button", "data-tool": "dealt", onclick: () => openDialog("dealt") },
        t("hands_dealt"),
      ),
    ),
    !asked && waiting.length
      ? h("p", { class: "small" }, t("waiting_for", waiting.join(", ")))
      : null,
  );
}

/**
 * The last whole trick that has been shown.
 * @param {State} state
 */
export function lastTrick(state) {
  const whole = Math.floor((ui.shown - (ui.gathered ? 0 : 1)) / 3);
  const trick = state.tricks[whole - 1];
  if (!trick || trick.winner === null) return h("p", null, t("last_trick_none"));
  return [
    h(
      "ul",
      { class: "laid" },
      trick.cards.map((one) =>
        h("li", { key: one.card }, lying(one.card), h("span", null, state.seats[one.seat].name)),
      ),
    ),
    h(
      "p",
      null,
      t("trick_to", state.seats[trick.winner].name),
      trick.points && state.contract === "suit" ? ` (+${trick.points})` : "",
      trick.marriages.map((one) =>
        h("span", { key: one.suit }, ` · ${t("marriage")} ${one.worth} `, suitSign(one.suit)),
      ),
    ),
  ];
}

/**
 * What each card cost, and what could have been bid.
 * @param {State} state
 */
export function analysisView(state) {
  const analysis = ui.analysis;
  if (analysis === "wait" || analysis === null) return h("p", { class: "wait" }, t("analysis_wait"));
  const costly = analysis.cards.filter((card) => card.cost > 0);
  const paid = analysis.value === null ? "–" : signed(analysis.value);
  return [
    h("p", null, t("analysis_help")),
    analysis.start === null
      ? null
      : h("p", null, t("analysis_start", signed(analysis.start), paid)),
    costly.length
      ? h(
          "table",
          { class: "costs" },
          h(
            "thead",
            null,
            h("tr", null, ["trick", "player", "card", "cost", "better"].map((key) => h("th", { scope: "col", key }, capital(t(key))))),
          ),
          h(
            "tbody",
            null,
            costly.map((card) =>
              h(
                "tr",
                { key: `${card.trick}-${card.seat}` },
                h("td", null, card.trick),
                h("td", null, state.seats[card.seat].name),
                h("td", null, cardName(card.card)),
                h("td", { class: "minus" }, signed(-card.cost)),
                h("td", null, card.better.slice(0, 3).map(cardName).join(", ")),
              ),
            ),
          ),
        )
      : h("p", null, t("analysis_nothing")),
    h("h3", null, t("what_could_be_bid")),
    h(
      "table",
      { class: "costs" },
      h(
        "thead",
        null,
        h("tr", null, ["player", "bidding", "put_away", "worth"].map((key) => h("th", { scope: "col", key }, t(key)))),
      ),
      h(
        "tbody",
        null,
        analysis.worths.slice(0, 8).map((worth, index) =>
          h(
            "tr",
            { key: `w${index}` },
            h("td", null, state.seats[worth.seat].name),
            h(
              "td",
              null,
              [
                capital(t(`contract_${worth.contract}`)),
                worth.trump ? t(`suit_${worth.trump}`) : "",
                ...worth.announced.map((one) => t(one)),
              ]
                .filter(Boolean)
                .join(", "),
            ),
            h("td", null, worth.discards.map(cardName).join(", ")),
            h("td", null, signed(worth.value)),
          ),
        ),
      ),
    ),
  ];
}
