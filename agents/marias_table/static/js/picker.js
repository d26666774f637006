/** Choices that several pages have. */
import { h } from "./dom.js";
import { t } from "./words.js";

/**
 * A choice among a few values.
 * @param {string} name
 * @param {string} label
 * @param {[string, string][]} values value and label
 * @param {string} current
 * @param {(value: string) => void} choose
 */
export function picker(name, label, values, current, choose) {
  return h(
    "fieldset",
    { class: "picker", key: name },
    h("legend", null, label),
    values.map(([value, shown]) =>
      h(
        "label",
        { key: value, class: value === current ? "on" : "" },
        h("input", {
          type: "radio",
          name,
          value,
          checked: value === current,
          onchange: () => choose(value),
        }),
        shown,
      ),
    ),
  );
}

/**
 * @param {string} current
 * @param {(value: string) => void} choose
 */
export function languages(current, choose) {
  return picker(
    "language",
    t("language"),
    [
      ["cs", "Čeština"],
      ["en", "English"],
    ],
    current,
    choose,
  );
}

/**
 * @param {string} current
 * @param {(value: string) => void} choose
 */
export function decks(current, choose) {
  return picker(
    "deck",
    t("deck"),
    [
      ["french", t("deck_french")],
      ["german", t("deck_german")],
    ],
    current,
    choose,
  );
}
