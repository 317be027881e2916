/** Who talks to whom, as groups of like sockets in columns: senders on the left. Nothing here draws. */

import { lossesOn } from "./map_losses.js";

const SENDS = new Set(["PUB", "XPUB", "PUSH"]);
const RECEIVES = new Set(["SUB", "XSUB", "PULL"]);
const URGENT = { losing: 2, pressed: 1 };
const ELSEWHERE = "elsewhere\n";
export const GROUPS_SHOWN = 30;

/** The groups that are shown, each with its column and row, the edges between them with what was lost on them, and how many groups are left out. */
export function layOut(model) {
  const scene = groupsOf(model);
  const edges = edgesOf(model, scene);
  const losses = lossesOn(edges, finder(scene), model);
  const shown = mostTelling(scene.groups, edges);
  const kept = [...edges.values()].filter((edge) => shown.has(edge.from) && shown.has(edge.to));
  place(shown, kept);
  for (const edge of kept) Object.assign(edge, { loss: losses.get(edge) ?? null, pressed: isPressed(edge, scene.groups, edges) });
  return { groups: [...shown.values()], edges: kept, leftOut: scene.groups.size - shown.size };
}

/** Whether messages wait on it, as its receiver says, or its sender that has no other way. */
function isPressed(edge, groups, edges) {
  const [from, to] = [groups.get(edge.from), groups.get(edge.to)];
  if (!edge.up || from.state === "quiet") return false;
  const others = () => [...edges.values()].some((other) => other !== edge && (other.from === edge.from || (other.both && other.to === edge.from)));
  return to.state === "pressed" || (from.state === "pressed" && !edge.inside && !others());
}

/** `of`: by the ids of sockets in use; `ended`: of those that are not, where others are connected to them still. */
function groupsOf(model) {
  const scene = { groups: new Map(), of: new Map(), ended: new Map() };
  for (const socket of model.sockets.values()) {
    if (socket.state === "closed") continue;
    const group = groupFor(scene.groups, keyOf(socket), { name: socket.name, type: socket.type, state: "quiet" });
    group.sockets.push(socket);
    group.proxy ||= socket.proxy !== null;
    group.rate += socket.proxy ? socket.rates.proxied_in_frames + socket.rates.proxied_out_frames : socket.rates.sent + socket.rates.received;
    if ((URGENT[socket.state] ?? 0) > (URGENT[group.state] ?? 0)) group.state = socket.state;
    scene.of.set(socket.id, group);
  }
  return scene;
}

function keyOf(socket) {
  return `${socket.name}\n${socket.type}\n${socket.program}\n${socket.host}`;
}

function groupFor(groups, key, { name, type, state, about = "" }) {
  const group = groups.get(key) ?? { key, name, type, about, state, sockets: [], degree: 0, rate: 0 };
  groups.set(key, group);
  return group;
}

/** The group of a socket, and what is known of a group by its key. */
function finder({ groups, of, ended }) {
  const groupOf = (id) => of.get(id) ?? ended.get(id);
  groupOf.isProxy = (key) => groups.get(key).proxy === true;
  groupOf.isElsewhere = (key) => key.startsWith(ELSEWHERE);
  groupOf.isFine = (key) => !groupOf.isProxy(key) && groups.get(key).state === "quiet";
  return groupOf;
}

function edgesOf(model, scene) {
  const edges = new Map();
  for (const connection of model.connections) {
    const here = scene.of.get(connection.socket);
    if (!here || (connection.accepted && !isUp(connection))) continue; // who had called, and is gone
    const told = scene.of.get(connection.peer);
    if (told && here.key > told.key && isUp(connection)) continue; // the other end tells of it, too
    join(edges, here, told ?? elsewhere(scene, connection, model), isUp(connection));
  }
  joinProxies(edges, model, scene.of);
  return edges;
}

function isUp(connection) {
  return connection.state === "ready" || connection.state === "connected";
}

/** Not a socket in use of this agent: one that has ended, one whose name is known, or else an address. */
function elsewhere({ groups, ended }, connection, model) {
  const socket = model.sockets.get(connection.peer);
  if (socket) {
    const group = groupFor(groups, keyOf(socket), { name: socket.name, type: socket.type, state: "dark", about: "ended" });
    ended.set(socket.id, group);
    return group;
  }
  const address = (connection.remote ?? connection.endpoint).replace(/^tcp:\/\//, "").replace(/:\d+$/, "");
  const name = connection.peer_name ?? address;
  return groupFor(groups, `${ELSEWHERE}${name}`, { name, type: connection.peer_name ? "ended" : "not seen", state: "dark" });
}

function join(edges, here, there, up) {
  const forward = !(RECEIVES.has(here.type) || SENDS.has(there.type));
  const [from, to] = forward ? [here, there] : [there, here];
  const both = !(SENDS.has(from.type) || RECEIVES.has(to.type) || RECEIVES.has(here.type) || SENDS.has(here.type));
  const key = `${from.key}\n\n${to.key}`;
  const edge = edges.get(key) ?? { from: from.key, to: to.key, both, inside: false, up: 0, down: 0 };
  if (up) edge.up += 1;
  else edge.down += 1;
  if (!edges.has(key)) for (const end of [from, to]) end.degree += 1;
  edges.set(key, edge);
}

/** What comes in at one end of a proxy goes out at the other. */
function joinProxies(edges, model, of) {
  const ends = new Map();
  for (const socket of model.sockets.values()) {
    if (!socket.proxy || !of.has(socket.id)) continue;
    ends.set(socket.proxy, [...(ends.get(socket.proxy) ?? []), socket]);
  }
  for (const pair of ends.values()) {
    if (pair.length !== 2) continue;
    const [from, to] = RECEIVES.has(pair[0].type) || SENDS.has(pair[1].type) ? pair : [pair[1], pair[0]];
    const [a, b] = [of.get(from.id), of.get(to.id)];
    edges.set(`${a.key}\n\n${b.key}`, { from: a.key, to: b.key, both: false, inside: true, up: 1, down: 0 });
  }
}

function mostTelling(groups, edges) {
  const ends = new Set([...edges.values()].flatMap((edge) => [edge.from, edge.to]));
  const worth = (group) => (URGENT[group.state] ?? 0) * 1e12 + (ends.has(group.key) ? 1e9 : 0) + Math.round(Math.log2(1 + group.rate)) * 1e3 + group.degree; // by orders of magnitude, or the map would never stand still
  const ordered = [...groups.values()].sort((a, b) => worth(b) - worth(a) || (a.key < b.key ? -1 : 1));
  return new Map(ordered.slice(0, GROUPS_SHOWN).map((group) => [group.key, group]));
}

function place(groups, edges) {
  const column = new Map([...groups.keys()].map((key) => [key, 0]));
  // a longest way has no more steps than there are groups; where it goes in a circle, this ends all the same
  for (let round = 0; round < Math.min(groups.size, 12); round += 1) {
    for (const edge of edges) {
      if (edge.from !== edge.to) column.set(edge.to, Math.max(column.get(edge.to) ?? 0, Math.min((column.get(edge.from) ?? 0) + 1, 6)));
    }
  }
  const columns = [];
  for (const group of groups.values()) (columns[column.get(group.key) ?? 0] ??= []).push(group);
  columns.filter(Boolean).forEach((list, x) => arrange(list, x, edges, groups));
}

/** In the order of those that they are connected to, so that lines cross seldom. */
function arrange(list, x, edges, groups) {
  const middle = (group) => {
    const rows = edges.filter((edge) => edge.to === group.key && groups.get(edge.from)?.row !== undefined).map((edge) => groups.get(edge.from).row);
    return rows.length ? rows.reduce((sum, row) => sum + row, 0) / rows.length : Infinity;
  };
  const ordered = list.map((group) => ({ group, at: middle(group) })).sort((a, b) => a.at - b.at || (a.group.key < b.group.key ? -1 : 1));
  ordered.forEach(({ group }, row) => Object.assign(group, { column: x, row }));
}
