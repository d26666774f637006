/**
 * Shows the play card by card, however fast it came: `state.tricks` holds it all, `ui.shown` says how
 * much of it lies on the table so far, `ui.gathered` whether the last whole trick has been taken in.
 *
 * @typedef {import("./types.js").State} State
 * @typedef {import("./types.js").TrickState} TrickState
 */
import { app, redraw, settings, ui } from "./store.js";

/** Milliseconds that a card and a whole trick are looked at. */
const PACES = {
  calm: { card: 650, trick: 1500 },
  quick: { card: 250, trick: 700 },
  none: { card: 0, trick: 0 },
};
let timer = 0;

/**
 * @param {State} state
 */
export function numPlayed(state) {
  return state.tricks.reduce((sum, trick) => sum + trick.cards.length, 0);
}

/**
 * The trick on the table, or null between tricks.
 * @param {State} state
 * @returns {TrickState|null}
 */
export function shownTrick(state) {
  if (ui.shown === 0 || ui.gathered) return null;
  const trick = state.tricks[Math.floor((ui.shown - 1) / 3)];
  return trick ? { ...trick, cards: trick.cards.slice(0, ((ui.shown - 1) % 3) + 1) } : null;
}

/**
 * Whether all that has happened is on the table.
 * @param {State} state
 */
export function caughtUp(state) {
  return ui.shown >= numPlayed(state) && (ui.gathered || ui.shown % 3 !== 0);
}

/**
 * Takes a new state's play as the goal.
 * @param {State} state
 * @param {boolean} jump nothing is played back: the state is seen for the first time
 */
export function follow(state, jump) {
  const total = numPlayed(state);
  clearTimeout(timer);
  if (jump || total < ui.shown) {
    ui.shown = total;
    ui.gathered = total % 3 === 0;
    return;
  }
  advance();
}

/** Shows everything at once, for who acts before he has seen it. */
export function skip() {
  if (app.state) follow(app.state, true);
}

function advance() {
  const state = app.state;
  if (!state || caughtUp(state)) return;
  const pace = PACES[/** @type {keyof typeof PACES} */ (settings.pace)] ?? PACES.calm;
  const whole = ui.shown > 0 && ui.shown % 3 === 0 && !ui.gathered;
  const own = state.tricks[Math.floor(ui.shown / 3)]?.cards[ui.shown % 3]?.seat === state.you;
  const wait = whole ? pace.trick : own ? 0 : pace.card;
  const step = () => {
    if (whole) {
      ui.gathered = true;
    } else {
      ui.shown += 1;
      ui.gathered = false;
    }
    redraw();
    advance();
  };
  if (wait === 0) step();
  else timer = setTimeout(step, wait);
}
