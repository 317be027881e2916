/** Lists are fetched when the agent says that they have changed, and not more often than they take. */

import { get } from "./api.js";

const LEAST_PAUSE_MS = 1_000;
const SHARE = 0.2;
const NAMES = ["sockets", "connections", "findings", "incidents"];

export class Lists {
  /** @param {(name: string, list: any[]) => void} fetched @param {(name: string, error: any) => void} failed */
  constructor(fetched, failed) {
    this.fetched = fetched;
    this.failed = failed;
    this.had = {};
    this.next = {};
    this.busy = new Set();
  }

  /** Has all fetched anew: another agent may answer now. */
  forget() {
    this.had = {};
  }

  /** Takes up which revisions there are, and fetches what is older. */
  renew(revisions) {
    for (const name of NAMES) {
      const due = performance.now() >= (this.next[name] ?? 0);
      if (this.had[name] !== revisions[name] && due && !this.busy.has(name)) this.#fetch(name, revisions[name]);
    }
  }

  async #fetch(name, revision) {
    this.busy.add(name);
    const began = performance.now();
    let list = null;
    try {
      list = await get(`v1/${name}`);
      this.had[name] = revision;
    } catch (error) {
      this.failed(name, error);
    }
    this.busy.delete(name);
    try {
      if (list) this.fetched(name, list);
    } finally {
      const took = performance.now() - began;
      this.next[name] = performance.now() + Math.max(LEAST_PAUSE_MS, took / SHARE);
    }
  }
}
