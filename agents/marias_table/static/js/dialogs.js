/** Windows over the table: menu, rules, course, last trick, analysis. */
import {
  ask,
  chooseDeck,
  chooseLanguage,
  closeDialog,
  closeTable,
  leave,
  saveRecords,
  toStart,
} from "./deeds.js";
import { courseView, dealtHands } from "./course.js";
import { h } from "./dom.js";
import { analysisView, lastTrick, linkField } from "./panels.js";
import { decks, languages, picker } from "./picker.js";
import { app, deckName, redraw, remember, settings, ui } from "./store.js";
import { t } from "./words.js";

/**
 * @typedef {import("./types.js").State} State
 */

/** The open dialog, or nothing. */
export function dialogView() {
  const state = app.state;
  if (!ui.dialog) return null;
  const [title, body] = content(state);
  return h(
    "dialog",
    {
      key: `dialog-${ui.dialog}`,
      class: `dialog dialog-${ui.dialog}`,
      "aria-labelledby": "dialog-title",
      ref: (/** @type {HTMLDialogElement} */ node) => {
        if (!node.open && node.isConnected) node.showModal();
      },
      onclose: () => {
        ui.dialog = "";
        redraw();
      },
      onclick: (/** @type {MouseEvent} */ event) => {
        if (event.target === event.currentTarget) closeDialog();
      },
    },
    h(
      "div",
      { class: "inside" },
      h(
        "header",
        null,
        h("h2", { id: "dialog-title" }, title),
        h(
          "button",
          { type: "button", class: "small-button", "data-tool": "close", onclick: closeDialog },
          t("close"),
        ),
      ),
      h("div", { class: "body", tabindex: "0", role: "region", "aria-labelledby": "dialog-title" }, body),
    ),
  );
}

/**
 * @param {State|null} state
 * @returns {[string, import("./dom.js").Child]}
 */
function content(state) {
  if (ui.dialog === "rules") return [t("rules_title"), rulesBody()];
  if (!state) return ["", null];
  switch (ui.dialog) {
    case "last":
      return [t("last_trick"), lastTrick(state)];
    case "course":
      return [t("course"), courseView(state)];
    case "dealt":
      return [t("hands_dealt"), dealtHands(state)];
    case "analysis":
      return [t("analysis"), analysisView(state)];
    default:
      return [t("menu"), menuBody(state)];
  }
}

function rulesBody() {
  const sections = /** @type {{title: string, lines: string[]}[]|null} */ (ui.rules);
  if (!sections) return h("p", null, ui.warning || "…");
  return sections.map((section) =>
    h(
      "section",
      { key: section.title },
      h("h3", null, section.title),
      h("ul", null, section.lines.map((line, index) => h("li", { key: `r${index}` }, line))),
    ),
  );
}

/** Language and deck, as on the start page. */
export function languagePicker() {
  return languages(settings.language, (value) => void chooseLanguage(value));
}

export function deckPicker() {
  return decks(deckName(), (value) => void chooseDeck(value));
}

/**
 * @param {State} state
 */
function menuBody(state) {
  const links = app.links;
  return [
    languagePicker(),
    deckPicker(),
    picker(
      "pace",
      t("pace"),
      [
        ["calm", t("pace_calm")],
        ["quick", t("pace_quick")],
        ["none", t("pace_none")],
      ],
      settings.pace,
      (pace) => remember({ pace }),
    ),
    h(
      "label",
      { class: "check" },
      h("input", {
        type: "checkbox",
        checked: settings.twoTaps,
        onchange: (/** @type {any} */ event) => remember({ twoTaps: event.target.checked }),
      }),
      t("two_taps"),
    ),
    h("h3", null, t("links")),
    links?.join ? linkField(t("invite_link"), links.join) : null,
    links?.watch ? linkField(t("watch_link"), links.watch) : null,
    links?.join || links?.watch ? null : h("p", { class: "small" }, t("no_links")),
    state.host ? chairs(state) : null,
    h(
      "div",
      { class: "row wrap" },
      state.you === null
        ? null
        : menuButton("records", t("records"), "", () => void saveRecords()),
      menuButton("new-table", t("new_table"), "", toStart),
      menuButton("leave", t("leave"), state.you === null ? "" : t("leave_help"), () => void leave()),
      state.host
        ? menuButton("close-table", t("close_table"), t("close_table_help"), () => void closeTable())
        : null,
    ),
  ];
}

/**
 * @param {string} name
 * @param {string} label
 * @param {string} explained
 * @param {() => void} onclick
 */
function menuButton(name, label, explained, onclick) {
  return h(
    "button",
    { type: "button", class: "choice", "data-tool": name, key: name, onclick },
    h("strong", null, label),
    explained ? h("small", null, explained) : null,
  );
}

/**
 * Who sits in the chairs that no person has: the host's choice.
 * @param {State} state
 */
function chairs(state) {
  const specs = (app.form?.agents ?? []).map((agent) => agent.spec);
  return state.seats
    .filter((seat) => seat.kind !== "person")
    .map((seat) => {
      const offered = seat.agent && !specs.includes(seat.agent) ? [seat.agent, ...specs] : specs;
      return h(
        "label",
        { class: "field", key: `chair-${seat.seat}` },
        h("span", null, `${t("chair", seat.seat + 1)} · ${t("change_seat")}`),
        h(
          "select",
          {
            value: seat.agent ?? "",
            onchange: (/** @type {any} */ event) =>
              void ask("seat", { seat: seat.seat, agent: event.target.value || null }),
          },
          h("option", { value: "" }, t("open_chair")),
          offered.map((spec) => h("option", { value: spec, key: spec }, spec)),
        ),
      );
    });
}
