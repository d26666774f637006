/**
 * The connection to the server: enters, asks, listens, and comes back by itself when it was lost.
 *
 * @typedef {import("./types.js").Message} Message
 */
const PROTOCOL = "marias-table/1";
const TOKEN = "marias-seat";
const AWAY = "marias-away";
const PING_EVERY = 15_000;
const PONG_WITHIN = 8_000;
const LONGEST_WAIT = 15_000;
/** Refusals that are over after a while. */
const PASSING = new Set(["too_many_sockets", "too_fast", "failed"]);

/** The seat's token: in this tab only, and in no address. */
export const seatToken = {
  get: () => sessionStorage.getItem(TOKEN) ?? "",
  /** @param {string} token */
  set: (token) => sessionStorage.setItem(TOKEN, token),
  clear: () => sessionStorage.removeItem(TOKEN),
  /** Whether the person has got up: then a reload doesn't sit down again by itself. */
  isAway: () => sessionStorage.getItem(AWAY) === "1",
  /** @param {boolean} away */
  away: (away) => (away ? sessionStorage.setItem(AWAY, "1") : sessionStorage.removeItem(AWAY)),
};

/** What the server refused. */
export class Refused extends Error {
  /** @param {Message} message */
  constructor(message) {
    super(message.text ?? message.message);
    this.code = String(message.code);
  }
}

export class Connection {
  /**
   * @param {{heard: (message: Message) => void, status: (link: "connecting"|"open"|"lost") => void,
   *   language: () => string}} listener
   */
  constructor(listener) {
    this.listener = listener;
    /** @type {WebSocket|null} */
    this.socket = null;
    /** @type {Record<string, any>|null} */
    this.entrance = null;
    /** Whether this socket, and whether any before it, has been let in. */
    this.entered = false;
    this.known = false;
    this.since = 0;
    this.wait = 0;
    this.number = 0;
    this.timer = 0;
    this.pinger = 0;
    this.deadline = 0;
    /** @type {Map<number, {done: (message: Message) => void, failed: (error: Error) => void}>} */
    this.asked = new Map();
    // A phone that wakes up does not wait for a timer.
    document.addEventListener("visibilitychange", () => !document.hidden && this.hurry());
    window.addEventListener("online", () => this.hurry());
  }

  /**
   * Opens a connection with one of the entrances `create`, `join`, `enter`, `watch`.
   * @param {Record<string, any>} entrance
   */
  enter(entrance) {
    this.drop();
    this.entrance = entrance;
    this.known = false;
    this.since = 0;
    this.wait = 0;
    this.open();
  }

  /** Ends the connection, and any attempt to get it back. */
  drop() {
    this.entrance = null;
    clearTimeout(this.timer);
    clearInterval(this.pinger);
    clearTimeout(this.deadline);
    const socket = this.socket;
    this.socket = null;
    socket?.close(1000);
    this.fail(new Error("closed"));
  }

  /**
   * Sends a request; the promise is kept by its answer.
   * @param {string} type
   * @param {Record<string, any>} [fields]
   * @returns {Promise<Message>}
   */
  ask(type, fields = {}) {
    return new Promise((done, failed) => {
      if (this.socket?.readyState !== WebSocket.OPEN || !this.entered) {
        failed(new Error("not connected"));
        return;
      }
      const id = ++this.number;
      this.asked.set(id, { done, failed });
      this.socket.send(JSON.stringify({ type, id, ...fields }));
    });
  }

  /** @private */
  open() {
    this.listener.status("connecting");
    this.entered = false;
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const path = location.pathname.replace(/[^/]*$/, "");
    const socket = new WebSocket(`${scheme}//${location.host}${path}ws`);
    this.socket = socket;
    socket.onopen = () => socket.send(JSON.stringify(this.firstMessage()));
    socket.onmessage = (event) => socket === this.socket && this.hear(JSON.parse(event.data));
    socket.onclose = () => socket === this.socket && this.lost();
  }

  /** @private */
  firstMessage() {
    const common = { protocol: PROTOCOL, id: ++this.number, language: this.listener.language() };
    const entrance = this.entrance ?? {};
    // Who has a chair comes back to it, however he once came in.
    if (entrance.type !== "watch" && (this.known || entrance.type === "enter")) {
      return { type: "enter", token: seatToken.get(), since: this.since, ...common };
    }
    if (entrance.type === "watch") return { ...entrance, since: this.since, ...common };
    return { ...entrance, ...common };
  }

  /**
   * @private
   * @param {Message} message
   */
  hear(message) {
    clearTimeout(this.deadline);
    if (message.type === "welcome") {
      this.entered = true;
      this.known = true;
      this.wait = 0;
      if (message.token) seatToken.set(message.token);
      clearInterval(this.pinger);
      this.pinger = setInterval(() => this.ping(), PING_EVERY);
      this.listener.status("open");
    }
    if (message.state) this.since = message.state.seq;
    const refused = message.type === "error" && !this.entered;
    if (refused && this.known && PASSING.has(String(message.code))) return; // and try again
    if (refused || message.type === "closed") this.entrance = null; // nothing to come back to
    const answered = Array.isArray(message.re) ? message.re : [message.re];
    this.listener.heard(message);
    for (const id of answered) {
      const waiting = typeof id === "number" ? this.asked.get(id) : undefined;
      if (!waiting) continue;
      this.asked.delete(/** @type {number} */ (id));
      if (message.type === "error") waiting.failed(new Refused(message));
      else waiting.done(message);
    }
  }

  /** @private */
  ping() {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    this.socket.send(JSON.stringify({ type: "ping", id: ++this.number }));
    clearTimeout(this.deadline);
    this.deadline = setTimeout(() => this.abandon(), PONG_WITHIN);
  }

  /** A socket that no longer answers is given up; closing it properly could take minutes. @private */
  abandon() {
    const socket = this.socket;
    if (!socket) return;
    socket.onclose = null;
    socket.onmessage = null;
    socket.close();
    this.lost();
  }

  /** @private */
  lost() {
    clearInterval(this.pinger);
    clearTimeout(this.deadline);
    this.socket = null;
    this.fail(new Error("connection lost"));
    if (!this.entrance) return;
    this.listener.status("lost");
    this.wait = Math.min(Math.max(1000, 2 * this.wait), LONGEST_WAIT);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.open(), this.wait);
  }

  /** @private */
  hurry() {
    if (!this.entrance) return;
    if (this.socket === null) {
      clearTimeout(this.timer);
      this.open();
    } else {
      this.ping(); // the socket may be dead without knowing it
    }
  }

  /**
   * @private
   * @param {Error} error
   */
  fail(error) {
    const waiting = [...this.asked.values()];
    this.asked.clear();
    for (const { failed } of waiting) failed(error);
  }
}
