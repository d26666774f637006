/** The table: seats, what lies in the middle, and what is at stake. */
import { controlsView, promptText } from "./controls.js";
import { courseView } from "./course.js";
import { askHint, leave, openDialog } from "./deeds.js";
import { h } from "./dom.js";
import { handView } from "./hand.js";
import { caughtUp, shownTrick } from "./pace.js";
import { hintView, resultView, waitingRoom } from "./panels.js";
import { dealLine, felt, lastCall, places, seatView } from "./scene.js";
import { app, ui } from "./store.js";
import { t } from "./words.js";

/**
 * @typedef {import("./types.js").State} State
 */

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
      seatView(state, left, "left", { call: said(state, left) }),
      seatView(state, right, "right", { call: said(state, right) }),
      state.started
        ? felt(state, shownTrick(state), over ? resultView(state) : null)
        : waitingRoom(state),
      seatView(state, bottom, "bottom", { call: said(state, bottom) }),
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
  return h(
    "header",
    { class: "bar", key: "bar" },
    h("a", { class: "skip", href: "#hand-help" }, t("skip_to_hand")),
    dealLine(state),
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
 * What a player said last, until the first trick has been taken in.
 * @param {State} state
 * @param {number} seat
 */
function said(state, seat) {
  const own = seat === state.you;
  const after = ui.shown > 3 || (ui.shown === 3 && ui.gathered);
  return own || after ? "" : lastCall(state, seat);
}
