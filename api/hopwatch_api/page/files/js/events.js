/** What happens, in words, the newest first. */

import { byId, h, named } from "./dom.js";
import { clock, count, several } from "./format.js";
import { isNew, setChildren } from "./kept.js";
import { eventsIn } from "./model.js";

const SHOWN = 120;
const LOSSES = new Set(["gap", "onset", "unroutable", "oom"]);
const LINKS = {
  connected: "is connected",
  handshake: "is connected, and both ends have agreed",
  disconnected: "lost a connection",
  retried: "cannot connect, and tries again",
  handshake_failed: "was refused in the handshake",
  monitor_attached: "is watched",
  monitor_stopped: "is watched no more",
  monitor_application: "has a monitor of its own: hopwatch does not see its connections",
};
const REASONS = { unknown_peer: "has no such peer", routing_id_alone: "was given a routing id and no message" };

/** What an event says, as texts and names; null where it is of no use to people. */
export function sentence(event, model) {
  const { kind, values } = event;
  const socket = values.socket ? model.nameOf(values.socket) : null;
  const told = SENTENCES[kind]?.(values, model);
  return told ? { socket, text: told, loss: LOSSES.has(kind) && values.action !== "late" && values.action !== "skipped" } : null;
}

const SENTENCES = {
  gap: (v, model) => {
    const stream = named(model.nameOf(v.stream));
    if (v.action === "late") return [`got message ${count(v.first)} of `, stream, " after all, late"];
    if (v.action === "skipped") return [`skipped numbers ${count(v.first)} to ${count(v.last)} of `, stream, ": nothing was lost"];
    return [`lacks ${several(v.lost, "message")} of `, stream, `: numbers ${count(v.first)} to ${count(v.last)}`];
  },
  onset: (v) => `met a full pipe at its message ${count(v.number)}`,
  unroutable: (v) => `swallowed ${several(v.messages, "message")}: it ${REASONS[v.reason] ?? v.reason}`,
  connection: (v) => [LINKS[v.action] ?? v.action, where(v), v.reason && [" (", named(v.reason), ")"]],
  socket: (v) => ({ opened: `was opened (${v.type})`, closed: "was closed", probing_stopped: "does not show full pipes any more" })[v.state],
  endpoint: (v) => [`${v.action} `, named(v.endpoint)],
  finding: (v) => ["finding: ", named(v.text)],
  process: (v) => ({ started: [`process ${v.pid ?? ""} started: `, named(v.command ?? "")], exited: "process has exited", gone: "process is gone" })[v.state],
  oom: (v) => [`${several(v.kills, "process", "processes")} killed for memory in `, named(v.cgroup)],
  proxy: (v) => ["proxy ", named(v.name ?? ""), ` ${v.state}`],
  fault: (v) => ["fault: ", named(v.text)],
};

function where(values) {
  const ends = values.local && values.remote ? `${values.local} – ${values.remote}` : values.endpoint;
  return ends ? [" (", named(ends), ")"] : "";
}

/** Shows the newest of them; `only`: losses alone; `href`: what leads to a socket. */
export function showEvents(model, only, href) {
  const feed = byId("feed");
  if (!isNew(feed, model.lastEvent, model.status?.started_at, model.sockets.size, only, href(""))) return;
  const items = [];
  let seen = 0;
  for (const event of model.events) {
    if (items.length === SHOWN) break;
    seen += 1;
    const told = sentence(event, model);
    if (event.kind === "left_out") items.push(leftOut(event.id, event.count));
    else if (told && (!only || told.loss)) items.push(item(event, told, href));
  }
  const earlier = model.eventsLetGo + eventsIn(model.events.slice(seen));
  if (earlier) items.push(leftOut("earlier", earlier));
  const none = h("p", { class: "none" }, only ? "No gap, no onset and no loss is known so far." : "Nothing so far.");
  setChildren(feed, items.length ? h("ol", { class: "feed" }, items) : none);
}

/** That there was no room for some is an event, too. */
function leftOut(key, number) {
  return h("li", { class: "left-out", "data-kind": "left_out", "data-key": key }, `${several(number, "earlier event")} left out here; /v1/events has the newest of them`);
}

function item(event, told, href) {
  const at = h("time", { datetime: event.at }, clock(event.at));
  const who = told.socket && h("a", { href: href(event.values.socket) }, named(told.socket));
  return h("li", { class: told.loss ? "loss" : "", "data-kind": event.kind, "data-key": event.id }, at, " ", who, who && " ", h("span", {}, told.text));
}
