/** The own hand: pressed, dragged, or played from the keyboard. */
import { cardName, picture } from "./cards.js";
import { act, ownHand, say, warn } from "./deeds.js";
import { h } from "./dom.js";
import { app, redraw, rulesValue, settings, ui } from "./store.js";
import { t } from "./words.js";

/** Pixels that a card must be pulled up to be played, and those that a press may tremble. */
const PULL = 55;
const TREMBLE = 9;

/** Phases in which cards are chosen first and then confirmed. */
const CHOOSING = new Set(["TRUMP", "DISCARD"]);
/** Phases in which cards are pressed at all. */
const WITH_CARDS = new Set([...CHOOSING, "PLAY"]);

/**
 * Presses a card.
 * @param {string} card
 * @param {boolean} [surely] a drag needs no second press
 */
export function press(card, surely = false) {
  const state = app.state;
  if (!state || ui.busy) return;
  if (!state.legal.some((choice) => choice.action === card)) {
    const reason = state.forbidden[card]?.text ?? whyNotNow();
    const forbidden = state.phase === "PLAY" && card in state.forbidden;
    ui.revoke = forbidden && rulesValue(state, "illegal_action") === "revoke" ? card : "";
    warn(`${cardName(card)}: ${reason}`);
    return;
  }
  ui.warning = "";
  ui.revoke = "";
  if (state.phase === "DISCARD") {
    const chosen = ui.selected.includes(card);
    if (chosen) ui.selected = ui.selected.filter((other) => other !== card);
    else ui.selected = [...ui.selected, card].slice(-discardsMissing());
    if (!chosen) say(t("discard_count", ui.selected.length));
  } else if (state.phase === "TRUMP" || (settings.twoTaps && !surely && !ui.selected.includes(card))) {
    ui.selected = [card];
  } else {
    void act(card);
  }
  redraw();
}

/** Returns how many cards are still to be put away. */
export function discardsMissing() {
  const state = app.state;
  return state?.phase === "DISCARD" ? 2 - (state.talon_count % 2) : 0;
}

function whyNotNow() {
  const state = app.state;
  if (!state || state.turn === null) return t("cannot_play");
  if (state.turn !== state.you) return t("turn_of", state.seats[state.turn].name);
  return t("cannot_play");
}

/**
 * @param {KeyboardEvent} event
 */
function onKey(event) {
  const count = ownHand().length;
  const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  const step = steps[/** @type {keyof typeof steps} */ (event.key)];
  if (step !== undefined) ui.cursor = (ui.cursor + step + count) % count;
  else if (event.key === "Home") ui.cursor = 0;
  else if (event.key === "End") ui.cursor = count - 1;
  else return;
  event.preventDefault();
  redraw();
  queueMicrotask(() => focusHand());
}

/** Puts the focus on the card that the arrow keys have reached. */
export function focusHand() {
  const card = document.querySelector(`.hand [data-index="${ui.cursor}"]`);
  if (card instanceof HTMLElement) card.focus();
}

/** @type {{card: string, x: number, y: number, moved: boolean, node: HTMLElement}|null} */
let drag = null;
let dragged = false;

/**
 * @param {PointerEvent} event
 * @param {string} card
 */
function dragStart(event, card) {
  if (event.button !== 0) return;
  const node = /** @type {HTMLElement} */ (event.currentTarget);
  // From here on the card hears of the pointer wherever it is: a quick pull leaves it at once.
  node.setPointerCapture(event.pointerId);
  drag = { card, x: event.clientX, y: event.clientY, moved: false, node };
  dragged = false;
}

/** @param {PointerEvent} event */
function dragMove(event) {
  if (!drag) return;
  const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
  if (!drag.moved && Math.hypot(dx, dy) < TREMBLE) return;
  drag.moved = true;
  drag.node.classList.add("dragged");
  drag.node.style.transform = `translate(${dx}px, ${dy}px)`;
}

/** @param {PointerEvent} event */
function dragEnd(event) {
  if (!drag) return;
  const { card, y, moved, node } = drag;
  drag = null;
  node.classList.remove("dragged");
  node.style.transform = "";
  dragged = moved;
  if (moved && event.type === "pointerup" && y - event.clientY > PULL) press(card, true);
}

/**
 * @param {import("./types.js").State} state
 */
export function handView(state) {
  const cards = ownHand();
  const size = cards.length + state.unseen;
  const choosing = CHOOSING.has(state.phase) && state.legal.length > 0;
  const mine = state.turn === state.you && WITH_CARDS.has(state.phase);
  return h(
    "section",
    { class: "own-cards", "aria-label": t("hand"), key: "hand" },
    h(
      "div",
      {
        class: `hand ${mine ? "mine" : ""}`,
        role: "toolbar",
        "aria-label": t("hand"),
        "aria-describedby": "hand-help",
        "data-zone": "hand",
        style: { "--n": size, "--half": Math.max(5, Math.ceil(size / 2)) },
        onkeydown: onKey,
      },
      cards.map((card, index) => {
        const legal = state.legal.some((choice) => choice.action === card);
        const chosen = ui.selected.includes(card);
        const parts = [cardName(card)];
        if (chosen) parts.push(t("selected"));
        if (mine && !legal && state.forbidden[card]) parts.push(t("cannot_play"));
        return h(
          "button",
          {
            key: card,
            type: "button",
            class: `card own ${legal ? "legal" : ""} ${mine && !legal ? "illegal" : ""} ${chosen ? "chosen" : ""}`,
            "data-card": card,
            "data-index": index,
            "aria-label": parts.join(", "),
            "aria-disabled": legal ? null : "true",
            "aria-pressed": choosing ? String(chosen) : null,
            tabindex: index === ui.cursor ? "0" : "-1",
            onclick: () => {
              if (dragged) dragged = false;
              else press(card);
            },
            onfocus: () => {
              if (ui.cursor !== index) {
                ui.cursor = index;
                redraw();
              }
            },
            onpointerdown: (/** @type {PointerEvent} */ event) => dragStart(event, card),
            onpointermove: dragMove,
            onpointerup: dragEnd,
            onpointercancel: dragEnd,
          },
          picture(card),
        );
      }),
      Array.from({ length: state.unseen }, (_, place) =>
        h("span", { class: "card back", key: `unseen-${place}`, "aria-hidden": "true" }, picture(null)),
      ),
    ),
    h("p", { class: "unseen", id: "hand-help" }, t("hand_help")),
  );
}
