/** Keys that work anywhere on the page, but not while somebody types. */

import { byId } from "./dom.js";
import { goTo } from "./places.js";
import { inBrowser } from "./storage.js";

const KEY = "hopwatch-keys";
const OFF = "off";
const PLACES = { m: "map-picture", i: "incidents", f: "findings", e: "feed" };

/** @param {{sockets: import("./sockets.js").Sockets, choose: (state: string) => void}} page */
export function listen(page) {
  byId("help-button").addEventListener("click", () => dialog("help").showModal());
  offerSwitch();
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const typing = event.target instanceof HTMLInputElement && event.target.type !== "checkbox";
    if (typing) {
      if (event.key === "Escape") /** @type {HTMLElement} */ (event.target).blur();
      return;
    }
    if (inBrowser.get(KEY) !== OFF && act(event.key, page)) event.preventDefault();
  });
}

/** Whoever speaks to the browser, or hits keys by chance, can have them do nothing. This browser remembers it. */
function offerSwitch() {
  const works = /** @type {HTMLInputElement} */ (byId("keys-work"));
  works.checked = inBrowser.get(KEY) !== OFF;
  works.addEventListener("change", () => inBrowser.set(KEY, works.checked ? "on" : OFF));
}

function act(key, page) {
  if (key === "/") goTo("filter", "nearest");
  else if (key === "?") dialog("help").showModal();
  else if (key === "s") goTo("socket-table", "nearest");
  else if (key === "l") page.choose("losing");
  else if (key === "p") page.choose("pressed");
  else if (key === "a") page.choose("");
  else if (/^[1-9]$/.test(key)) page.sockets.sortByNumber(Number(key));
  else if (key in PLACES) goTo(PLACES[key], "nearest");
  else return false;
  return true;
}

/** @returns {HTMLDialogElement} */
function dialog(id) {
  return /** @type {HTMLDialogElement} */ (byId(id));
}
