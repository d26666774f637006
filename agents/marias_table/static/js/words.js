/** Words of both languages: the server's one table (marias_env/showing/phrases.py). */

/** @type {Record<string, string>} */
let words = {};

/**
 * Fetches the words of a language.
 * @param {string} language
 */
export async function loadWords(language) {
  useWords(language, await fetchJson(`api/words?language=${language}`));
}

/**
 * @param {string} language
 * @param {Record<string, string>} table
 */
export function useWords(language, table) {
  words = table;
  document.documentElement.lang = language;
  document.title = t("title");
}

/**
 * Returns a word or sentence, its gaps filled in.
 * @param {string} key
 * @param {...(string|number)} parts
 */
export function t(key, ...parts) {
  let next = 0;
  return (words[key] ?? key).replace(/\{(\d*)\}/g, (_, place) =>
    String(parts[place === "" ? next++ : Number(place)] ?? ""),
  );
}

/**
 * @param {string} key
 */
export function hasWord(key) {
  return key in words;
}

/**
 * @param {string} text
 */
export function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * A whole number with its sign, such as `+3` or `−2`.
 * @param {number} value
 */
export function signed(value) {
  return value > 0 ? `+${value}` : value < 0 ? `−${-value}` : "0";
}

/**
 * @param {string} address
 * @returns {Promise<any>}
 */
export async function fetchJson(address) {
  const answer = await fetch(address, { headers: { accept: "application/json" } });
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return answer.json();
}
