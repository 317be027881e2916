/** The table of sockets: what is shown of each, in which order, and which of them. */

import { byId, h, named, setAttribute, setText } from "./dom.js";
import { backlogs, count, rate, several } from "./format.js";
import { isUncounted, missing, urgency } from "./model.js";
import { drawTrend, newSparkline } from "./sparkline.js";
import { Table } from "./table.js";

const CHOICES = { losing: "losing", pressed: "pressed", quiet: "quiet", closed: "ended" };
const WORDS = { ...CHOICES, unknown: "not told" };

const waiting = (socket) => (socket.backlog_sent?.at_most ?? 0) + (socket.backlog_received?.at_most ?? 0);

/** How columns compare; what is largest comes first. */
const ORDERS = {
  state: (a, b) => urgency(b.state) - urgency(a.state) || missing(b) - missing(a) || a.name.localeCompare(b.name),
  name: (a, b) => a.name.localeCompare(b.name) || a.type.localeCompare(b.type),
  program: (a, b) => a.program.localeCompare(b.program) || (a.process.pid ?? 0) - (b.process.pid ?? 0),
  sent: (a, b) => flowing(b.rates, b, "sent", "out") - flowing(a.rates, a, "sent", "out") || flowing(b.counters, b, "sent", "out") - flowing(a.counters, a, "sent", "out"),
  received: (a, b) => flowing(b.rates, b, "received", "in") - flowing(a.rates, a, "received", "in") || flowing(b.counters, b, "received", "in") - flowing(a.counters, a, "received", "in"),
  lost: (a, b) => missing(b) - missing(a),
  onsets: (a, b) => b.counters.onsets - a.counters.onsets,
  backlog: (a, b) => waiting(b) - waiting(a),
};

function columns(href) {
  return [
    { key: "state", label: "State", largestFirst: true, title: "losing: lost something in the last ten seconds; pressed: its messages wait, or its sends are refused", draw: drawState },
    { key: "name", label: "Socket", draw: (cell, socket) => drawName(cell, socket, href) },
    { key: "program", label: "Program", narrow: false, draw: drawProgram },
    { key: "sent", label: "Sent/s", title: "messages; of a proxy's end, frames", numeric: true, largestFirst: true, text: (socket) => flow(socket, "sent", "out") },
    { key: "received", label: "Received/s", title: "messages; of a proxy's end, frames", numeric: true, largestFirst: true, text: (socket) => flow(socket, "received", "in") },
    { key: "lost", label: "Missing", title: "messages that a receiver did not get, or that a ROUTER swallowed, so far", numeric: true, largestFirst: true, draw: drawMissing },
    { key: "onsets", label: "Onsets", title: "how often it met a full pipe, so far", numeric: true, largestFirst: true, narrow: false, text: (socket) => count(socket.counters.onsets) },
    { key: "backlog", label: "On the way", title: "messages sent and not seen by the receiver; to it: those that wait for this socket", numeric: true, largestFirst: true, draw: drawBacklog },
    { key: "trend", label: "Last minute", sorts: false, narrow: false, draw: (cell, socket) => drawTrend(cell.firstElementChild ?? cell.appendChild(newSparkline()), socket.trend) },
  ];
}

/** Messages; of a proxy's end the frames, which are all that libzmq counts there. `figures`: its rates or its counters. */
function flowing(figures, socket, way, side) {
  return figures[socket.proxy ? `proxied_${side}_frames` : way];
}

function flow(socket, way, side) {
  return `${rate(flowing(socket.rates, socket, way, side))}${socket.proxy ? " fr" : ""}`;
}

function drawMissing(cell, socket) {
  const uncounted = isUncounted(socket);
  setText(cell, uncounted ? "uncounted" : count(missing(socket)));
  setAttribute(cell, "title", uncounted ? "Not counted here: nothing that it got bore a number that shows a gap (sequence=\"stamp\" at both ends; its findings may say more)" : "");
}

function drawState(cell, socket) {
  setText(cell, WORDS[socket.state]);
  setAttribute(cell, "title", socket.state_text);
}

function drawName(cell, socket, href) {
  if (!cell.firstElementChild) cell.append(h("a", { tabindex: -1 }, named("")), h("small", { class: "type" }), h("small", { class: "more" }));
  const [link, type, more] = cell.children;
  setAttribute(link, "href", href(socket.id));
  setText(link.firstElementChild, socket.name);
  setText(type, socket.type);
  setText(more, besides(socket));
  setAttribute(cell, "title", `${socket.name} (${socket.type}) ${socket.state_text}`);
}

function drawBacklog(cell, socket) {
  const text = backlogs(socket.backlog_sent, socket.backlog_received);
  setText(cell, text);
  setAttribute(cell, "title", text);
}

/** What has no column of its own where there is little room. */
function besides(socket) {
  const way = backlogs(socket.backlog_sent, socket.backlog_received);
  return [way && way !== "0" && `${way} on the way`, socket.state_text || programOf(socket)].filter(Boolean).join(" · ");
}

function programOf(socket) {
  return `${socket.program || "?"} ${socket.process.pid ?? ""} on ${socket.process.place?.pod ?? socket.host}`;
}

function drawProgram(cell, socket) {
  setText(cell, programOf(socket));
  setAttribute(cell, "title", socket.process.command);
}

export class Sockets {
  /** @param {import("./address.js").Address} address */
  constructor(address, open) {
    this.address = address;
    const href = (id) => address.hrefWith({ socket: id });
    this.table = new Table(byId("table"), columns(href), { id: "socket-table", label: "Sockets", sort: (key) => this.sortBy(key), open });
    const filter = /** @type {HTMLInputElement} */ (byId("filter"));
    filter.addEventListener("input", () => this.choose({ q: filter.value }));
    byId("filters").addEventListener("submit", (event) => event.preventDefault());
    this.chips = Object.entries(CHOICES).map(([state, label]) =>
      h("button", { type: "button", class: `chip ${state}`, "aria-pressed": "false", "data-state": state, onclick: () => this.chooseState(state) }, label));
    byId("states").replaceChildren(...this.chips);
  }

  /** Sorts by a column, and the other way round if it is sorted so already. */
  sortBy(key) {
    if (!(key in ORDERS)) return;
    this.choose({ sort: this.address.chosen.sort === key ? `-${key}` : key });
  }

  /** Sorts by the column of that number, from 1 on. */
  sortByNumber(number) {
    const column = this.table.columns[number - 1];
    if (column && column.sorts !== false) this.sortBy(column.key);
  }

  /** Shows only those in a state, or all again. */
  chooseState(state) {
    this.choose({ state: this.address.chosen.state === state ? "" : state });
  }

  /** Has the address choose it, which has it shown. */
  choose(choice) {
    this.address.set(choice);
  }

  /** Shows what the address chooses of all sockets. */
  show(model) {
    const { q, sort, state } = this.address.chosen;
    const filter = /** @type {HTMLInputElement} */ (byId("filter"));
    if (filter.value !== q) filter.value = q;
    for (const chip of this.chips) setAttribute(chip, "aria-pressed", String(chip.dataset.state === state));
    const words = q.toLowerCase().split(/\s+/).filter(Boolean);
    const found = [...model.sockets.values()].filter((socket) =>
      (!state || socket.state === state) && words.every((word) => socket.search.includes(word)));
    const reversed = sort.startsWith("-");
    const order = ORDERS[reversed ? sort.slice(1) : sort] ?? ORDERS.state;
    found.sort((a, b) => (reversed ? order(b, a) : order(a, b)) || (a.id < b.id ? -1 : 1));
    this.table.show(found, sort in ORDERS || reversed ? sort : "state");
    const all = model.sockets.size;
    setText(byId("shown"), found.length === all ? several(all, "socket") : `${count(found.length)} of ${several(all, "socket")}`);
  }
}
