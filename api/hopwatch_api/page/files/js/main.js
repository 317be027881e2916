/** Puts the page together: what is pushed and fetched goes into the model, and from there into the parts of the page. */

import { Address } from "./address.js";
import { byId } from "./dom.js";
import { showEvents } from "./events.js";
import { showAway, showFault, showGlance, showLive } from "./glance.js";
import { listen } from "./keys.js";
import { Lists } from "./lists.js";
import { SocketMap } from "./map.js";
import { Model } from "./model.js";
import { Numbered } from "./numbered.js";
import { Panel } from "./panel.js";
import { addressPlaces, goTo, listenToPlaces } from "./places.js";
import { showFindings, showIncidents } from "./remarks.js";
import { Sockets } from "./sockets.js";
import { follow } from "./stream.js";
import { TokenDialog } from "./token.js";

const model = new Model();
const token = new TokenDialog();
const losses = /** @type {HTMLInputElement} */ (byId("losses-only"));
const address = new Address(chosen);
const href = (id) => address.hrefWith({ socket: id });
const openSocket = (id) => address.set({ socket: id }, { history: true });
const panel = new Panel(model, { href, closed: () => address.set({ socket: "" }) });
const sockets = new Sockets(address, openSocket);
const map = new SocketMap(openGroup);
const told = { pushed, lost, after: () => model.lastEvent, breakOff: (/** @type {any} */ _why) => {} };
const lists = new Lists(fetched, failed);
const numbered = new Numbered((error, found) => {
  if (error) return failed("lanes", error);
  model.numbered = found;
  model.troubles.delete("lanes");
});

/** The address chooses something else now. */
function chosen({ socket, losses: only, at }) {
  panel.show(socket);
  losses.checked = only === "1";
  show();
  if (at) goTo(at);
}

/** What is shown of that list is older than the rest, which nobody may take for new. */
function failed(name, error) {
  if (error.status === 401) told.breakOff(error); // it was let in before the token was renewed
  model.troubles.set(name, error.message);
  show();
}

function fetched(name, list) {
  model.fetched.add(name);
  model.troubles.delete(name);
  if (name === "sockets") model.setSockets(list);
  else model[name] = list;
  show();
}

function show() {
  if (!model.status) return;
  showGlance(model, (state) => sockets.choose({ state, q: "" }));
  sockets.show(model);
  addressPlaces(address);
  showEvents(model, losses.checked, href);
  showFindings(model, href);
  showIncidents(model);
  map.show(model);
  panel.update();
}

/** One socket: what is known of it; several: their rows. */
function openGroup(group) {
  if (group.length === 1) openSocket(group[0].id);
  else if (group.length) sockets.choose({ q: group[0].name, state: "" });
}

/** False where the agent has to be asked anew: events were left out that it has. */
function pushed(frame) {
  if (model.away || model.status?.started_at !== frame.status.started_at) for (const asked of [lists, numbered]) asked.forget();
  if (model.countsAnew(frame)) return false;
  model.away = null;
  token.taken();
  showLive();
  model.take(frame);
  lists.renew(frame.revisions);
  numbered.renew();
  show();
  return true;
}

async function lost(error, pause) {
  const refuses = error.status > 0;
  const since = model.away?.refuses === refuses ? model.away.since : new Date().toISOString();
  model.away = { since, reason: error.message, refuses };
  showAway(model, pause);
  if (error.status === 401 && !token.declined) await token.ask();
}

/** Not what a browser says of its layout, or what an extension has done. */
function isOwnFault(message, filename) {
  return !message.startsWith("ResizeObserver loop") && (!filename || filename.startsWith(location.origin));
}

losses.addEventListener("change", () => address.set({ losses: losses.checked ? "1" : "" }));
addEventListener("error", ({ message, filename }) => isOwnFault(message, filename) && showFault());
addEventListener("unhandledrejection", () => showFault());
listenToPlaces();
listen({ sockets, choose: (state) => sockets.choose({ state }) });
chosen(address.chosen);
follow(told);
