/** What a person does: each of these is a button, a key or a drag somewhere on the page. */
import { loadFaces } from "./cards.js";
import { follow, skip } from "./pace.js";
import { app, deckName, forget, redraw, remember, settings, ui } from "./store.js";
import { Connection, Refused, seatToken } from "./socket.js";
import { fetchJson, loadWords, t } from "./words.js";

/**
 * @typedef {import("./types.js").Message} Message
 * @typedef {import("./types.js").Choice} Choice
 */

const connection = new Connection({
  heard: hear,
  status(link) {
    if (app.link === "lost" && link === "open") say(t("reconnected"));
    if (app.link !== "lost" && link === "lost") say(t("reconnecting"));
    // While attempts go on the page says "lost", not "connecting" and "lost" in turns.
    app.link = app.link === "lost" && link === "connecting" ? "lost" : link;
    if (link === "lost") ui.busy = false;
    redraw();
  },
  language: () => settings.language,
});

/**
 * Says something to screen readers.
 * @param {string} text
 */
export function say(text) {
  const place = document.getElementById("said");
  if (!place || !text) return;
  const line = document.createElement("p");
  line.textContent = text;
  place.append(line);
  while (place.childElementCount > 30) place.firstElementChild?.remove();
}

/**
 * @param {string} text
 */
export function warn(text) {
  ui.warning = text;
  redraw();
}

/**
 * @param {Message} message
 */
function hear(message) {
  if (message.type === "welcome") {
    if (app.view !== "table") forget();
    app.view = "table";
    app.role = message.role;
    app.links = message.links;
    app.adviser = message.adviser ?? "";
    app.notice = "";
    seatToken.away(false);
    if (app.role !== "spectator") history.replaceState(null, "", location.pathname);
  }
  if (message.state) {
    take(message);
  } else if (message.type === "closed") {
    // A chair that was left, or is used in another window, can be come back to.
    if (message.reason === "left" || message.reason === "elsewhere") seatToken.away(true);
    else seatToken.clear();
    leaveTable(message.reason === "left" ? "" : t(`closed_${message.reason}`));
  } else if (message.type === "error" && (message.code === "bad_token" || app.view !== "table")) {
    // A refused entrance.
    if (message.code === "bad_token") seatToken.clear();
    leaveTable(message.code === "bad_token" ? t("gone") : String(message.message));
  }
  redraw();
}

/**
 * @param {Message} message a `welcome` or an `update`
 */
function take(message) {
  const before = app.state;
  const state = /** @type {import("./types.js").State} */ (message.state);
  const sameDeal = before !== null && before.deal === state.deal;
  app.state = state;
  if (!sameDeal) {
    ui.analysis = null;
    ui.shown = 0;
    ui.gathered = true;
    if (ui.dialog === "analysis" || ui.dialog === "last") ui.dialog = "";
  }
  if (!sameDeal || before.at !== state.at) {
    ui.selected = [];
    ui.revoke = "";
    ui.hint = null;
    ui.warning = "";
    ui.cursor = Math.max(0, Math.min(ui.cursor, (ownHand().length || 1) - 1));
  }
  follow(state, before === null || Boolean(message.reset));
  const events = /** @type {import("./types.js").Event[]} */ (message.events ?? []);
  const news = events.map((event) => event.text);
  if (state.legal.length && (!sameDeal || before.at !== state.at)) news.push(t("your_turn"));
  say(news.join(". "));
}

/** Returns the receiver's own cards in display order. */
export function ownHand() {
  const state = app.state;
  return state && state.you !== null ? (state.seats[state.you].hand ?? []) : [];
}

/**
 * @param {string} notice
 */
function leaveTable(notice) {
  connection.drop();
  app.link = "none";
  app.state = null;
  app.view = app.invite ? "join" : "start";
  app.notice = notice;
  if (location.hash.startsWith("#watch=")) history.replaceState(null, "", location.pathname);
  forget();
  redraw();
}

/**
 * Sends a request; a refusal is shown, a lost connection is not (the page says so already).
 * @param {string} type
 * @param {Record<string, any>} [fields]
 * @returns {Promise<Message|null>}
 */
export async function ask(type, fields = {}) {
  try {
    return await connection.ask(type, fields);
  } catch (error) {
    if (error instanceof Refused && error.code !== "stale") {
      warn(error.message);
      say(error.message);
    }
    return null;
  }
}

/**
 * Takes an action of the deal.
 * @param {string} action
 * @param {boolean} [revoke] a forbidden card is played on purpose, where the rules have it paid for
 */
export async function act(action, revoke = false) {
  const state = app.state;
  if (!state || ui.busy || app.link !== "open") return null;
  skip();
  ui.busy = true;
  ui.warning = "";
  redraw();
  const where = { deal: state.deal, at: state.at };
  const answer = await ask("action", { ...where, action, ...(revoke ? { revoke } : {}) });
  ui.busy = false;
  redraw();
  return answer;
}

/** Puts the chosen cards away, one action after the other. */
export async function discardSelected() {
  for (const card of [...ui.selected]) {
    if ((await act(card)) === null) return;
  }
}

/**
 * Opens a table.
 * @param {Record<string, any>|null} setup null: the defaults
 */
export function create(setup) {
  app.notice = "";
  const message = { type: "create", name: settings.name, ...(setup ? { setup } : {}) };
  connection.enter(message);
}

export function join() {
  connection.enter({ type: "join", invite: app.invite, name: settings.name });
}

/**
 * @param {string} token
 */
export function watch(token) {
  connection.enter({ type: "watch", watch: token });
}

/** Comes back to the chair of this tab. */
export function comeBack() {
  connection.enter({ type: "enter" });
}

/** Gets up; the seat's token stays, so that the person can come back. */
export async function leave() {
  if (app.role !== "spectator") await ask("leave");
  seatToken.away(true);
  leaveTable("");
}

export async function closeTable() {
  await ask("close");
}

/**
 * Goes to the start page for another table; this one waits for its person.
 */
export function toStart() {
  app.invite = "";
  seatToken.away(true);
  leaveTable("");
}

export async function askHint() {
  const state = app.state;
  if (!state) return;
  ui.hint = "wait";
  ui.warning = "";
  redraw();
  const answer = await ask("hint");
  const now = app.state;
  if (ui.hint === "wait") {
    const current = answer && now && answer.deal === now.deal && answer.at === now.at;
    ui.hint = current ? /** @type {any} */ (answer) : null;
    if (current) say(`${answer.label}. ${answer.reason}`);
  }
  redraw();
}

export async function askAnalysis() {
  openDialog("analysis");
  if (ui.analysis) return;
  ui.analysis = "wait";
  redraw();
  const answer = await ask("analysis");
  ui.analysis = answer ? /** @type {any} */ (answer) : null;
  if (!answer) closeDialog();
  redraw();
}

/**
 * @param {string} name
 */
export function openDialog(name) {
  ui.dialog = name;
  ui.copied = "";
  redraw();
  if (name === "rules") void fetchRules();
}

export function closeDialog() {
  // Closing gives the focus back to what had it; only then the element may go.
  const dialog = document.querySelector("dialog");
  if (dialog instanceof HTMLDialogElement) dialog.close();
  ui.dialog = "";
  redraw();
}

async function fetchRules() {
  const state = app.state;
  const rules = state?.rules ?? settings.setup?.rules ?? "traditional";
  const options = state?.options ?? settings.setup?.options ?? {};
  const query = new URLSearchParams({
    rules,
    language: settings.language,
    options: JSON.stringify(options),
  });
  if (ui.rulesOf === String(query)) return;
  ui.rules = null;
  try {
    ui.rules = await fetchJson(`api/rules?${query}`);
    ui.rulesOf = String(query);
  } catch {
    ui.warning = t("cannot_load");
  }
  redraw();
}

/**
 * @param {string} language
 */
export async function chooseLanguage(language) {
  remember({ language });
  try {
    await loadWords(language);
    app.form = await fetchJson(`api/form?language=${language}`);
    await loadFaces(deckName());
  } catch {
    app.notice = t("cannot_load");
  }
  if (app.state) await ask("language", { language });
  if (ui.dialog === "rules") void fetchRules();
  redraw();
}

/**
 * @param {string} deck
 */
export async function chooseDeck(deck) {
  remember({ deck });
  await loadFaces(deckName());
  redraw();
}

/**
 * @param {string} path
 */
export async function copyLink(path) {
  const link = new URL(path, location.href).href;
  try {
    await navigator.clipboard.writeText(link);
  } catch {
    // Without permission (or on plain HTTP) the field is marked, ready for the person's own copy.
    const field = document.querySelector(`input[data-link="${path}"]`);
    if (field instanceof HTMLInputElement) field.select();
    return;
  }
  ui.copied = path;
  say(t("copied"));
  redraw();
}

/** Saves the finished deals of this table as a file. */
export async function saveRecords() {
  const answer = await fetch("api/records", {
    headers: { authorization: `Bearer ${seatToken.get()}` },
  });
  if (!answer.ok) {
    warn(t("server_error", answer.status));
    return;
  }
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await answer.blob());
  link.download = "marias.jsonl";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
