/** All that is known: lists as they were fetched last, and over them what is pushed each second. */

import { count, program, several } from "./format.js";
import { RecentLosses } from "./recent_losses.js";
import { newTrend, push } from "./trend.js";

const EVENTS_KEPT = 300;
const GONE_KEPT = 1_000;
const STATES = ["losing", "pressed", "unknown", "quiet", "closed"];
const OLD_SECONDS = 10;
const JUST_NOW_MS = 10_000;
const BLIND = "the agent could not look since this socket was told of";
const LEFT_OUT = "one of so many sockets that move that this one is left out of what is pushed";

export class Model {
  constructor() {
    /** @type {Map<string, any>} sockets by id, as /v1/sockets has them, with `program`, `search` and `trend`; `state` may be unknown, too */
    this.sockets = new Map();
    this.connections = [];
    this.findings = [];
    this.incidents = [];
    /** @type {any[]} the newest first; one of kind "left_out" stands for those before it that were not told */
    this.events = [];
    this.status = null;
    this.states = { losing: 0, pressed: 0, quiet: 0 };
    /** @type {Map<string, any>} the sockets that moved when the agent could look last, by id */
    this.moving = new Map();
    /** Whether the agent has told of a moment at which it could look. */
    this.hasLooked = false;
    this.leftOut = 0;
    /** Whether all that lose or are pressed are told of, however many are left out. */
    this.urgentTold = true;
    /** @type {Map<string, string>} lists that could not be fetched, and why */
    this.troubles = new Map();
    /** @type {Set<string>} lists that have been fetched once */
    this.fetched = new Set();
    this.lastEvent = 0;
    this.losses = new RecentLosses();
    /** @type {Map<string, number>} what sockets lacked that are not shown any more; `missingLongAgo`: what those lacked that went before them */
    this.missingOfGone = new Map();
    this.missingLongAgo = 0;
    /** What was on its way to receivers that died and are not shown any more. */
    this.diedOfGone = { messages: 0, receivers: 0 };
    /** @type {{since: string, reason: string, refuses: boolean} | null} */
    this.away = null;
    /** @type {boolean | null} whether anything that is numbered has come here; null: not asked yet */
    this.numbered = null;
    /** How many events were let go that the agent may have still. */
    this.eventsLetGo = 0;
  }

  /** Takes up a list of sockets; what was seen of those that stay is kept. */
  setSockets(list) {
    const before = this.sockets;
    this.sockets = new Map();
    for (const told of list) {
      const known = before.get(told.id);
      const socket = { ...told, program: program(told.process.command), trend: known?.trend ?? newTrend(), endedAt: endedAt(told, known) };
      if (this.status && !tellsOfNow(this.status) && told.state !== "closed") {
        const seen = known ?? this.moving.get(told.id);
        [socket.state, socket.state_text] = seen ? [seen.state, seen.state_text] : ["unknown", BLIND];
      }
      socket.search = searchable(socket);
      this.sockets.set(told.id, socket);
      this.missingOfGone.delete(told.id);
    }
    for (const socket of before.values()) if (!this.sockets.has(socket.id)) this.#letGo(socket);
    for (const [id, lacked] of this.missingOfGone) {
      if (this.missingOfGone.size <= GONE_KEPT) break;
      this.missingLongAgo += lacked;
      this.missingOfGone.delete(id);
    }
  }

  #letGo(socket) {
    if (missing(socket)) this.missingOfGone.set(socket.id, missing(socket));
    if (!socket.died_with) return;
    this.diedOfGone.messages += socket.died_with;
    this.diedOfGone.receivers += 1;
  }

  /** Whether events are numbered anew: the agent's database was made again, or another agent answers. */
  countsAnew(frame) {
    const numberedAnew = frame.newest_event > 0 && frame.newest_event < this.lastEvent;
    const another = this.status && ["host", "directory"].some((name) => this.status[name] !== frame.status[name]);
    if (numberedAnew || another) this.#forget(frame.status);
    return numberedAnew || another;
  }

  /** What was told of another agent, or by another database. */
  #forget(status) {
    this.status = status;
    this.lastEvent = 0;
    this.sockets = new Map();
    this.moving = new Map();
    this.events = [];
    this.eventsLetGo = 0;
    this.losses = new RecentLosses();
    this.missingOfGone.clear();
    this.missingLongAgo = 0;
    this.diedOfGone = { messages: 0, receivers: 0 };
  }

  /** Takes up what was pushed. */
  take(frame) {
    this.status = frame.status;
    this.#remember(frame);
    if (!tellsOfNow(frame.status)) return this.#pause();
    this.hasLooked = true;
    this.states = frame.states;
    this.leftOut = frame.sockets_left_out;
    const told = (state) => frame.sockets.filter((socket) => socket.state === state).length;
    // those that are left out come behind all that are more urgent
    this.urgentTold = !this.leftOut || (told("losing") >= frame.states.losing && told("pressed") >= frame.states.pressed);
    this.moving = new Map(frame.sockets.map((socket) => [socket.id, socket]));
    this.#move();
  }

  /** What an agent says that cannot look is of before: it stays, and what happens meanwhile is not known. */
  #pause() {
    const now = performance.now();
    for (const socket of this.sockets.values()) push(socket.trend, null, now);
  }

  #move() {
    const now = performance.now();
    for (const socket of this.sockets.values()) {
      const news = this.moving.get(socket.id);
      if (news) {
        for (const name of ["counters", "rates", "backlog_sent", "backlog_received", "numbered", "unreceived", "state", "state_text"]) socket[name] = news[name];
      } else if (!this.leftOut) {
        still(socket);
      } else if (socket.state !== "closed") {
        [socket.state, socket.state_text] = this.urgentTold ? ["quiet", ""] : ["unknown", LEFT_OUT];
      }
      push(socket.trend, news || !this.leftOut ? socket : null, now);
    }
  }

  #remember({ events, events_left_out: leftOut }) {
    if (leftOut) this.events.unshift({ id: `before ${events[0]?.id}`, kind: "left_out", count: leftOut });
    for (const event of events) {
      this.lastEvent = Math.max(this.lastEvent, event.id);
      this.events.unshift(event);
      this.losses.note(event);
    }
    this.eventsLetGo += eventsIn(this.events.splice(EVENTS_KEPT));
  }

  /** The socket's name, or its id where it is not shown any more. */
  nameOf(id) {
    return this.sockets.get(id)?.name ?? String(id).slice(0, 8);
  }

  /** Messages that sockets had lost, or swallowed, which ended within the last ten seconds. */
  lostByJustEnded() {
    const since = performance.now() - JUST_NOW_MS;
    const ended = [...this.sockets.values()].filter((socket) => socket.endedAt !== null && socket.endedAt >= since);
    return ended.reduce((sum, { counters }) => sum + counters.lost + counters.unroutable, 0);
  }

  /** Sums over all sockets: messages a second, and how many are missing, of those too that this page has seen before. */
  totals() {
    const sum = { sent: 0, received: 0, lost: this.missingLongAgo };
    for (const socket of this.sockets.values()) {
      sum.sent += socket.rates.sent; // a proxy's frames are others' messages
      sum.received += socket.rates.received;
      sum.lost += missing(socket);
    }
    for (const lost of this.missingOfGone.values()) sum.lost += lost;
    return sum;
  }
}

/** Whether an agent has looked lately: what it pushes else is of before. */
export function tellsOfNow({ ready, lag_seconds: lag }) {
  return ready && (lag === null || lag <= OLD_SECONDS);
}

/** When this page saw it end, by the page's clock; null: it has not, or had ended when it was first told of. */
function endedAt(told, known) {
  if (told.state !== "closed" || !known) return null;
  return known.state === "closed" ? known.endedAt : performance.now();
}

/** How many there are, those too that were left out. */
export function eventsIn(events) {
  return events.reduce((sum, event) => sum + (event.kind === "left_out" ? event.count : 1), 0);
}

/** One that nothing is pushed of: nothing moves, and nothing waits. */
function still(socket) {
  for (const name of Object.keys(socket.rates)) socket.rates[name] = 0;
  socket.backlog_sent = socket.backlog_sent && { ...socket.backlog_sent, at_least: 0, at_most: 0 };
  socket.backlog_received = socket.backlog_received && { ...socket.backlog_received, at_least: 0, at_most: 0 };
  socket.unreceived = 0;
  if (socket.state !== "closed") {
    socket.state = "quiet";
    socket.state_text = "";
  }
}

function searchable(socket) {
  const place = socket.process.place ?? {};
  const words = [socket.name, socket.type, socket.program, socket.process.pid, socket.host, socket.id, ...Object.values(place), ...socket.endpoints];
  return words.filter(Boolean).join(" ").toLowerCase();
}

/** Messages that it did not get, by its end either, or that it swallowed. */
export function missing(socket) {
  return socket.counters.lost + socket.counters.unroutable + (socket.left_behind ?? 0);
}

/** Whether messages that it lacks would not be known: nothing that it got was numbered. */
export function isUncounted(socket) {
  return socket.numbered === false && !missing(socket);
}

/** How much was on its way to receivers that died, in words; empty where none did. */
export function diedWith(model) {
  let { messages, receivers } = model.diedOfGone;
  for (const socket of model.sockets.values()) {
    messages += socket.died_with ?? 0;
    receivers += socket.died_with ? 1 : 0;
  }
  if (!receivers) return "";
  if (receivers === 1) return `${several(messages, "message")} or more ${messages === 1 ? "was on its" : "were on their"} way to a receiver that died`;
  return `${several(messages, "message")} or more, counted for each, were on their way to ${count(receivers)} receivers that died`;
}

/** How urgent a state is: the larger, the more. */
export function urgency(state) {
  return STATES.length - STATES.indexOf(state);
}
