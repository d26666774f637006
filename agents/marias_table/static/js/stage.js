/**
 * The table of a recorded deal: three hands, what each legal action was worth, and the controls.
 *
 * @typedef {import("./types.js").State} State
 * @typedef {import("./viewer.js").Shown} Shown
 * @typedef {typeof import("./viewer.js").deeds} Deeds
 */
import { cardName, picture } from "./cards.js";
import { courseView, dealtHands, settlement } from "./course.js";
import { h } from "./dom.js";
import { decks, languages } from "./picker.js";
import { dealLine, felt, lastCall, places, seatView } from "./scene.js";
import { deckName, settings } from "./store.js";
import { capital, signed, t } from "./words.js";

/**
 * @param {Shown} shown
 * @param {string} trouble
 * @param {Deeds} deeds
 */
export function screen(shown, trouble, deeds) {
  const state = shown.film[shown.at];
  const { bottom, left, right } = places(state);
  const result = state.result
    ? h("div", { class: "result", key: "result", role: "region", tabindex: "0", "aria-label": t("settlement") }, settlement(state))
    : null;
  /** @param {number} seat */
  const call = (seat) => (state.tricks.length > 1 ? "" : lastCall(state, seat));
  /** @param {number} seat @param {"left"|"right"} place */
  const side = (seat, place) =>
    seatView(state, seat, place, {
      call: call(seat),
      cards: h("div", { class: "backs open", key: "cards", role: "group", "aria-label": t("cards_of", state.seats[seat].name) }, hand(shown, seat)),
    });
  return [
    h(
      "header",
      { class: "bar", key: "bar" },
      dealLine(state),
      h(
        "nav",
        { class: "tools" },
        h("button", { type: "button", class: "small-button", "data-tool": "menu", onclick: () => deeds.menu(true) }, t("menu")),
      ),
    ),
    h(
      "main",
      { class: `table viewer ${state.result ? "over" : ""}`, key: "table", "data-phase": state.phase, "data-at": String(shown.at) },
      h("h1", { class: "unseen" }, t("view_title")),
      side(left, "left"),
      side(right, "right"),
      felt(state, state.tricks[state.tricks.length - 1] ?? null, result),
      seatView(state, bottom, "bottom", { call: call(bottom), cards: null }),
      desk(shown, trouble),
      h(
        "section",
        { class: "own-cards", key: "hand", "aria-label": t("cards_of", state.seats[bottom].name) },
        h("div", { class: "hand", style: { "--n": size(state, bottom), "--half": Math.max(5, Math.ceil(size(state, bottom) / 2)) } }, hand(shown, bottom)),
      ),
      h("aside", { class: "side", key: "side", tabindex: "0", "aria-label": t("course") }, courseView(state)),
    ),
    controls(shown, deeds),
    shown.menu ? menu(state, deeds) : null,
  ];
}

/**
 * @param {State} state
 * @param {number} seat
 */
function size(state, seat) {
  return Math.max(state.seats[seat].cards, 1);
}

/**
 * Whether what the seat on turn may do can be shown.
 * @param {Shown} shown
 */
function open(shown) {
  const state = shown.film[shown.at];
  return state.turn !== null && (shown.eyes === 0 || state.turn === shown.eyes - 1);
}

/**
 * A seat's cards, with what each is worth where it may be played now.
 * @param {Shown} shown
 * @param {number} seat
 */
function hand(shown, seat) {
  const state = shown.film[shown.at];
  const { hand: held, cards } = state.seats[seat];
  const known = held ?? [];
  const options = open(shown) && state.turn === seat ? shown.options : null;
  const values = shown.values && options ? options.values : {};
  const best = Math.max(...Object.values(values));
  return [
    known.map((card) => {
      const value = values[card];
      const taken = options?.taken === card;
      const kind = value === undefined ? "" : value === best ? "best-value" : "worse";
      const name = value === undefined ? cardName(card) : `${cardName(card)}, ${signed(value)}`;
      return h(
        "span",
        { class: `card ${kind} ${taken ? "taken" : ""}`, key: card, role: "img", "aria-label": name, "data-card": card },
        picture(card),
        value === undefined ? null : h("b", { class: "worth", "aria-hidden": "true" }, signed(value)),
      );
    }),
    Array.from({ length: Math.max(0, cards - known.length) }, (_, index) =>
      h("span", { class: "card", key: `b${index}`, role: "img", "aria-label": cardName(null) }, picture(null)),
    ),
  ];
}

/**
 * What was done, what else could have been, and what agents would do.
 * @param {Shown} shown
 * @param {string} trouble
 */
function desk(shown, trouble) {
  const visible = open(shown);
  return h(
    "div",
    { class: "desk", key: "desk", role: "region", tabindex: "0", "aria-label": t("view_values") },
    h("p", { class: `prompt ${trouble ? "warning" : ""}`, key: "prompt", role: trouble ? "alert" : null }, trouble || headline(shown, visible)),
    shown.values && visible ? [chips(shown), advice(shown)] : null,
  );
}

/**
 * @param {Shown} shown
 * @param {boolean} visible
 */
function headline(shown, visible) {
  const state = shown.film[shown.at];
  if (state.turn === null) return "";
  const name = state.seats[state.turn].name;
  if (shown.last) return t("view_unfinished", name);
  const taken = visible ? shown.options?.taken : null;
  if (!taken) return t("turn_of", name);
  const { legal, values } = /** @type {import("./reel.js").Options} */ (shown.options);
  const label = legal.find((choice) => choice.action === taken)?.label ?? taken;
  const lost = shown.values && taken in values ? Math.max(...Object.values(values)) - values[taken] : 0;
  return `${name}: ${label}${lost > 0 ? ` (${t("view_lost", lost)})` : ""}`;
}

/** @param {Shown} shown */
function chips(shown) {
  const options = shown.options;
  if (!options || !options.legal.length) return null;
  const { legal, values, taken } = options;
  // Where every card shows its own value, a small screen does without the list.
  const state = shown.film[shown.at];
  const own = state.turn === places(state).bottom && legal.every((choice) => choice.kind === "card");
  const best = Math.max(...Object.values(values));
  const order = [...legal].sort((a, b) => (values[b.action] ?? -1e9) - (values[a.action] ?? -1e9));
  return h(
    "ul",
    { class: `plain chips ${own ? "shown" : ""}`, key: "chips", title: t("view_values_help") },
    order.map((choice) =>
      h(
        "li",
        {
          key: choice.action,
          class: `${values[choice.action] === best ? "best-value" : ""} ${choice.action === taken ? "taken" : ""}`,
          "data-action": choice.action,
        },
        capital(choice.label),
        " ",
        h("b", null, choice.action in values ? signed(values[choice.action]) : "–"),
      ),
    ),
  );
}

/** @param {Shown} shown */
function advice(shown) {
  const { agents } = shown.about;
  if (!agents.length) return null;
  return h(
    "dl",
    { class: "advice", key: "advice" },
    agents.map((spec, index) => {
      const told = shown.advice[index];
      const text =
        told === null || told === undefined
          ? t("view_thinking", spec)
          : told instanceof Error
            ? told.message
            : capital(told.label);
      const same = told && !(told instanceof Error) && told.action === shown.options?.taken;
      const reason = told && !(told instanceof Error) ? told.reason : "";
      return [
        h("dt", { key: `t${spec}` }, spec),
        h("dd", { key: `d${spec}`, class: same ? "same" : "", "data-agent": spec }, text, reason ? h("small", null, ` ${reason}`) : null),
      ];
    }),
  );
}

/**
 * @param {Shown} shown
 * @param {Deeds} deeds
 */
function controls(shown, deeds) {
  const state = shown.film[shown.at];
  const end = shown.film.length - 1;
  const { deals } = shown.about;
  return h(
    "footer",
    { class: "reel", key: "reel" },
    h(
      "div",
      { class: "steps", role: "group", "aria-label": t("view_step", shown.at, end) },
      step("first", TO_START, t("view_first"), shown.at === 0, () => deeds.go(0)),
      step("back", BACK, t("view_back"), shown.at === 0, () => deeds.go(shown.at - 1)),
      h("input", {
        type: "range",
        class: "slider",
        min: "0",
        max: String(end),
        "aria-label": t("view_step", shown.at, end),
        "aria-valuetext": t("view_step", shown.at, end),
        value: String(shown.at),
        oninput: (/** @type {any} */ event) => deeds.go(Number(event.target.value)),
      }),
      step("on", ON, t("view_on"), shown.at === end, () => deeds.go(shown.at + 1)),
      step("last", TO_END, t("view_last"), shown.at === end, () => deeds.go(end)),
      h("span", { class: "count", "aria-hidden": "true" }, `${shown.at} / ${end}`),
    ),
    h(
      "div",
      { class: "looks" },
      h(
        "label",
        { class: "eyes" },
        h("span", null, t("view_eyes")),
        h(
          "select",
          { value: String(shown.eyes), "data-tool": "eyes", onchange: (/** @type {any} */ event) => void deeds.see(Number(event.target.value)) },
          h("option", { value: "0", key: "0" }, t("view_all")),
          state.seats.map((seat) => h("option", { value: String(seat.seat + 1), key: String(seat.seat + 1) }, t("view_seat", seat.name))),
        ),
      ),
      h(
        "label",
        { class: "check" },
        h("input", { type: "checkbox", "data-tool": "values", checked: shown.values, onchange: (/** @type {any} */ event) => deeds.showValues(event.target.checked) }),
        t("view_values"),
      ),
      deals > 1
        ? h(
            "div",
            { class: "deals", role: "group", "aria-label": t("view_deal_of", shown.index + 1, deals) },
            step("previous-deal", BACK, t("view_previous_deal"), shown.index === 0, () => void deeds.toDeal(shown.index - 1)),
            h("label", null, h("span", { class: "unseen" }, t("view_deal")), h("input", {
              type: "number",
              min: "1",
              max: String(deals),
              value: shown.typed ?? String(shown.index + 1),
              oninput: (/** @type {any} */ event) => deeds.type(event.target.value),
              onchange: (/** @type {any} */ event) => void deeds.toDeal(Number(event.target.value) - 1),
            })),
            h("span", null, `/ ${deals}`),
            step("next-deal", ON, t("view_next_deal"), shown.index === deals - 1, () => void deeds.toDeal(shown.index + 1)),
          )
        : null,
    ),
  );
}

const TO_START = "M5 5v14M19 5l-11 7 11 7z";
const BACK = "M17 5L7 12l10 7z";
const ON = "M7 5l10 7-10 7z";
const TO_END = "M19 5v14M5 5l11 7-11 7z";

/**
 * @param {string} name
 * @param {string} drawing
 * @param {string} label
 * @param {boolean} disabled
 * @param {() => void} onclick
 */
function step(name, drawing, label, disabled, onclick) {
  return h(
    "button",
    { type: "button", key: name, class: "small-button", "data-tool": name, "aria-label": label, title: label, "aria-disabled": disabled ? "true" : null, onclick },
    h("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, h("path", { d: drawing })),
  );
}

/**
 * @param {State} state
 * @param {Deeds} deeds
 */
function menu(state, deeds) {
  return h(
    "dialog",
    {
      key: "menu",
      class: "dialog",
      "aria-labelledby": "dialog-title",
      ref: (/** @type {HTMLDialogElement} */ node) => {
        if (!node.open && node.isConnected) node.showModal();
      },
      onclose: () => deeds.menu(false),
    },
    h(
      "div",
      { class: "inside" },
      h(
        "header",
        null,
        h("h2", { id: "dialog-title" }, t("menu")),
        h("button", { type: "button", class: "small-button", "data-tool": "close", onclick: () => document.querySelector("dialog")?.close() }, t("close")),
      ),
      h(
        "div",
        { class: "body", tabindex: "0", role: "region", "aria-labelledby": "dialog-title" },
        languages(settings.language, (value) => void deeds.language(value)),
        decks(deckName(), (value) => void deeds.deck(value)),
        h("p", { class: "small" }, t("view_keys")),
        h("p", { class: "small" }, t("view_values_help")),
        h("div", { class: "course" }, courseView(state)),
        dealtHands(state),
        h("button", { type: "button", class: "choice", "data-tool": "save", onclick: () => void deeds.save() }, h("strong", null, t("view_save"))),
      ),
    ),
  );
}
