/** What the panel of one socket asks the agent for, time and again while it is open. */

import { get } from "./api.js";

const LANES_ASKED = 30;
const EVENTS_KEPT = 20;
const AT_ONCE = 1000;
/** A little less than the pace of what is pushed, which has them asked for. */
const PAUSES_MS = { connections: 900, lanes: 1_900, events: 1_900 };

export class Details {
  /** @param {() => void} changed is called when there is something new to show */
  constructor(changed) {
    this.changed = changed;
    this.of("");
  }

  /** Of this socket from now on; what is on its way of another one is let go. */
  of(id) {
    /** `connections` and `lanes` are null until they are told; `troubles`: why something could not be fetched, by what it is */
    this.known = { id, connections: null, lanes: null, events: [], newest: 0, told: 0, troubles: new Map(), busy: new Set(), due: {} };
  }

  /** Asks for what is old. `newestEvent`: of the agent, as this page has it; where its database is new, it is less than it was. */
  renew(newestEvent) {
    if (document.hidden) return;
    const known = this.known;
    if (newestEvent < known.told) Object.assign(known, { newest: 0, events: [] });
    known.told = newestEvent;
    for (const [name, pause] of Object.entries(PAUSES_MS)) {
      if (known.busy.has(name) || performance.now() < (known.due[name] ?? 0)) continue;
      known.due[name] = performance.now() + pause;
      this.#ask(name, known);
    }
  }

  async #ask(name, known) {
    known.busy.add(name);
    try {
      await ASKING[name](known);
      known.troubles.delete(name);
    } catch (error) {
      known.troubles.set(name, error.message);
    } finally {
      known.busy.delete(name);
    }
    if (known === this.known) this.changed();
  }
}

const ASKING = {
  connections: async (known) => {
    known.connections = await get(`v1/connections?socket=${known.id}`);
  },
  lanes: async (known) => {
    const lanes = await get(`v1/lanes?socket=${known.id}&limit=${LANES_ASKED + 1}`);
    known.lanes = lanes.slice(0, LANES_ASKED);
    known.moreLanes = lanes.length > LANES_ASKED;
  },
  /** Those that came since the last time; they are told the oldest first. */
  events: async (known) => {
    for (;;) {
      const events = await get(`v1/events?socket=${known.id}&limit=${AT_ONCE}&after=${known.newest}`);
      known.newest = events.at(-1)?.id ?? known.newest;
      known.events = [...events.reverse(), ...known.events].slice(0, EVENTS_KEPT);
      if (events.length < AT_ONCE) return;
    }
  },
};
