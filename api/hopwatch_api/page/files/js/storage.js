/** What the browser keeps for the page. One that lets it keep nothing has it remember for as long as it is open. */

class Memory {
  /** @param {"sessionStorage" | "localStorage"} kind */
  constructor(kind) {
    this.kind = kind;
    this.here = new Map();
  }

  /** @returns {string | null} */
  get(key) {
    try {
      return window[this.kind].getItem(key) ?? this.here.get(key) ?? null;
    } catch (error) {
      return this.here.get(key) ?? null;
    }
  }

  set(key, value) {
    this.here.set(key, value);
    try {
      window[this.kind].setItem(key, value);
    } catch (error) {
      // it is remembered here
    }
  }
}

export const inTab = new Memory("sessionStorage");
export const inBrowser = new Memory("localStorage");
