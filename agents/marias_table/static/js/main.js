/** Starts the page: words, faces and form first, then the place that the address or the tab names. */
import { loadFaces } from "./cards.js";
import { comeBack, watch } from "./deeds.js";
import { dialogView } from "./dialogs.js";
import { h, patch } from "./dom.js";
import { focusHand } from "./hand.js";
import { app, deckName, drawWith, redraw, settings } from "./store.js";
import { seatToken } from "./socket.js";
import { startView } from "./start.js";
import { tableView } from "./table.js";
import { fetchJson, loadWords } from "./words.js";

const root = /** @type {HTMLElement} */ (document.getElementById("app"));

function draw() {
  const focused = document.activeElement?.closest("[data-zone]");
  const zone = focused instanceof HTMLElement ? focused.dataset.zone : "";
  patch(root, view());
  document.body.dataset.view = app.view;
  document.body.dataset.link = app.link;
  // What had the focus may be gone, such as the card just played: its neighbour gets it.
  if (zone && document.activeElement === document.body) {
    const button = document.querySelector(".controls button:not([disabled])");
    if (zone === "controls" && button instanceof HTMLElement) button.focus();
    else focusHand();
  }
}

/** @returns {(import("./dom.js").VNode|string)[]} */
function view() {
  if (app.view === "loading") return [h("main", { class: "start loading", key: "l" }, "Mariáš …")];
  if (app.view === "broken") {
    return [
      h(
        "main",
        { class: "start", key: "b" },
        h("p", { class: "notice", role: "alert" }, "Mariáš: the server cannot be reached. · Server není dostupný."),
        h(
          "button",
          { type: "button", class: "big", onclick: () => void begin() },
          h("strong", null, "Try again · Zkusit znovu"),
        ),
      ),
    ];
  }
  const page = app.view === "table" && app.state ? tableView(app.state) : [startView()];
  return h("div", null, page, dialogView()).children;
}

async function begin() {
  app.view = "loading";
  redraw();
  try {
    await Promise.all([loadWords(settings.language), loadFaces(deckName())]);
    app.form = await fetchJson(`api/form?language=${settings.language}`);
  } catch {
    app.view = "broken";
    redraw();
    return;
  }
  goWhereTheAddressSays();
}

function goWhereTheAddressSays() {
  const [, purpose, token] = /^#(join|watch)=(.+)$/.exec(location.hash) ?? [];
  app.view = "start";
  if (purpose === "join") {
    app.invite = token;
    app.view = "join";
  } else if (purpose === "watch") {
    watch(token);
  } else if (seatToken.get() && !seatToken.isAway()) {
    comeBack();
  }
  redraw();
}

drawWith(draw);
window.addEventListener("hashchange", () => {
  if (/^#(join|watch)=/.test(location.hash)) goWhereTheAddressSays();
});
document.addEventListener("keydown", (event) => {
  // The card at hand is one key away from anywhere on the table.
  if (event.key === "F2" && app.view === "table") focusHand();
});
void begin();
