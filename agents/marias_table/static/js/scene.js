/** Seats, trick, talon and trump card: what lies on the table, whoever looks at it. */
import { cardName, lying, picture, suitSign } from "./cards.js";
import { h } from "./dom.js";
import { capital, signed, t } from "./words.js";

/**
 * @typedef {import("./types.js").State} State
 * @typedef {import("./types.js").SeatState} SeatState
 * @typedef {import("./types.js").TrickState} TrickState
 */

/**
 * Who sits where on the screen: the next player on the left, as at a table.
 * @param {State} state
 */
export function places(state) {
  const bottom = state.you ?? state.forehand;
  return { bottom, left: (bottom + 1) % 3, right: (bottom + 2) % 3 };
}

/**
 * A seat's plate, and what lies before it.
 * @param {State} state
 * @param {number} number
 * @param {"left"|"right"|"bottom"} place
 * @param {{call?: string, cards?: import("./dom.js").Child}} [more] what it said last, and cards in
 *   place of those that it holds
 */
export function seatView(state, number, place, { call = "", cards } = {}) {
  const seat = state.seats[number];
  const turn = state.turn === number;
  const own = number === state.you;
  const name = seat.kind === "open" ? t("empty_chair") : seat.name;
  return h(
    "section",
    {
      class: `seat seat-${place} ${turn ? "turn" : ""}`,
      key: `seat-${number}`,
      "data-seat": number,
      "aria-label": own ? `${name} (${t("you")})` : name,
    },
    h(
      "div",
      { class: "plate" },
      h("span", { class: "name" }, own ? `${name} (${t("you")})` : name),
      h(
        "span",
        { class: "total", title: t("total"), "aria-label": t("total_of", signed(seat.total)) },
        signed(seat.total),
      ),
      h(
        "span",
        { class: "badges" },
        seat.roles
          .filter((role) => role !== "defender")
          .map((role) => h("span", { class: `badge badge-${role}`, key: role }, t(role))),
        seat.marriages.map((one) =>
          h(
            "span",
            { class: "badge marriage", key: `m${one.suit}`, title: t("marriage") },
            `${one.worth} `,
            suitSign(one.suit),
          ),
        ),
      ),
      h("span", { class: "facts" }, seatFacts(state, seat)),
    ),
    cards === undefined ? (own ? null : backs(state, seat, place)) : cards,
    call ? h("p", { class: "call", key: "call" }, call) : null,
  );
}

/**
 * @param {State} state
 * @param {SeatState} seat
 */
function seatFacts(state, seat) {
  const facts = [];
  if (seat.stand_in) facts.push(t("sits_in", seat.stand_in));
  else if (seat.kind === "person" && !seat.connected) facts.push(t("away"));
  if (seat.thinking && state.turn === seat.seat) facts.push(t("thinks"));
  if (state.started && state.tricks.length) facts.push(t("tricks_of", seat.tricks));
  return facts.join(" · ");
}

/**
 * Another player's cards: their backs, or faces where they are known.
 * @param {State} state
 * @param {SeatState} seat
 * @param {string} place
 */
function backs(state, seat, place) {
  if (!state.started || state.phase === "OVER") return null;
  const known = seat.hand ?? [];
  const hidden = Math.max(0, seat.cards - known.length);
  const label =
    known.length && !hidden
      ? `${t("cards_of", seat.name)}: ${known.map(cardName).join(", ")}`
      : t("card_count", seat.cards);
  return h(
    "div",
    {
      class: `backs ${known.length ? "open" : ""}`,
      key: `backs-${place}`,
      role: "img",
      "aria-label": label,
      style: { "--n": seat.cards },
    },
    known.map((card) => h("span", { class: "card", key: card }, picture(card))),
    Array.from({ length: hidden }, (_, index) =>
      h("span", { class: "card", key: `b${index}` }, picture(null)),
    ),
    h("span", { class: "count", "aria-hidden": "true", key: "count" }, seat.cards),
  );
}

/**
 * The middle of the table.
 * @param {State} state
 * @param {TrickState|null} trick what lies there
 * @param {import("./dom.js").Child} result of a deal that is over, in place of it
 */
export function felt(state, trick, result) {
  const { bottom, left } = places(state);
  const over = Boolean(result);
  /** @param {number} seat */
  const placeOf = (seat) => (seat === bottom ? "bottom" : seat === left ? "left" : "right");
  const whole = trick !== null && trick.cards.length === 3;
  const names = trick?.cards.map((one) => `${state.seats[one.seat].name}: ${cardName(one.card)}`);
  return h(
    "section",
    { class: `felt ${over ? "over" : ""}`, key: "felt", "aria-label": t("table") },
    result,
    over
      ? null
      : h(
          "div",
          { class: "trick", key: "trick", role: "img", "aria-label": names?.join(", ") || t("empty") },
          trick?.cards.map((one) =>
            h(
              "span",
              {
                class: `card played from-${placeOf(one.seat)} ${
                  whole && trick.winner === one.seat ? `best to-${placeOf(one.seat)}` : ""
                }`,
                key: `${trick.number}-${one.seat}`,
              },
              picture(one.card),
            ),
          ),
        ),
    over ? null : middle(state),
  );
}

/**
 * Talon and trump card.
 * @param {State} state
 */
function middle(state) {
  const chosen = state.phase !== "TRUMP" && state.trump_card !== null && !state.trump_shown;
  const faceDown =
    !chosen && !state.trump_shown && state.blind !== undefined && state.phase !== "TRUMP" &&
    state.calls.some((call) => call.kind === "trump") &&
    (state.contract === "suit" || state.contract === null);
  const mine = state.discards.length > 0 && state.phase !== "OVER";
  const talon = state.talon ?? (mine ? state.discards : []);
  const count = state.talon_count;
  return h(
    "div",
    { class: "middle", key: "middle" },
    chosen || faceDown
      ? h(
          "figure",
          { key: "trump-card" },
          lying(chosen ? state.trump_card : null),
          h("figcaption", null, capital(t(state.blind ? "blind" : "trump_card"))),
        )
      : null,
    count > 0
      ? h(
          "figure",
          { key: "talon" },
          h(
            "span",
            { class: "pair" },
            Array.from({ length: count }, (_, index) => lying(talon[index] ?? null, { key: `t${index}` })),
          ),
          h("figcaption", null, mine && !state.talon ? t("your_discards") : t("talon")),
        )
      : null,
  );
}

/**
 * What a player said last.
 * @param {State} state
 * @param {number} seat
 */
export function lastCall(state, seat) {
  if (state.phase === "OVER") return "";
  const said = state.calls.filter((call) => call.seat === seat);
  const last = said[said.length - 1];
  return last ? last.label : "";
}

/**
 * Contract, trumps, what is at stake, and which deal it is: in one line.
 * @param {State} state
 */
export function dealLine(state) {
  const number =
    state.match && !state.match.points
      ? t("deal_of", state.deal, state.match.deals)
      : t("deal_number", state.deal);
  return h(
    "div",
    { class: "deal-line" },
    state.contract
      ? h("strong", null, capital(state.contract_name))
      : h("span", null, capital(state.phase_name)),
    state.trump ? suitSign(state.trump, true) : null,
    state.stakes
      .filter((stake) => stake.level > 0 || stake.side === "defenders" || stake.component === "seven")
      .map((stake) =>
        h(
          "span",
          { class: "stake", key: stake.component },
          `${stake.name}${stake.level ? ` ${stake.level_name} ×${stake.factor}` : ""}`,
        ),
      ),
    h(
      "span",
      { class: "deal-number" },
      state.deal ? number : "",
      state.match?.points ? ` · ${t("to_points", state.match.points)}` : "",
    ),
  );
}
