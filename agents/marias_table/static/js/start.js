/** The first page: play at once, come back, or set up a table with every option. */
import { picture } from "./cards.js";
import { comeBack, create, join, openDialog } from "./deeds.js";
import { deckPicker, languagePicker } from "./dialogs.js";
import { h } from "./dom.js";
import { app, redraw, remember, settings } from "./store.js";
import { seatToken } from "./socket.js";
import { setupForm } from "./setup.js";
import { t } from "./words.js";

export function startView() {
  return h(
    "main",
    { class: "start", key: "start" },
    h(
      "div",
      { class: "hero" },
      h(
        "div",
        { class: "fan", "aria-hidden": "true" },
        ["Ah", "Td", "Qs", "Kh", "7c"].map((card) => h("span", { class: "card", key: card }, picture(card))),
      ),
      h("h1", null, t("title")),
      h("p", { class: "tagline" }, t("tagline")),
    ),
    app.notice ? h("p", { class: "notice", role: "alert", key: "notice" }, app.notice) : null,
    app.view === "setup" ? setupForm() : app.view === "join" ? invitation() : entrance(),
    h(
      "section",
      { class: "prefs", key: "prefs" },
      languagePicker(),
      deckPicker(),
    ),
    h("p", { class: "small foot" }, t("license_note")),
  );
}

function entrance() {
  const form = app.form;
  return h(
    "section",
    { class: "entrance", key: "entrance" },
    h(
      "button",
      { type: "button", class: "big", "data-tool": "play", onclick: () => create(null) },
      h("strong", null, t("play")),
      h("small", null, t("play_help", form?.presets[0]?.label ?? "")),
    ),
    seatToken.get()
      ? h(
          "button",
          { type: "button", class: "choice", "data-tool": "come-back", onclick: comeBack },
          h("strong", null, t("come_back")),
        )
      : null,
    h(
      "button",
      {
        type: "button",
        class: "choice",
        "data-tool": "setup",
        onclick: () => {
          app.view = "setup";
          redraw();
        },
      },
      h("strong", null, t("setup")),
    ),
    h(
      "button",
      { type: "button", class: "choice", "data-tool": "rules", onclick: () => openDialog("rules") },
      h("strong", null, t("rules_title")),
    ),
    nameField(),
  );
}

function invitation() {
  return h(
    "section",
    { class: "entrance", key: "invitation" },
    h("h2", null, t("join_title")),
    nameField(),
    h(
      "button",
      { type: "button", class: "big", "data-tool": "join", onclick: join },
      h("strong", null, t("join")),
    ),
    h(
      "button",
      {
        type: "button",
        class: "choice",
        onclick: () => {
          app.view = "start";
          app.invite = "";
          history.replaceState(null, "", location.pathname);
          redraw();
        },
      },
      h("strong", null, t("back")),
    ),
  );
}

export function nameField() {
  return h(
    "label",
    { class: "field", key: "name" },
    h("span", null, t("your_name")),
    h("input", {
      type: "text",
      maxlength: "24",
      autocomplete: "nickname",
      value: settings.name,
      oninput: (/** @type {any} */ event) => remember({ name: event.target.value }),
    }),
  );
}
