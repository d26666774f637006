/**
 * Everything that the page knows, in one object; who changes it calls `redraw`.
 *
 * @typedef {import("./types.js").State} State
 * @typedef {import("./types.js").Hint} Hint
 * @typedef {import("./types.js").Analysis} Analysis
 */

const KEY = "marias-settings";

/** What this browser remembers between visits: nothing that opens a table. */
const remembered = {
  language: (navigator.language || "en").toLowerCase().startsWith("cs") ? "cs" : "en",
  deck: "",
  name: "",
  pace: "calm",
  twoTaps: false,
  /** @type {import("./types.js").SetupChoice|null} */
  setup: null,
};
try {
  Object.assign(remembered, JSON.parse(localStorage.getItem(KEY) ?? "{}"));
} catch {
  // Storage may be switched off, or hold something else: then nothing is remembered.
}

export const settings = remembered;

/** Whether somebody has chosen a language in this browser before. */
export function hasLanguage() {
  try {
    return "language" in JSON.parse(localStorage.getItem(KEY) ?? "{}");
  } catch {
    return false;
  }
}

/**
 * Remembers settings.
 * @param {Partial<typeof remembered>} changed
 */
export function remember(changed) {
  Object.assign(settings, changed);
  try {
    localStorage.setItem(KEY, JSON.stringify(settings));
  } catch {
    // See above.
  }
  redraw();
}

/** Returns the deck shown: Czech players know the German suits. */
export function deckName() {
  return settings.deck || (settings.language === "cs" ? "german" : "french");
}

export const app = {
  /** @type {"loading"|"broken"|"start"|"setup"|"join"|"table"} */
  view: "loading",
  /** @type {import("./types.js").Form|null} */
  form: null,
  /** @type {State|null} */
  state: null,
  role: "",
  /** @type {import("./types.js").Links|null} */
  links: null,
  adviser: "",
  /** Invite token from the link by which the page was opened. */
  invite: "",
  /** @type {"none"|"connecting"|"open"|"lost"} */
  link: "none",
  /** A line that stays on the start page, such as why a table ended. */
  notice: "",
};

/**
 * An option of the table's rules: changed, or as its preset has it.
 * @param {State} state
 * @param {string} name
 * @returns {any}
 */
export function rulesValue(state, name) {
  const preset = app.form?.presets.find((one) => one.name === state.rules);
  return state.options[name] ?? preset?.values[name];
}

/** What only concerns the table on the screen; `forget` clears it. */
const fresh = () => ({
  /** Cards chosen but not yet confirmed. @type {string[]} */
  selected: [],
  /** A forbidden card that was pressed where a revoke is possible. */
  revoke: "",
  /** Why a card cannot be played, or what the server refused. */
  warning: "",
  /** @type {string} */
  dialog: "",
  /** @type {Hint|"wait"|null} */
  hint: null,
  /** @type {Analysis|"wait"|null} */
  analysis: null,
  /** An action is on its way. */
  busy: false,
  /** Cards of the play shown so far, and whether the last whole trick has been gathered. */
  shown: 0,
  gathered: true,
  /** Index of the card that the arrow keys have reached. */
  cursor: 0,
  copied: "",
  /** @type {import("./types.js").FormChoice[]|{title: string, lines: string[]}[]|null} */
  rules: null,
  rulesOf: "",
});
export const ui = fresh();

/** Clears what concerned another table. */
export function forget() {
  Object.assign(ui, fresh());
}

/** @type {() => void} */
let draw = () => {};
let asked = false;

/**
 * @param {() => void} render
 */
export function drawWith(render) {
  draw = render;
}

/** Draws the page soon, once for all changes made until then. */
export function redraw() {
  if (asked) return;
  asked = true;
  queueMicrotask(() => {
    asked = false;
    draw();
  });
}
