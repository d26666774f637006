/**
 * The page as a function of its state: `h` describes elements, `patch` changes only what differs, so
 * that focus, scroll places and running transitions survive a redraw.
 *
 * @typedef {{tag: string, key: string|null, props: Record<string, any>, children: (VNode|string)[]}}
 *   VNode
 * @typedef {VNode|string|number|null|undefined|false|Child[]} Child
 */

/** @type {WeakMap<Node, VNode>} */
const described = new WeakMap();
const AS_PROPERTY = new Set(["value", "checked", "disabled", "hidden", "selected"]);

/**
 * @param {string} tag
 * @param {Record<string, any>|null} [props] attributes, `on…` handlers, `key`, `style` (an object:
 *   the content security policy forbids style attributes), `ref` (called after every drawing)
 * @param {...Child} children
 * @returns {VNode}
 */
export function h(tag, props, ...children) {
  const { key = null, ...rest } = props ?? {};
  return { tag, key, props: rest, children: flat(children) };
}

/**
 * @param {Child[]} children
 * @returns {(VNode|string)[]}
 */
function flat(children) {
  /** @type {(VNode|string)[]} */
  const found = [];
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) found.push(...flat(child));
    else found.push(typeof child === "number" ? String(child) : child);
  }
  return found;
}

/**
 * Makes the children of an element those described.
 * @param {Element} parent
 * @param {(VNode|string)[]} next
 */
export function patch(parent, next) {
  /** @type {Map<string, Node>} */
  const keyed = new Map();
  /** @type {Node[]} */
  const loose = [];
  for (const node of parent.childNodes) {
    const key = described.get(node)?.key;
    if (key) keyed.set(key, node);
    else loose.push(node);
  }
  const nodes = next.map((want) => reuse(want, keyed, loose) ?? create(want, parent));
  // What is left over goes first: moving a node would take the focus from it.
  for (const node of [...keyed.values(), ...loose]) parent.removeChild(node);
  let place = parent.firstChild;
  nodes.forEach((node, index) => {
    if (node === place) place = place.nextSibling;
    else parent.insertBefore(node, place);
    const want = next[index];
    if (typeof want === "string") {
      if (node.nodeValue !== want) node.nodeValue = want;
    } else {
      update(/** @type {HTMLElement} */ (node), want);
    }
  });
}

/**
 * @param {VNode|string} want
 * @param {Map<string, Node>} keyed
 * @param {Node[]} loose
 * @returns {Node|null}
 */
function reuse(want, keyed, loose) {
  if (typeof want !== "string" && want.key) {
    const node = keyed.get(want.key);
    if (!node || described.get(node)?.tag !== want.tag) return null;
    keyed.delete(want.key);
    return node;
  }
  const index = loose.findIndex((node) =>
    typeof want === "string"
      ? node.nodeType === Node.TEXT_NODE
      : described.get(node)?.tag === want.tag,
  );
  return index < 0 ? null : loose.splice(index, 1)[0];
}

/**
 * @param {VNode|string} want
 * @param {Element} parent
 * @returns {Node}
 */
function create(want, parent) {
  if (typeof want === "string") return document.createTextNode(want);
  const inSvg = want.tag === "svg" || parent.namespaceURI === "http://www.w3.org/2000/svg";
  const node = inSvg
    ? document.createElementNS("http://www.w3.org/2000/svg", want.tag)
    : document.createElement(want.tag);
  described.set(node, { tag: want.tag, key: want.key, props: {}, children: [] });
  return node;
}

/**
 * @param {HTMLElement} node
 * @param {VNode} want
 */
function update(node, want) {
  const before = described.get(node)?.props ?? {};
  for (const name of Object.keys(before)) {
    if (!(name in want.props)) set(node, name, null, before[name]);
  }
  // A select takes its value only when its options are there.
  patch(node, want.children);
  for (const [name, value] of Object.entries(want.props)) set(node, name, value, before[name]);
  described.set(node, want);
  want.props.ref?.(node);
}

/**
 * @param {HTMLElement} node
 * @param {string} name
 * @param {any} value
 * @param {any} before
 */
function set(node, name, value, before) {
  if (name === "ref") return;
  if (name === "style") {
    for (const key of Object.keys(before ?? {})) {
      if (!(key in (value ?? {}))) node.style.removeProperty(key);
    }
    for (const [key, entry] of Object.entries(value ?? {})) {
      node.style.setProperty(key, String(entry));
    }
  } else if (name.startsWith("on") || AS_PROPERTY.has(name)) {
    const target = /** @type {any} */ (node);
    if (target[name] !== value) target[name] = value ?? (name.startsWith("on") ? null : "");
  } else if (value !== before) {
    if (value === null || value === undefined || value === false) node.removeAttribute(name);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
}
