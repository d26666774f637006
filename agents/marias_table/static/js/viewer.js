/** The viewer of recorded deals: what is shown, and the keys and buttons that change it. */
import { useFaces } from "./cards.js";
import { h, patch } from "./dom.js";
import { openReel } from "./reel.js";
import { deckName, drawWith, hasLanguage, redraw, remember, settings } from "./store.js";
import { screen } from "./stage.js";
import { t, useWords } from "./words.js";

/**
 * @typedef {import("./types.js").State} State
 * @typedef {import("./reel.js").Reel} Reel
 *
 * @typedef {object} Shown
 * @property {import("./reel.js").About} about
 * @property {number} index of the deal
 * @property {number} at position in it
 * @property {number} eyes 0: all hands; 1 to 3: what seat 0 to 2 knows
 * @property {State[]} film
 * @property {import("./reel.js").Options|null} options of this position, once they are here
 * @property {(import("./reel.js").Advice|Error|null)[]} advice by agent; null: not here yet
 * @property {boolean} values whether values and agents are shown
 * @property {boolean} menu
 * @property {string|null} typed number of a deal that is being typed
 * @property {boolean} last whether it is the last position
 */

const root = /** @type {HTMLElement} */ (document.getElementById("app"));
/** Milliseconds until somebody who steps quickly is taken to have stopped. */
const REST = 120;

/** @type {Reel} */
let reel;
/** @type {Shown} */
const shown = {
  about: { name: "", deals: 0, first: 0, agents: [], language: "en" },
  index: 0,
  at: 0,
  eyes: 0,
  film: [],
  options: null,
  advice: [],
  values: true,
  menu: false,
  typed: null,
  last: false,
};
let trouble = "";
/** Counts the places looked at: an answer for an earlier one is not for this one. */
let visit = 0;
let timer = 0;
/** Calls off what agents are asked about a place that has been left. */
let asking = new AbortController();

function draw() {
  const state = shown.film[shown.at];
  if (!state) {
    const text = trouble || "Mariáš …";
    patch(root, [h("main", { class: "start loading", key: "l" }, h("p", { role: trouble ? "alert" : null }, text))]);
    return;
  }
  document.title = `${t("view_title")} · ${t("title")}`;
  patch(root, h("div", null, screen(shown, trouble, deeds)).children);
}

/** What the page's controls do. */
export const deeds = {
  /** @param {number} at */
  go(at) {
    const place = Math.max(0, Math.min(at, shown.film.length - 1));
    if (place === shown.at) return;
    shown.at = place;
    arrived();
  },
  /** @param {number} step tricks on, or back */
  goByTrick(step) {
    const now = tricksDone(shown.film[shown.at]);
    let at = shown.at;
    do at += step;
    while (at > 0 && at < shown.film.length - 1 && !startsTrick(at, now));
    deeds.go(at);
  },
  /** @param {number} index */
  async toDeal(index) {
    shown.typed = null;
    if (!(index >= 0 && index < shown.about.deals) || index === shown.index) {
      redraw();
      return;
    }
    shown.index = index;
    shown.at = 0;
    await load();
  },
  /** @param {string} text */
  type(text) {
    shown.typed = text;
  },
  /** @param {number} eyes */
  async see(eyes) {
    shown.eyes = eyes;
    await load();
  },
  /** @param {boolean} values */
  showValues(values) {
    shown.values = values;
    arrived();
  },
  /** @param {boolean} open */
  menu(open) {
    shown.menu = open;
    redraw();
  },
  /** @param {string} language */
  async language(language) {
    remember({ language });
    useWords(language, await reel.words(language));
    useFaces(deckName(), await reel.faces(deckName()));
    await load();
  },
  /** @param {string} deck */
  async deck(deck) {
    remember({ deck });
    useFaces(deckName(), await reel.faces(deckName()));
    redraw();
  },
  async save() {
    const text = `${JSON.stringify(await reel.record(shown.index))}\n`;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/x-ndjson" }));
    link.download = "marias.jsonl";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  },
};

/** @param {State} state */
function tricksDone(state) {
  return state.tricks.filter((trick) => trick.winner !== null).length;
}

/**
 * Whether a position has a whole trick, or an empty table, before it.
 * @param {number} at
 * @param {number} now tricks done where the step began
 */
function startsTrick(at, now) {
  const state = shown.film[at];
  const open = state.tricks.some((trick) => trick.winner === null);
  return state.phase === "PLAY" && !open && tricksDone(state) !== now;
}

/** Loads the deal that is to be shown, seen through the eyes chosen. */
async function load() {
  const number = ++visit;
  try {
    const film = await reel.film(shown.index, shown.eyes, settings.language);
    if (number !== visit) return;
    trouble = "";
    shown.film = film;
    shown.at = Math.min(shown.at, film.length - 1);
    arrived();
  } catch {
    if (number !== visit) return;
    trouble = t("cannot_load");
    redraw();
  }
}

/** Shows a place at once, and fetches what is worth saying about it when it is stayed at. */
function arrived() {
  visit += 1;
  shown.last = shown.at === shown.film.length - 1;
  shown.options = null;
  shown.advice = shown.about.agents.map(() => null);
  try {
    history.replaceState(null, "", `#${shown.index + 1}.${shown.at}`);
  } catch {
    // A file from disk may not be allowed to change its address.
  }
  redraw();
  clearTimeout(timer);
  asking.abort();
  asking = new AbortController();
  const number = visit;
  if (reel.quick) void consider(number);
  else timer = setTimeout(() => void consider(number), REST);
}

/** @param {number} number of the visit that it is for */
async function consider(number) {
  const { index, at } = shown;
  try {
    const options = await reel.options(index, at, settings.language);
    if (number !== visit) return;
    shown.options = options;
  } catch {
    if (number === visit) trouble = t("cannot_load");
  }
  redraw();
  const state = shown.film[at];
  const hidden = shown.eyes > 0 && state.turn !== shown.eyes - 1;
  if (!shown.values || hidden || state.turn === null) return;
  const { signal } = asking;
  await Promise.all(
    shown.about.agents.map(async (_, agent) => {
      const told = await reel
        .advice(index, at, agent, settings.language, signal)
        .catch((/** @type {Error} */ error) => error);
      if (number !== visit) return;
      shown.advice[agent] = told;
      redraw();
    }),
  );
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  const target = /** @type {HTMLElement} */ (event.target);
  if (shown.menu || event.altKey || event.ctrlKey || event.metaKey) return;
  if (target.matches("input, select, textarea") && !target.matches("input[type=checkbox]")) return;
  /** @type {Record<string, () => unknown>} */
  const keys = {
    ArrowRight: () => deeds.go(shown.at + 1),
    ArrowLeft: () => deeds.go(shown.at - 1),
    PageDown: () => deeds.goByTrick(1),
    PageUp: () => deeds.goByTrick(-1),
    Home: () => deeds.go(0),
    End: () => deeds.go(shown.film.length - 1),
    ArrowDown: () => deeds.toDeal(shown.index + 1),
    ArrowUp: () => deeds.toDeal(shown.index - 1),
  };
  const deed = keys[event.key];
  if (!deed || !shown.film.length) return;
  event.preventDefault();
  void deed();
}

/** Takes the place that the address names, such as `#3.17`: the third deal after 17 actions. */
function placeFromAddress() {
  const [, deal, at] = /^#(\d+)(?:\.(\d+))?$/.exec(location.hash) ?? [];
  const index = deal ? Number(deal) - 1 : shown.about.first;
  shown.index = Math.max(0, Math.min(index, shown.about.deals - 1));
  shown.at = Number(at ?? 0);
}

async function begin() {
  redraw();
  try {
    reel = await openReel();
    shown.about = reel.about;
    if (!hasLanguage()) settings.language = reel.about.language;
    useWords(settings.language, await reel.words(settings.language));
    useFaces(deckName(), await reel.faces(deckName()));
  } catch {
    trouble = "Mariáš: the deals cannot be loaded. · Hry nelze načíst.";
    redraw();
    return;
  }
  placeFromAddress();
  await load();
}

drawWith(draw);
document.addEventListener("keydown", onKey);
window.addEventListener("hashchange", () => {
  placeFromAddress();
  void load();
});
void begin();
