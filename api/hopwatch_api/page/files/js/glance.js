/** The top of the page: how it stands, in a sentence and a few figures, and whether the agent is there. */

import { hasToken } from "./api.js";
import { byId, h, setText } from "./dom.js";
import { clock, count, rate, several } from "./format.js";
import { setChildren } from "./kept.js";
import { verdictOf } from "./verdict.js";

const MARKS = { losing: "✕", pressed: "!", quiet: "✓", unknown: "?", idle: "–" };

/** Shows the state of all; `choose` is called with the state that somebody wants to see alone. */
export function showGlance(model, choose) {
  showVerdict(model);
  const { losing, pressed, quiet } = model.states;
  const sums = model.totals();
  const known = (number) => (model.hasLooked ? count(number) : "–");
  figures([
    ["losing", known(losing), "losing", () => choose("losing")],
    ["pressed", known(pressed), "pressed", () => choose("pressed")],
    ["quiet", known(quiet), "quiet", () => choose("quiet")],
    ["sent", rate(sums.sent), "sent/s"],
    ["received", rate(sums.received), "received/s"],
    ["lost", model.numbered === false && !sums.lost ? "–" : count(sums.lost), "messages missing at least"],
    ["processes", count(model.status.processes), "processes"],
  ]);
  setText(byId("agent"), `agent on ${model.status.host}`);
  notices(model);
  byId("docs-link").hidden = hasToken(); // a link that a browser follows shows none
  const docs = hasToken() ? " docs describes the HTTP interface, for whoever shows the token." : "";
  setText(byId("about"), `Times are UTC. hopwatch ${model.status.version}. The agent reads ${model.status.directory} and lands in ${model.status.landing}.${docs}`);
}

/** The sentence, and the tab's title. */
export function showVerdict(model) {
  const { state, parts, title } = verdictOf(model);
  const verdict = byId("verdict");
  setChildren(byId("verdict-text"), parts);
  document.body.classList.toggle("agent-away", state === "unknown");
  document.title = [title, model.status?.host, "hopwatch"].filter(Boolean).join(" · ");
  if (verdict.dataset.state === state) return;
  verdict.dataset.state = state;
  verdict.className = `verdict ${state}`;
  setText(/** @type {HTMLElement} */ (verdict.querySelector(".mark")), MARKS[state]);
  setChildren(byId("told"), verdictOf(model).parts); // what is read aloud: not every figure, but each turn
}

function figures(list) {
  const place = byId("figures");
  if (place.childElementCount !== list.length) place.replaceChildren(...list.map(figure));
  list.forEach(([, value], index) => setText(place.children[index].querySelector(".value"), value));
}

function figure([name, , label, chosen]) {
  const parts = [h("span", { class: "value" }), h("span", { class: "label" }, label)];
  if (chosen) return h("button", { type: "button", class: `figure ${name}`, "data-figure": name, onclick: chosen }, parts);
  return h("div", { class: `figure ${name}`, "data-figure": name }, parts);
}

function notices(model) {
  const { errors, warnings, events_lost: lost } = model.status;
  const told = [
    ...errors.map((error) => ["error", `The agent cannot do all its work: ${error.source}: ${error.text} (since ${clock(error.since)} UTC)`]),
    ...warnings.map((warning) => ["warning", `Risky: ${warning.source}: ${warning.text}`]),
  ];
  if (lost) told.push(["warning", `${several(lost, "event")} of the processes shown went before they were read: what happened then is not known.`]);
  if (model.leftOut) told.push(["warning", leftOut(model)]);
  for (const [name, reason] of model.troubles) told.push(["error", `The ${name} could not be fetched (${reason}): what is shown of them is older, or missing.`]);
  setChildren(byId("notices"), told.map(([kind, text]) => h("p", { class: `notice ${kind}` }, text)));
}

function leftOut(model) {
  const who = model.leftOut === 1 ? "1 socket that moves is left out of what is pushed: its rates are" : `${count(model.leftOut)} sockets that move are left out of what is pushed: their rates are`;
  const known = model.urgentTold ? "none of them loses or is pressed" : "how they are doing is not known just now";
  return `${who} as of when the list was fetched, and ${known}.`;
}

/** The agent answers. */
export function showLive() {
  setText(byId("link"), "live");
  byId("link").className = "link live";
  setText(byId("retry"), "");
}

/** Something went wrong in the page itself. */
export function showFault() {
  byId("fault").hidden = false;
}

/** The agent does not answer, or refuses to, as the model says, and is asked again soon. */
export function showAway(model, pause) {
  const { since, reason, refuses } = model.away;
  const shown = model.status ? "; what you see is of then" : "";
  setText(byId("link"), `agent ${refuses ? "refuses" : "away"} since ${clock(since)} UTC (${reason})${shown}`);
  byId("link").className = "link lost";
  setText(byId("retry"), `; trying again in ${pause >= 1000 ? `${pause / 1000} s` : "a moment"}`);
  showVerdict(model);
}
