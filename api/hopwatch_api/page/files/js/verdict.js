/** How it stands, in a sentence: what is not known is not called quiet. */

import { named } from "./dom.js";
import { clock, count, seconds, several } from "./format.js";
import { diedWith, isUncounted, tellsOfNow } from "./model.js";

const NAMES = 3;

/**
 * `state`: losing, pressed, quiet, idle (no socket is open) or unknown; `parts`: texts and names; `title`: in few words, for a tab.
 * @returns {{state: string, parts: any[], title: string}}
 */
export function verdictOf(model) {
  const { away, status } = model;
  if (away) return notTold(model, away);
  const lag = status.lag_seconds;
  if (!status.ready && lag === null) return { state: "unknown", parts: ["Not known yet: this agent has not read its journals so far."], title: "not known" };
  if (!status.ready) return unknown(model, "not known", `this agent cannot read its journals, for ${seconds(lag)} now`);
  if (!tellsOfNow(status)) return unknown(model, "not known", `this agent is behind, and what it shows is ${seconds(lag)} old`);
  return standing(model);
}

function notTold(model, { since, reason, refuses }) {
  const at = `${clock(since)} UTC`;
  if (refuses) return unknown(model, `refused since ${at}`, `the agent refuses to tell since ${at} (${reason})`);
  return unknown(model, `away since ${at}`, `the agent has not answered since ${at} (${reason})`);
}

function unknown(model, title, why) {
  const then = model.hasLooked ? [" Before: ", standing(model).parts] : [];
  return { state: "unknown", parts: [`Not known: ${why}.`, ...then], title };
}

/** As it stood when the agent told of it last. */
function standing(model) {
  const { losing, pressed, quiet } = model.states;
  const all = losing + pressed + quiet;
  if (!all) return nothingOpen(model);
  if (losing) return { state: "losing", parts: [`LOSING: ${several(losing, "socket")} of ${count(all)} lost messages just now`, names(model, "losing"), "."], title: `${losing} losing` };
  const ended = model.lostByJustEnded();
  if (ended) return { state: "losing", parts: [`LOSING: ${several(ended, "message")} ${ended === 1 ? "was" : "were"} lost just now by sockets that have ended.`], title: "losing" };
  if (pressed) return { state: "pressed", parts: [`Pressed${lost(model)}: ${several(pressed, "socket")} of ${count(all)}`, names(model, "pressed"), "."], title: `${pressed} pressed` };
  return { state: "quiet", parts: [`Quiet: ${several(all, "socket")}${lost(model)}.`], title: "quiet" };
}

/** All have ended, or there was none: what is over may have lost messages all the same. */
function nothingOpen(model) {
  const { lost } = model.totals();
  const incidents = model.incidents.length;
  if (lost || incidents) {
    const told = [lost ? `at least ${several(lost, "message")} ${lost === 1 ? "was" : "were"} lost` : "messages were lost", incidents ? ` (${several(incidents, "incident")})` : ""];
    return { state: "losing", parts: ["No socket is open now; ", ...told, "."], title: "ended, with losses" };
  }
  if (!model.fetched.has("sockets") || !model.fetched.has("incidents")) return { state: "idle", parts: ["No socket is open now."], title: "no socket" };
  if (!model.sockets.size) return { state: "idle", parts: ["No socket yet: wrap one, or start a program by hopwatch run."], title: "no socket" };
  return { state: "idle", parts: [`No socket is open now. ${several(model.sockets.size, "socket")} ended${lostWords(model)}.`], title: "ended" };
}

function lostWords(model) {
  return model.numbered ? `, and as far as this agent can tell nothing was lost${uncounted(model, () => true)}${endedWith(model)}` : lost(model);
}

/** Where nothing is numbered, a receiver cannot tell what it lacks; what a sender had sent that has ended shows no gap. */
function lost(model) {
  if (model.numbered === null) return "";
  if (!model.numbered) return ", and losses are not counted: nothing numbered (sequence=\"stamp\") has come here";
  const unreceived = [...model.sockets.values()].reduce((sum, socket) => sum + socket.unreceived, 0);
  if (unreceived) return `, and ${several(unreceived, "message")} of senders that have ended may be lost${endedWith(model)}`;
  return `, nothing lost just now${uncounted(model, (socket) => socket.state !== "closed")}${endedWith(model)}`;
}

/** What ended with its receiver shows no gap. */
function endedWith(model) {
  const behind = [...model.sockets.values()].reduce((sum, socket) => sum + (socket.left_behind ?? 0), 0);
  const died = diedWith(model);
  const told = [behind ? `${several(behind, "message")} had not come to receivers when they ended` : "", died].filter(Boolean);
  return told.length ? `, but ${told.join(", and ")}` : "";
}

function uncounted(model, among) {
  const found = [...model.sockets.values()].filter((socket) => isUncounted(socket) && among(socket)).length;
  return found ? ` (losses of ${several(found, "socket")} are not counted here)` : "";
}

function names(model, state) {
  const found = [...model.sockets.values()].filter((socket) => socket.state === state);
  const shown = found.slice(0, NAMES).map((socket, index) => [index ? ", " : ": ", named(socket.name)]);
  return [shown, found.length > NAMES ? ` and ${found.length - NAMES} more` : ""];
}
