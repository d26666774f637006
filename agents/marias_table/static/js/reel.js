/**
 * Where recorded deals come from: the server of `marias view`, or the very file that is open.
 *
 * @typedef {import("./types.js").State} State
 * @typedef {import("./types.js").Choice} Choice
 * @typedef {{name: string, deals: number, first: number, agents: string[], language: string}} About
 * @typedef {{legal: Choice[], values: Record<string, number>, taken: string|null}} Options
 * @typedef {{agent: string, action: string, label: string, reason: string}} Advice
 *
 * @typedef {object} Reel
 * @property {boolean} quick nothing has to be waited for
 * @property {About} about
 * @property {(language: string) => Promise<Record<string, string>>} words
 * @property {(deck: string) => Promise<string>} faces
 * @property {(index: number, eyes: number, language: string) => Promise<State[]>} film
 * @property {(index: number, at: number, language: string) => Promise<Options>} options
 * @property {(index: number, at: number, agent: number, language: string, stop?: AbortSignal) =>
 *   Promise<Advice>} advice
 * @property {(index: number) => Promise<object>} record
 */
import { fetchJson } from "./words.js";

/** @returns {Promise<Reel>} */
export async function openReel() {
  const packed = document.getElementById("shared")?.textContent;
  return packed ? shared(packed.trim()) : served();
}

/** @returns {Promise<Reel>} */
async function served() {
  return {
    quick: false,
    about: await fetchJson("api/file"),
    words: (language) => fetchJson(`api/words?language=${language}`),
    faces: async (deck) => {
      const answer = await fetch(`cards/${deck}.svg`);
      if (!answer.ok) throw new Error(`cards/${deck}.svg: ${answer.status}`);
      return answer.text();
    },
    film: (index, eyes, language) =>
      fetchJson(`api/film?index=${index}&eyes=${eyes}&language=${language}`),
    options: (index, at, language) =>
      fetchJson(`api/options?index=${index}&at=${at}&language=${language}`),
    advice: async (index, at, agent, language, stop) => {
      const where = `index=${index}&at=${at}&agent=${agent}&language=${language}`;
      const answer = await fetch(`api/advice?${where}`, { signal: stop ?? null });
      const told = await answer.json();
      if (!answer.ok) throw new Error(told.message);
      return told;
    },
    record: (index) => fetchJson(`api/record?index=${index}`),
  };
}

/**
 * @param {string} packed
 * @returns {Promise<Reel>}
 */
async function shared(packed) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const held = await new Response(stream).json();
  return {
    quick: true,
    about: { name: "", deals: 1, first: 0, agents: held.agents, language: held.language },
    words: async (language) => held.words[language],
    faces: async (deck) => held.cards[deck],
    film: async (_, eyes, language) => held.films[language][eyes],
    options: async (_, at, language) => held.options[language][at],
    advice: async (_, at, agent, language) => held.advice[language][at][agent],
    record: async () => held.record,
  };
}
