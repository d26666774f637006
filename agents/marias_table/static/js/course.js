/** The course of a deal as text: bidding, score, settlement, the hands as they were dealt. */
import { lying } from "./cards.js";
import { h } from "./dom.js";
import { capital, signed, t } from "./words.js";

/**
 * @typedef {import("./types.js").State} State
 */

/**
 * What has happened in this deal, and the score.
 * @param {State} state
 */
export function courseView(state) {
  const { points } = state;
  return [
    h("h2", null, t("at_stake")),
    h(
      "ul",
      { class: "plain" },
      state.stakes.length
        ? state.stakes.map((stake) =>
            h(
              "li",
              { key: stake.component },
              h("strong", null, capital(stake.name)),
              ` · ${stake.level ? `${stake.level_name} ×${stake.factor}` : t("no_fleks")}`,
            ),
          )
        : h("li", null, t("no_contract")),
    ),
    points && state.tricks.length
      ? [
          h("h2", null, t("points")),
          h(
            "dl",
            { class: "pairs" },
            h("dt", null, t("declarer")),
            h("dd", null, pointsText(points.declarer)),
            h("dt", null, t("defenders")),
            h("dd", null, pointsText(points.defenders)),
          ),
        ]
      : null,
    state.calls.length
      ? [
          h("h2", null, t("bidding")),
          h(
            "ol",
            { class: "plain calls" },
            state.calls.map((call, index) =>
              h(
                "li",
                { key: `c${index}` },
                h("span", { class: "who" }, state.seats[call.seat].name),
                ` ${call.label}`,
              ),
            ),
          ),
        ]
      : null,
    h("h2", null, t("score")),
    scoreTable(state),
    h(
      "p",
      { class: "small" },
      state.spectators === "cards" ? t("spectators_see_cards") : "",
      state.watching ? ` ${t("watching", state.watching)}` : "",
    ),
  ];
}

/**
 * @param {{cards: number, marriages: number}} side
 */
function pointsText(side) {
  return side.marriages ? `${side.cards} + ${side.marriages}` : String(side.cards);
}

/**
 * @param {State} state
 */
function scoreTable(state) {
  const recent = state.history.slice(-12);
  const first = state.history.length - recent.length;
  return h(
    "table",
    { class: "score" },
    h(
      "thead",
      null,
      h("tr", null, h("th", { scope: "col" }, t("deal")), state.seats.map((seat) => h("th", { scope: "col", key: `s${seat.seat}` }, seat.name))),
    ),
    h(
      "tbody",
      null,
      recent.map((paid, index) =>
        h(
          "tr",
          { key: `d${first + index}` },
          h("th", { scope: "row" }, first + index + 1),
          paid.map((units, seat) => h("td", { key: `p${seat}` }, signed(units))),
        ),
      ),
      h(
        "tr",
        { class: "sum", key: "sum" },
        h("th", { scope: "row" }, t("total")),
        state.seats.map((seat) => h("td", { key: `t${seat.seat}` }, signed(seat.total))),
      ),
    ),
  );
}

/**
 * What was paid, and why.
 * @param {State} state
 */
export function settlement(state) {
  const { match, result } = state;
  if (!result) return null;
  return [
    match?.over
      ? h(
          "p",
          { class: "winner" },
          t("match_over"),
          " · ",
          t("winner", match.winners.map((seat) => state.seats[seat].name).join(", ")),
        )
      : null,
    h("h2", null, t("settlement")),
    h(
      "ul",
      { class: "payments" },
      state.seats.map((seat) =>
        h(
          "li",
          { key: `p${seat.seat}`, class: seat.seat === state.you ? "you" : "" },
          h("span", { class: "who" }, seat.name),
          h(
            "strong",
            { class: result.payments[seat.seat] < 0 ? "minus" : "plus" },
            signed(result.payments[seat.seat]),
          ),
          h("span", { class: "small" }, t("total_of", signed(seat.total))),
        ),
      ),
    ),
    h("ul", { class: "lines" }, result.lines.map((line, index) => h("li", { key: `l${index}` }, line))),
  ];
}

/**
 * All hands of a finished deal, and its talon.
 * @param {State} state
 */
export function dealtHands(state) {
  const result = state.result;
  if (!result) return null;
  const rows = state.seats.map((seat) => ({ name: seat.name, cards: result.dealt[seat.seat] }));
  rows.push({ name: t("talon"), cards: result.talon });
  return rows.map((row, index) =>
    h(
      "div",
      { class: "dealt", key: `h${index}` },
      h("h3", null, row.name),
      h("div", { class: "spread" }, row.cards.map((card) => lying(card, { key: card }))),
    ),
  );
}
