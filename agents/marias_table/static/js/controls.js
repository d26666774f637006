/**
 * What the person on turn may do besides pressing a card: a button for each call, with a line that
 * says what it means.
 *
 * @typedef {import("./types.js").State} State
 * @typedef {import("./types.js").Choice} Choice
 */
import { cardName, suitSign } from "./cards.js";
import { act, discardSelected } from "./deeds.js";
import { h } from "./dom.js";
import { discardsMissing } from "./hand.js";
import { app, rulesValue, settings, ui } from "./store.js";
import { capital, t } from "./words.js";

/**
 * The line that says whose turn it is and what is asked of him.
 * @param {State} state
 */
export function promptText(state) {
  if (state.phase === "OVER" || state.turn === null) return "";
  if (state.turn !== state.you) return t("turn_of", state.seats[state.turn].name);
  switch (state.phase) {
    case "TRUMP":
      return t("prompt_trump");
    case "CONTRACT":
      return t("prompt_contract");
    case "DISCARD":
      return t("prompt_discard");
    case "REPLY":
      return t("prompt_reply", nameOf(state, state.declarer), state.contract_name);
    case "NAME_TRUMP":
      return t("prompt_name_trump");
    case "ANNOUNCE":
      return t("prompt_announce");
    case "DOUBLE":
      return t("prompt_double");
    default: {
      const trick = state.tricks[state.tricks.length - 1];
      return trick && trick.winner === null ? t("prompt_play") : t("prompt_lead");
    }
  }
}

/**
 * @param {State} state
 * @param {number|null} seat
 */
function nameOf(state, seat) {
  return seat === null ? "" : state.seats[seat].name;
}

/**
 * The buttons of the phase, for who is on turn.
 * @param {State} state
 */
export function controlsView(state) {
  const mine = state.turn !== null && state.turn === state.you;
  return h(
    "div",
    { class: `controls phase-${state.phase}`, key: "controls", "data-zone": "controls" },
    mine ? controlsOf(state) : null,
  );
}

/**
 * @param {State} state
 */
function controlsOf(state) {
  switch (state.phase) {
    case "TRUMP":
      return trumpChoice(state);
    case "DISCARD":
      return discards();
    case "PLAY":
      return play(state);
    default:
      return calls(state);
  }
}

/**
 * @param {string} text
 */
function help(text) {
  return h("p", { class: "help" }, text);
}

/**
 * @param {string} key
 * @param {import("./dom.js").Child} label
 * @param {string} explained
 * @param {() => void} onclick
 * @param {{kind?: string, blocked?: boolean, action?: string}} [more]
 */
function button(key, label, explained, onclick, more = {}) {
  const { kind = "", blocked = false, action = key } = more;
  return h(
    "button",
    {
      key,
      type: "button",
      class: `choice ${kind}`,
      "data-action": action,
      disabled: ui.busy || app.link !== "open",
      "aria-disabled": blocked ? "true" : null,
      onclick,
    },
    h("strong", null, label),
    explained ? h("small", null, explained) : null,
  );
}

/**
 * @param {State} state
 */
function trumpChoice(state) {
  const card = ui.selected[0];
  const blind = state.legal.find((choice) => choice.action === "blind");
  return [
    help(t("help_trump")),
    h(
      "div",
      { class: "choices" },
      card
        ? button(
            "confirm",
            [`${t("choose_trump", "")} `, suitSign(card.slice(-1), true)],
            cardName(card),
            () => void act(card),
            { kind: "main", action: "confirm" },
          )
        : button("confirm", t("choose_first"), "", () => {}, { blocked: true, kind: "main" }),
      blind
        ? button("blind", t("blind_button"), t("help_blind"), () => void act("blind"))
        : null,
    ),
  ];
}

function discards() {
  const wanted = discardsMissing();
  const ready = ui.selected.length === wanted;
  return [
    help(app.state?.contract === "suit" ? t("help_discard") : ""),
    h(
      "div",
      { class: "choices" },
      button(
        "confirm",
        ui.selected.length
          ? `${t("discard_button")}: ${ui.selected.map(cardName).join(", ")}`
          : t("discard_button"),
        t("discard_count", ui.selected.length + 2 - wanted),
        () => ready && void discardSelected(),
        { blocked: !ready, kind: "main" },
      ),
    ),
  ];
}

/**
 * @param {State} state
 */
function play(state) {
  const card = ui.selected[0];
  const early = state.tricks.length <= 2;
  return [
    early ? help(t(state.contract === "suit" ? "help_play" : "help_play_notrump")) : null,
    ui.revoke
      ? button(
          "revoke",
          t("revoke_button", cardName(ui.revoke)),
          t("revoke_help"),
          () => void act(ui.revoke, true),
          { kind: "bad" },
        )
      : null,
    settings.twoTaps && card
      ? h(
          "div",
          { class: "choices" },
          button("confirm", t("play_button", cardName(card)), "", () => void act(card), {
            kind: "main",
          }),
        )
      : null,
  ];
}

/**
 * @param {State} state
 */
function calls(state) {
  const blocked = Object.entries(state.forbidden).filter(([action]) => action.length > 2);
  return [
    state.phase === "NAME_TRUMP" ? help(t("help_name_trump")) : null,
    h(
      "div",
      { class: "choices" },
      state.legal.map((choice) =>
        button(
          choice.action,
          choice.kind === "trump"
            ? suitSign(choice.action.slice(-1), true)
            : capital(choice.label),
          explanation(state, choice),
          () => void act(choice.action),
          { kind: choice.kind },
        ),
      ),
      blocked.map(([action, why]) =>
        button(action, capital(t(action)), why.text, () => {}, { blocked: true }),
      ),
    ),
  ];
}

/**
 * One line on what a call means.
 * @param {State} state
 * @param {Choice} choice
 */
function explanation(state, choice) {
  const against = state.you !== state.declarer ? "_against" : "";
  switch (choice.kind) {
    case "contract":
      return `${t(`help_${choice.action}`)}${price(state, choice.action)}`;
    case "good":
      return t(state.phase === "REPLY" ? "help_good" : "help_nothing");
    case "bad":
      return t("help_bad");
    case "announce":
      return t(`help_${choice.action}${against}`);
    case "raise": {
      if (state.phase === "REPLY") return t("help_flek_reply");
      const name = choice.action === "flek_seven" ? "seven" : "game";
      const stake = state.stakes.find((one) => one.component === name);
      return stake ? t("help_raise", capital(choice.label), stake.name, 2 * stake.factor) : "";
    }
    default:
      return "";
  }
}

/**
 * @param {State} state
 * @param {string} contract
 */
function price(state, contract) {
  const tariff = rulesValue(state, "tariff");
  return tariff ? ` ${capital(t("pays", tariff[contract]))}.` : "";
}
