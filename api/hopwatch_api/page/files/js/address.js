/** What is shown, in the page's address: it can be linked to, and survives a reload. */

const DEFAULTS = { q: "", sort: "state", state: "", socket: "", losses: "", at: "" };
const PLACES = new Set(["map", "sockets", "incidents", "findings", "events"]);

export class Address {
  /** @param {(chosen: typeof DEFAULTS) => void} changed is called with what is chosen now; `at`: the part of the page to go to */
  constructor(changed) {
    this.chosen = { ...DEFAULTS };
    this.changed = changed;
    this.#read();
    addEventListener("hashchange", () => {
      if (this.#read()) changed(this.chosen);
    });
  }

  /** What leads to the page as it is now, but for this choice. */
  hrefWith(choice) {
    const told = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...this.chosen, at: "", ...choice })) if (value !== DEFAULTS[name]) told.set(name, value);
    return `#${told}`;
  }

  /** Notes a choice; what is typed makes no history. */
  set(choice, { history = false } = {}) {
    const hash = this.hrefWith(choice);
    Object.assign(this.chosen, { at: "" }, choice);
    if (location.hash !== hash) {
      if (history) globalThis.history.pushState(null, "", hash);
      else globalThis.history.replaceState(null, "", hash);
    }
    this.changed(this.chosen);
  }

  /** False where the address only leads to a part of the page. */
  #read() {
    const text = location.hash.slice(1);
    if (PLACES.has(text)) return false;
    const told = new URLSearchParams(text);
    this.chosen = { ...DEFAULTS };
    for (const name of Object.keys(DEFAULTS)) if (told.has(name)) this.chosen[name] = told.get(name) ?? "";
    return true;
  }
}
