/**
 * Shapes of what the server says (docs/protocol.md, marias_table/messages.py), for the type checker.
 *
 * @typedef {{id: number, action: string, label: string, kind: string}} Choice
 * @typedef {{rule: string, text: string}} Forbidden
 * @typedef {{suit: string, worth: number}} Marriage
 * @typedef {object} SeatState
 * @property {number} seat
 * @property {string} name
 * @property {"person"|"agent"|"open"} kind
 * @property {string|null} agent
 * @property {string|null} stand_in
 * @property {boolean} host
 * @property {boolean} connected
 * @property {boolean} thinking
 * @property {boolean} ready
 * @property {number} cards
 * @property {string[]|null} hand
 * @property {number} tricks
 * @property {Marriage[]} marriages
 * @property {string[]} roles
 * @property {number} total
 *
 * @typedef {{seat: number, kind: string, action: string|null, label: string,
 *   cards: (string|null)[], level: number}} CallState
 * @typedef {{number: number, leader: number, cards: {seat: number, card: string}[],
 *   winner: number|null, best: number, points: number,
 *   marriages: {seat: number, suit: string, worth: number}[]}} TrickState
 * @typedef {{component: string, name: string, side: string|null, level: number,
 *   level_name: string, factor: number}} StakeState
 * @typedef {{value: number, payments: number[], ending: string, lines: string[],
 *   talon: string[], dealt: string[][]}} Result
 * @typedef {{deals: number, points: number|null, played: number, over: boolean,
 *   winners: number[]}} MatchState
 *
 * @typedef {object} State
 * @property {number} seq
 * @property {number} deal
 * @property {number} at
 * @property {boolean} started
 * @property {boolean} paused
 * @property {boolean} closed
 * @property {number|null} you
 * @property {boolean} host
 * @property {string} language
 * @property {string} rules
 * @property {Record<string, unknown>} options
 * @property {string} spectators
 * @property {number} watching
 * @property {boolean} hints
 * @property {string} phase
 * @property {string} phase_name
 * @property {number|null} turn
 * @property {number[]} waiting_for
 * @property {number} dealer
 * @property {number} forehand
 * @property {number|null} declarer
 * @property {string|null} contract
 * @property {string} contract_name
 * @property {string|null} trump
 * @property {string|null} trump_card
 * @property {boolean} trump_shown
 * @property {boolean} blind
 * @property {SeatState[]} seats
 * @property {number} unseen
 * @property {string[]|null} talon
 * @property {number} talon_count
 * @property {string[]} discards
 * @property {string[]} taken
 * @property {Choice[]} legal
 * @property {Record<string, Forbidden>} forbidden
 * @property {CallState[]} calls
 * @property {TrickState[]} tricks
 * @property {StakeState[]} stakes
 * @property {{declarer: {cards: number, marriages: number},
 *   defenders: {cards: number, marriages: number}}|null} points
 * @property {number[][]} history
 * @property {MatchState|null} match
 * @property {Result|null} result
 *
 * @typedef {{seq: number, kind: string, text: string, seat?: number, action?: string|null}} Event
 * @typedef {{join: string|null, watch: string|null}} Links
 *
 * @typedef {{type: string, re?: number|number[]|null, [key: string]: any}} Message
 *
 * @typedef {{agent: string, label: string, action: string, reason: string, deal: number, at: number,
 *   alternatives: {actions: string[], label: string, units: number|null, wins: number|null}[]}} Hint
 * @typedef {{seat: number, trick: number, card: string, value: number, best: number,
 *   better: string[], cost: number}} CardCost
 * @typedef {{deal: number, start: number|null, value: number|null, cards: CardCost[],
 *   costs: number[], worths: {seat: number, name: string, contract: string, trump: string,
 *   announced: string[], discards: string[], value: number}[]}} Analysis
 *
 * @typedef {{value: any, label: string}} FormChoice
 * @typedef {{name: string, label: string, help: string, kind: string, choices?: FormChoice[],
 *   min?: number, max?: number}} FormField
 * @typedef {{name: string, label: string, text: string, values: Record<string, any>}} Preset
 * @typedef {{presets: Preset[], fields: FormField[], default_agent: string,
 *   agents: {spec: string, label: string, help: string}[]}} Form
 *
 * @typedef {{rules: string, options: Record<string, any>, length: string, deals: number,
 *   points: string, seats: string[], spectators: string, hints: boolean}} SetupChoice
 */
export {};
