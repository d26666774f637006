/** Card faces: both decks are sheets of SVG symbols; a card is a `use` of one of them. */
import { h } from "./dom.js";
import { t } from "./words.js";

let present = "";

/**
 * Puts a deck's symbols into the page; every card on it changes its face.
 * @param {string} deck `french` or `german`
 */
export async function loadFaces(deck) {
  if (deck === present) return;
  const answer = await fetch(`cards/${deck}.svg`);
  if (!answer.ok) throw new Error(`cards/${deck}.svg: ${answer.status}`);
  useFaces(deck, await answer.text());
}

/**
 * @param {string} deck
 * @param {string} text its sheet of symbols
 */
export function useFaces(deck, text) {
  const sheet = new DOMParser().parseFromString(text, "image/svg+xml");
  const root = sheet.documentElement;
  for (const symbol of root.querySelectorAll("symbol")) symbol.id = `face-${symbol.id}`;
  root.setAttribute("width", "0");
  root.setAttribute("height", "0");
  document.getElementById("faces")?.replaceChildren(document.importNode(root, true));
  document.documentElement.dataset.deck = deck;
  present = deck;
}

/**
 * A card's picture, without a name for screen readers.
 * @param {string|null} card null: its back
 */
export function picture(card) {
  return h(
    "svg",
    { class: "face", viewBox: "0 0 100 150", "aria-hidden": "true", focusable: "false" },
    h("use", { href: `#face-${card ?? "back"}` }),
  );
}

/**
 * A card that lies somewhere, with its name.
 * @param {string|null} card
 * @param {Record<string, any>} [props]
 */
export function lying(card, props = {}) {
  const { class: more = "", ...rest } = props;
  return h(
    "span",
    { class: `card ${more}`, role: "img", "aria-label": cardName(card), ...rest },
    picture(card),
  );
}

/**
 * @param {string|null} card
 */
export function cardName(card) {
  return card === null ? t("card_back") : t(`card_${card}`);
}

/**
 * A suit's sign as the deck on the table has it, with its name.
 * @param {string} suit its letter
 * @param {boolean} [named] with its name beside the sign
 */
export function suitSign(suit, named = false) {
  return h(
    "span",
    { class: "suit" },
    h(
      "svg",
      { viewBox: "0 0 100 100", "aria-hidden": "true", focusable: "false" },
      h("use", { href: `#face-suit-${suit}` }),
    ),
    named ? ` ${t(`suit_${suit}`)}` : h("span", { class: "unseen" }, t(`suit_${suit}`)),
  );
}
