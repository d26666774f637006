/** The table: seats, what lies in the middle, and what is at stake. */
import { cardName, lying, picture, suitSign } from "./cards.js";
import { controlsView, promptText } from "./controls.js";
import { askHint, leave, openDialog } from "./deeds.js";
import { h } from "./dom.js";
import { handView } from "./hand.js";
import { caughtUp, shownTrick } from "./pace.js";
import { courseView, hintView, resultView, waitingRoom } from "./panels.js";
import { app, ui } from "./store.js";
import { capital, signed, t } from "./words.js";

/**
 * @typedef {import("./types.js").State} State
 * @typedef {import("./types.js").SeatState} SeatState
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
 * @param {State} state
 */
export function tableView(state) {
  const { bottom, left, right } = places(state);
  const over = state.phase === "OVER" && caughtUp(state);
  return [
    topBar(state),
    app.link === "lost"
      ? h("div", { class: "banner", role: "alert", key: "lost" }, t("reconnecting"))
      : state.paused
        ? h("div", { class: "banner", key: "paused" }, t("paused"))
        : null,
    h(
      "main",
      { class: `table ${over ? "over" : ""}`, key: "table", "data-phase": state.phase, "data-at": `${state.deal}-${state.at}` },
      h("h1", { class: "unseen" }, t("title")),
      seatView(state, left, "left"),
      seatView(state, right, "right"),
      state.started ? felt(state, over) : waitingRoom(state),
      seatView(state, bottom, "bottom"),
      h(
        "div",
        { class: "desk", key: "desk" },
        h(
          "p",
          {
            class: `prompt ${ui.warning ? "warning" : ""} ${state.legal.length ? "mine" : ""}`,
            key: "prompt",
            role: ui.warning ? "alert" : null,
          },
          ui.warning || (state.started ? promptText(state) : ""),
        ),
        hintView(state),
        controlsView(state),
      ),
      state.you === null ? null : handView(state),
      h("aside", { class: "side", key: "side", tabindex: "0", "aria-label": t("course") }, courseView(state)),
    ),
  ];
}

/**
 * @param {State} state
 */
function topBar(state) {
  const mayAsk = state.hints && state.legal.length > 0;
  const number =
    state.match && !state.match.points
      ? t("deal_of", state.deal, state.match.deals)
      : t("deal_number", state.deal);
  return h(
    "header",
    { class: "bar", key: "bar" },
    h("a", { class: "skip", href: "#hand-help" }, t("skip_to_hand")),
    h(
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
    ),
    h(
      "nav",
      { class: "tools" },
      state.you !== null && state.hints
        ? tool("hint", t("hint"), HINT, () => void askHint(), !mayAsk || ui.hint === "wait")
        : null,
      tool("last", t("last_trick"), LAST, () => openDialog("last")),
      tool("course", t("course"), COURSE, () => openDialog("course")),
      tool("rules", t("rules_set"), RULES, () => openDialog("rules")),
      tool("menu", t("menu"), MENU, () => openDialog("menu")),
      app.role === "spectator" ? tool("leave", t("back"), BACK, () => void leave()) : null,
    ),
  );
}

const HINT = "M12 3a6 6 0 0 0-3.5 10.9V16h7v-2.1A6 6 0 0 0 12 3zM9.5 18h5M10.5 21h3";
const LAST = "M4 7h9v13H4zM9 4l9 2-2.4 11.500M12 12";
const COURSE = "M5 6h14M5 12h14M5 18h9";
const RULES = "M5 4h10a4 4 0 0 1 4 4v12H8a3 3 0 0 1-3-3zM9 9h6M9 13h6";
const MENU = "M12 5.500v.01M12 12v.01M12 18.500v.01";
const BACK = "M15 5l-7 7 7 7";

/**
 * @param {string} name
 * @param {string} label
 * @param {string} drawing
 * @param {() => void} onclick
 * @param {boolean} [disabled]
 */
function tool(name, label, drawing, onclick, disabled = false) {
  return h(
    "button",
    {
      key: name,
      type: "button",
      class: `tool tool-${name}`,
      "data-tool": name,
      // Where there is no room for the word, it is still the button's name.
      "aria-label": label,
      title: label,
      onclick,
      disabled,
    },
    h("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, h("path", { d: drawing })),
    h("span", null, label),
  );
}

/**
 * @param {State} state
 * @param {number} number
 * @param {"left"|"right"|"bottom"} place
 */
function seatView(state, number, place) {
  const seat = state.seats[number];
  const turn = state.turn === number;
  const own = number === state.you;
  const call = own ? "" : lastCall(state, number);
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
    own ? null : backs(state, seat, place),
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
 * What a player said last, until the first trick has been taken in.
 * @param {State} state
 * @param {number} seat
 */
function lastCall(state, seat) {
  if (state.phase === "OVER" || ui.shown > 3 || (ui.shown === 3 && ui.gathered)) return "";
  const said = state.calls.filter((call) => call.seat === seat);
  const last = said[said.length - 1];
  return last ? last.label : "";
}

/**
 * @param {State} state
 * @param {boolean} over
 */
function felt(state, over) {
  const { bottom, left } = places(state);
  const trick = shownTrick(state);
  /** @param {number} seat */
  const placeOf = (seat) => (seat === bottom ? "bottom" : seat === left ? "left" : "right");
  const whole = trick !== null && trick.cards.length === 3;
  const names = trick?.cards.map((one) => `${state.seats[one.seat].name}: ${cardName(one.card)}`);
  return h(
    "section",
    { class: `felt ${over ? "over" : ""}`, key: "felt", "aria-label": t("table") },
    over ? resultView(state) : null,
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
