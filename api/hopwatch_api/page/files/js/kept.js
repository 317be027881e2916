/** Brings what is shown up to date in place: what is focused, selected or read aloud stays, as long as it is shown at all. */

/**
 * Makes the element's children those wanted. Those of one `data-key` are the same, others those of one tag at one place;
 * what is the same is kept, with its listeners, and made like the one wanted.
 * @param {Element} place
 * @param {any[]} wanted nodes and texts
 */
export function setChildren(place, ...wanted) {
  const focused = /** @type {HTMLElement | SVGElement | null} */ (document.activeElement);
  fill(place, wanted);
  // what has to change places loses the focus on its way
  if (focused !== document.activeElement && focused?.isConnected) focused.focus({ preventScroll: true });
}

/**
 * @param {Element} place
 * @param {any[]} wanted
 */
function fill(place, wanted) {
  const children = nodes(wanted);
  const keys = new Set(children.map(keyOf).filter(Boolean));
  const kept = new Map();
  for (const child of [...place.childNodes]) {
    const key = keyOf(child);
    if (key && keys.has(key)) kept.set(key, child);
    else if (key) child.remove();
  }
  let at = place.firstChild;
  for (const child of children) {
    const key = keyOf(child);
    const same = key ? kept.get(key) : at && !keyOf(at) && alike(at, child) ? at : null;
    if (!same) place.insertBefore(child, at);
    else if (same === at) at = at.nextSibling;
    else place.insertBefore(same, at);
    if (!same) continue;
    kept.delete(key);
    makeLike(same, child);
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

/** Whether what an element is made of is another thing than the last time. */
export function isNew(place, ...of) {
  const before = made.get(place);
  made.set(place, of);
  return !before || of.some((value, index) => value !== before[index]);
}

const made = new WeakMap();

/** @returns {Node[]} */
function nodes(wanted) {
  return wanted.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false && child !== "")
    .map((child) => (child instanceof Node ? child : document.createTextNode(String(child))));
}

function keyOf(node) {
  return node instanceof Element ? node.getAttribute("data-key") : null;
}

function alike(one, other) {
  return one.nodeName === other.nodeName;
}

function makeLike(one, other) {
  if (one instanceof Text) {
    if (one.data !== other.data) one.data = other.data;
    return;
  }
  for (const { name } of [...one.attributes]) if (!other.hasAttribute(name)) one.removeAttribute(name);
  for (const { name, value } of [...other.attributes]) if (one.getAttribute(name) !== value) one.setAttribute(name, value);
  fill(one, [...other.childNodes]);
}
