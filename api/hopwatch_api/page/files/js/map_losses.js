/** Which ways are marked for what was lost on them just now: on this very way, or somewhere on several. Nothing here draws. */

import { isolated } from "./format.js";
import { Routes } from "./routes.js";

const HERE = "losing";
const SOMEWHERE = "somewhere";
const CLOSE_MS = 60_000;

/**
 * By way, `mark` and why in words.
 * @param {Map<string, any>} edges all of them, by their keys
 * @param {(id: string) => any} groupOf the group that a socket is drawn in
 * @returns {Map<any, {mark: string, text: string}>}
 */
export function lossesOn(edges, groupOf, model) {
  const losing = [...model.sockets.values()].filter((socket) => socket.state === "losing");
  if (!losing.length) return new Map();
  const marks = new Marks();
  const scene = { model, groupOf, marks, routes: new Routes(edges.values()), wentAt: wentAt(model.connections) };
  for (const socket of losing) markLacking(socket, scene);
  for (const socket of losing) markFullPipes(socket, scene);
  return marks.byEdge;
}

class Marks {
  constructor() {
    this.byEdge = new Map();
    this.pipes = new Set();
  }

  /** What is known for sure is not taken back by what is not. */
  put(edge, mark, text) {
    if (edge.inside && mark === HERE) return;
    if (this.byEdge.get(edge)?.mark === HERE && mark !== HERE) return;
    this.byEdge.set(edge, { mark, text });
  }
}

/** What a receiver lacks, of each of its senders. */
function markLacking(socket, scene) {
  const told = scene.model.losses.of(socket.id);
  const gaps = told.filter((loss) => loss.kind === "gap").map((loss) => loss.values);
  const lacking = gaps.length || told.length ? byStream(gaps) : byIncidents(socket, scene.model);
  for (const [stream, known] of lacking) markLackingOf(stream, socket, known, scene);
  if (told.length || lacking.size || !socket.counters.lost) return;
  // nothing that is here says of whom
  for (const [edge] of scene.routes.leadingTo(scene.groupOf(socket.id).key)) markTo(socket, edge, scene);
}

function markTo(socket, edge, { marks }) {
  marks.put(edge, SOMEWHERE, `${isolated(socket.name)} lost messages just now, somewhere on the ways that lead to it`);
}

function byStream(gaps) {
  const found = new Map();
  for (const gap of gaps) {
    if (!found.has(gap.stream)) found.set(gap.stream, []);
    found.get(gap.stream).push(gap);
  }
  return found;
}

/** Streams of which it lacked something last, where the events that say so are not here: of none is it known which numbers. */
function byIncidents(socket, model) {
  const own = model.incidents.filter((incident) => incident.preliminary && incident.socket === socket.id && incident.cause !== "unroutable" && incident.ended_at);
  const newest = Math.max(...own.map((incident) => Date.parse(incident.ended_at)));
  const last = own.filter((incident) => Date.parse(incident.ended_at) >= newest - 10_000);
  return new Map(last.map((incident) => [incident.stream, []]));
}

function markLackingOf(stream, socket, gaps, scene) {
  const { marks, routes, groupOf, model } = scene;
  const [from, to] = [groupOf(stream), groupOf(socket.id)];
  const found = from ? routes.between(from.key, to.key) : [];
  if (!found.length) return markFromElsewhere(from, socket, scene);
  const lacks = `${isolated(socket.name)} lacks messages of ${isolated(model.nameOf(stream))}`;
  const all = new Set(found.flat());
  if (all.size === 1) return marks.put(found[0][0], HERE, `${lacks}: they were lost on this way just now`);
  const first = found.every((route) => route[0] === found[0][0]) ? found[0][0] : null;
  const atItsPipe = first ? metFullPipe(gaps, stream, from, scene) : [];
  if (atItsPipe.length) {
    marks.put(first, HERE, `${lacks}: they were lost on this way just now, where ${isolated(model.nameOf(stream))} met a full pipe`);
    marks.pipes.add(stream);
    if (atItsPipe.length === gaps.length) return;
  }
  const analysed = foundByAnalysis(stream, socket, [...all], scene);
  if (analysed) marks.put(analysed, HERE, `${lacks}: they were lost on this way, as the analysis has it`);
  else for (const edge of all) marks.put(edge, SOMEWHERE, `${lacks}: they were lost somewhere between the two just now, on a way or in a proxy; the analysis tells which`);
}

/** Those gaps in which the sender met a full pipe. Of one with several ways it has to be the very message that a gap begins with. */
function metFullPipe(gaps, stream, from, scene) {
  const onsets = onsetsOf(stream, scene.model).map((loss) => loss.values);
  const alone = onsets.length && from.sockets.length === 1 && hasOneWay(stream, scene);
  return gaps.filter((gap) => onsets.some((onset) => {
    if (gap.before === null || gap.after === null) return false;
    const within = gap.before < onset.number && onset.number < gap.after;
    return within && (alone || (onset.lane === gap.lane && onset.lane_number === gap.first));
  }));
}

function onsetsOf(socket, model) {
  return model.losses.of(socket).filter((loss) => loss.kind === "onset");
}

/** Whether all its full pipes were on one way: another connection may have gone since, and what is in its process is not drawn. */
function hasOneWay(id, { model, groupOf, routes, wentAt: went }) {
  const first = Math.min(...onsetsOf(id, model).map((loss) => loss.at));
  const within = model.sockets.get(id)?.endpoints.some((endpoint) => endpoint.startsWith("inproc:"));
  return !within && !(went.get(id) >= first) && routes.leaving(groupOf(id).key).length === 1;
}

/** When the newest of each socket's connections that are not up went down. */
function wentAt(connections) {
  const found = new Map();
  for (const { socket, state, since } of connections) {
    if (state === "disconnected") found.set(socket, Math.max(found.get(socket) ?? -Infinity, Date.parse(since)));
  }
  return found;
}

/** The one way of these on which an analysis has found losses of this stream at about that time. */
function foundByAnalysis(stream, socket, edges, { model, groupOf }) {
  const newest = Math.max(...model.losses.of(socket.id).map((loss) => loss.at));
  const found = new Set();
  for (const incident of model.incidents) {
    if (incident.preliminary || !incident.streams.includes(stream) || !incident.started_at || !incident.ended_at) continue;
    if (Date.parse(incident.started_at) - CLOSE_MS > newest || Date.parse(incident.ended_at) + CLOSE_MS < newest) continue;
    const joins = (from, to) => isEnd(incident.from, from, groupOf) && isEnd(incident.to, to, groupOf);
    const ways = edges.filter((edge) => !edge.inside && (joins(edge.from, edge.to) || (edge.both && joins(edge.to, edge.from))));
    if (ways.length !== 1) return null;
    found.add(ways[0]);
  }
  return found.size === 1 ? [...found][0] : null;
}

/** A proxy's end is known by being one: the analysis does not tell of its sockets. */
function isEnd(end, key, groupOf) {
  if (!end) return false;
  return end.type === "PROXY" ? groupOf.isProxy(key) : groupOf(end.socket)?.key === key;
}

/** No way from the sender is known: all ways by which something may come from elsewhere, and those by which the sender sends there. */
function markFromElsewhere(from, socket, scene) {
  const { routes, groupOf } = scene;
  for (const [edge, there] of routes.leadingTo(groupOf(socket.id).key)) {
    if (edge.inside || groupOf.isProxy(there) || groupOf.isElsewhere(there)) markTo(socket, edge, scene);
  }
  for (const { edge, there } of from ? routes.leaving(from.key) : []) if (groupOf.isElsewhere(there)) markTo(socket, edge, scene);
}

/** A sender that met a full pipe: on its only way, or on one of those whose receivers may lack something. */
function markFullPipes(socket, scene) {
  const { marks, routes, groupOf, model } = scene;
  if (marks.pipes.has(socket.id) || !onsetsOf(socket.id, model).length) return;
  const ways = routes.leaving(groupOf(socket.id).key);
  if (hasOneWay(socket.id, scene)) return marks.put(ways[0].edge, HERE, `${isolated(socket.name)} met a full pipe on this way just now`);
  if (ways.some(({ edge }) => marks.byEdge.get(edge)?.mark === HERE)) return;
  const doubtful = ways.filter(({ there }) => !groupOf.isFine(there));
  for (const { edge } of doubtful.length ? doubtful : ways) marks.put(edge, SOMEWHERE, `${isolated(socket.name)} met a full pipe just now, on one of the ways that leave it`);
}
