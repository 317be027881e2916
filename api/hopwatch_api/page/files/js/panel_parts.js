/** What the panel shows of a socket. Nothing here is kept. */

import { h, named } from "./dom.js";
import { backlog, bytes, clock, count, rate, seconds, several } from "./format.js";
import { sentence } from "./events.js";
import { isUncounted, missing } from "./model.js";
import { peers } from "./peers.js";
import { drawTrend, newSparkline } from "./sparkline.js";

const COUNTS = [
  ["sent", "sent"], ["received", "received"], ["proxied_in_frames", "frames that came, of a proxy"], ["proxied_out_frames", "frames that went, of a proxy"], ["lost", "missing"], ["unroutable", "of these, swallowed by the ROUTER"], ["gaps", "gaps"], ["onsets", "onsets (full pipes met)"],
  ["eagain_sends", "sends refused (EAGAIN)"], ["eagain_receives", "receives with nothing to read"],
  ["waited_sends", "sends that waited"], ["duplicated", "duplicated"], ["reordered", "reordered"],
];
const ALWAYS = ["sent", "received", "lost"];
const OF_A_PROXY = ["proxied_in_frames", "proxied_out_frames"];
const WORDS = { losing: "Losing", pressed: "Pressed", quiet: "Quiet", closed: "Ended", unknown: "Not told" };

/** All of it, from its title on. `known`: what was asked for of this socket alone. */
export function partsOf(socket, known, model, href) {
  return [
    h("h2", { id: "socket-title" }, named(socket.name), " ", h("small", {}, socket.type)),
    h("p", { class: "state-line" }, h("strong", { "data-field": "state", class: `state ${socket.state}` }, WORDS[socket.state]), " ",
      h("span", { "data-field": "state_text" }, socket.state_text || (socket.closed_at ? `closed ${clock(socket.closed_at)} UTC` : ""))),
    [...known.troubles].map(([name, reason]) => h("p", { class: "notice error", "data-key": `trouble ${name}` }, `Its ${name} could not be fetched (${reason}): what is shown of them is older, or missing.`)),
    chart(socket),
    h("div", { class: "columns" },
      h("div", {}, h("h3", {}, "Counts"), counts(socket)),
      h("div", {}, h("h3", {}, "On the way"), h("div", { "data-field": "backlog" }, waiting(socket)), h("h3", {}, "Set-up"), setUp(socket))),
    h("h3", {}, "Connected to"), h("div", { "data-field": "peers" }, peers(socket, known.connections, href)),
    findings(socket),
    h("h3", {}, "Lanes"), h("div", { "data-field": "lanes" }, laneTable(known, model)),
    h("h3", {}, "What happened (UTC)"), h("ol", { class: "feed", "data-field": "events" }, known.events.map((event) => happened(event, model))),
  ];
}

function chart(socket) {
  const drawing = newSparkline(560, 90);
  drawing.classList.add("large");
  drawTrend(drawing, socket.trend);
  return h("figure", { class: "chart" }, drawing, h("figcaption", {}, h("span", { class: "key sent" }, "sent"), " ", h("span", { class: "key received" }, "received"),
    " ", h("span", { class: "key lost" }, "losses"), " in the last minute that this page has seen"));
}

/** Those that say something: of what never happened, only that nothing was sent, received or missed. */
function counts(socket) {
  const always = socket.proxy ? OF_A_PROXY : ALWAYS;
  const told = COUNTS.filter(([name]) => always.includes(name) || socket.counters[name] || socket.rates[name]);
  const rows = told.map(([name, label]) => h("tr", { "data-key": name }, h("th", { scope: "row" }, label),
    h("td", { class: "number", "data-field": `count-${name}` }, name === "lost" ? lacking(socket) : count(socket.counters[name])),
    h("td", { class: "number", "data-field": `rate-${name}` }, rate(socket.rates[name] ?? 0))));
  if (socket.left_behind) rows.splice(told.findIndex(([name]) => name === "lost") + 1, 0, leftBehind(socket));
  return h("table", { class: "small" }, h("thead", {}, h("tr", {}, h("td"), h("th", { scope: "col" }, "so far"), h("th", { scope: "col" }, "per second"))), h("tbody", {}, rows));
}

function leftBehind(socket) {
  return h("tr", { "data-key": "left_behind" }, h("th", { scope: "row" }, "of these, not got when it ended"),
    h("td", { class: "number", "data-field": "left_behind" }, count(socket.left_behind)), h("td"));
}

/** As the table of sockets has it: all that it lacks, or swallowed. */
function lacking(socket) {
  return isUncounted(socket) ? "uncounted" : count(missing(socket));
}

function waiting(socket) {
  const told = [["sent and not seen by the receiver", socket.backlog_sent], ["sent to it and not yet received", socket.backlog_received]]
    .filter(([, known]) => known)
    .map(([label, known]) => h("p", {}, h("strong", {}, backlog(known)), ` ${label}`, known.oldest_at_least ? `; the oldest for ${seconds(known.oldest_at_least)} or more` : ""));
  const pending = socket.counters.pending_sends;
  if (pending) told.push(h("p", {}, h("strong", {}, count(pending)), " sends wait in the application itself"));
  return h("div", {}, told.length ? told : h("p", { class: "note" }, "Not known: that takes stamps (sequence=\"stamp\") at both ends, and both ends at this agent."));
}

function setUp(socket) {
  const place = socket.process.place;
  const memory = socket.process.usage?.resident;
  const facts = [
    ["program", socket.process.command], ["process", `${socket.process.pid ?? "?"} on ${socket.host}`],
    place?.pod && ["pod", [place.namespace, place.pod, place.container].filter(Boolean).join(" / ")], place?.owner && ["workload", place.owner],
    memory && ["memory", bytes(memory)], ["opened", `${clock(socket.opened_at)} UTC`], ["endpoints", socket.endpoints.join(" ") || "none"],
    ["options", Object.entries(socket.options).map(([name, value]) => `${name}=${value}`).join(" ")], ["id", socket.id],
  ].filter(Boolean);
  return h("dl", { class: "facts" }, facts.map(([name, value]) => [h("dt", {}, name), h("dd", {}, named(value))]));
}

function findings(socket) {
  if (!socket.findings.length) return "";
  return h("div", { "data-key": "findings" }, h("h3", {}, "Findings"), socket.findings.map((finding) => h("p", {}, named(finding.text), " ", h("strong", {}, "Change: "), named(finding.advice))));
}

function laneTable({ lanes, moreLanes }, model) {
  if (!lanes) return h("p", { class: "note" }, "Asking the agent …");
  if (!lanes.length) return h("p", { class: "note" }, "None: its messages are counted, not numbered (sequence=\"stamp\" numbers them).");
  const rows = lanes.map((lane) => h("tr", { "data-key": `${lane.stream} ${lane.lane} ${lane.role}` }, h("td", {}, lane.role), h("td", {}, topic(lane.topic)), h("td", {}, lane.sender_name === null && lane.role === "receive" ? "unknown here: " : "", named(model.nameOf(lane.stream))),
    h("td", { class: "number" }, count(lane.count)), h("td", { class: "number" }, lane.lost === null ? "" : count(lane.lost)), h("td", { class: "number" }, backlog(lane.backlog))));
  const heads = ["end", "topic", "stream", "messages", "missing", "on the way"];
  const note = moreLanes ? h("p", { class: "note" }, `The first ${several(lanes.length, "lane")}; all: /v1/lanes.`) : "";
  return h("div", {}, h("table", { class: "small" }, h("thead", {}, h("tr", {}, heads.map((label) => h("th", { scope: "col" }, label)))), h("tbody", {}, rows)), note);
}

function topic(hex) {
  if (hex === null) return "whole stream";
  const raw = Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
  const text = new TextDecoder().decode(raw);
  if (!hex) return "(empty)";
  return /^[\x20-\x7e]+$/.test(text) ? text : `0x${hex}`;
}

function happened(event, model) {
  const told = sentence(event, model);
  if (!told) return "";
  return h("li", { class: told.loss ? "loss" : "", "data-key": event.id }, h("time", { datetime: event.at }, clock(event.at)), " ", told.text);
}
