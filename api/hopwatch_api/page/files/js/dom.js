/** Elements: made, filled and kept up to date. Texts are set as texts, never as markup: what journals tell is not trusted. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * @param {Element} element
 * @param {Record<string, any>} attributes
 * @param {any[]} children
 */
function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false && child !== ""));
  return element;
}

/** @returns {HTMLElement} */
export function h(tag, attributes = {}, ...children) {
  return /** @type {HTMLElement} */ (filled(document.createElement(tag), attributes, children));
}

/** @returns {SVGElement} */
export function s(tag, attributes = {}, ...children) {
  return /** @type {SVGElement} */ (filled(document.createElementNS(SVG, tag), attributes, children));
}

/** @returns {HTMLElement} the element of that id, which is part of the page */
export function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/** Sets the text where it is another one: what is selected or read aloud stays as it is. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Sets the attribute where it is another one. */
export function setAttribute(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** A name as journals tell it: its direction is its own. */
export function named(text) {
  return h("bdi", {}, text);
}
