/** To whom a socket is connected, who went and why, and where messages sit on the way. */

import { h, named } from "./dom.js";
import { backlog, bytes, clock, count } from "./format.js";

const LIMITS = { receiver: "an end does not read", network: "the network is slow", neither: "nothing waits", unknown: "not clear" };
const PLACES = { sender: "in the pipe of", kernel: "in the kernel's buffers", receiver: "in the pipe of" };
/** Which end it is, where both have one name. */
const ENDS = { sender: ", the sending end", receiver: ", the receiving end" };

/** Its connections, those that went down too, as a table; null: they have not been told yet. */
export function peers(socket, list, href) {
  if (!list) return h("p", { class: "note" }, "Asking the agent …");
  if (!list.length) return h("p", { class: "note" }, socket.state === "closed" ? "It has ended." : "Nobody, as far as hopwatch saw.");
  const heads = ["who", "state", "since (UTC)", "on the way", "the kernel"].map((label) => h("th", { scope: "col" }, label));
  return h("table", { class: "small" }, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, list.map((connection) => row(connection, href))));
}

function row(connection, href) {
  return h("tr", { class: connection.state, "data-key": `${connection.connection} ${connection.endpoint}` }, h("td", {}, who(connection, href)), h("td", {}, state(connection)), h("td", {}, clock(connection.since)),
    h("td", {}, waiting(connection.waiting)), h("td", {}, limitedBy(connection.tcp)));
}

function who(connection, href) {
  if (connection.peer) return h("a", { href: href(connection.peer) }, named(connection.peer_name));
  return connection.peer_name ? named(connection.peer_name) : (connection.remote ?? connection.endpoint);
}

function state(connection) {
  const why = connection.ended?.text ?? connection.reason;
  return why ? [`${connection.state}: `, named(why)] : connection.state;
}

/** How many wait, and where they may be: bounds, since nobody can look into a pipe. */
function waiting(known) {
  if (!known) return "";
  const names = known.places.map((place) => place.socket_name).filter(Boolean);
  const alike = new Set(names).size < names.length;
  const places = known.places.map((place) => {
    const where = [PLACES[place.place] ?? place.place, place.socket_name && [" ", named(place.socket_name)], alike && ENDS[place.place]];
    const mark = place.mark ? ` (its mark: ${count(place.mark)})` : "";
    const size = place.bytes ? ` (${bytes(place.bytes)})` : "";
    return h("li", {}, `${place.place === "kernel" ? "about" : "up to"} ${count(place.at_most)} `, where, mark, size);
  });
  return [backlog(known), known.at_most ? h("ul", { class: "places" }, places) : ""];
}

function limitedBy(tcp) {
  if (!tcp) return "";
  return `${LIMITS[tcp.limited_by] ?? tcp.limited_by}${tcp.rtt_us ? `; rtt ${(tcp.rtt_us / 1000).toFixed(1)} ms` : ""}`;
}
