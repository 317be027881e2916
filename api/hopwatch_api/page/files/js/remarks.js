/** Findings and incidents, with what to do. */

import { hasToken } from "./api.js";
import { byId, h, named } from "./dom.js";
import { clock, count, several } from "./format.js";
import { isNew, setChildren } from "./kept.js";
import { diedWith } from "./model.js";

const NAMES = 6;
const INCIDENTS = 50;
const UNKNOWN = "time not known";

/** Findings; those of one rule and text are one, with their sockets. `href`: what leads to a socket. */
export function showFindings(model, href) {
  const place = byId("finding-list");
  if (!isNew(place, model.findings, href(""))) return;
  const groups = new Map();
  for (const finding of model.findings) {
    const key = `${finding.rule}\n${finding.text}\n${finding.advice}`;
    groups.set(key, [...(groups.get(key) ?? []), finding]);
  }
  const cards = [...groups].map(([key, group]) => findingCard(key, group, href));
  setChildren(place, cards.length ? cards : h("p", { class: "none" }, model.fetched.has("findings") ? "Nothing wrong or risky is known of how the sockets are set up." : "…"));
}

function findingCard(key, group, href) {
  const [first] = group;
  return h("article", { class: "card finding", "data-rule": first.rule, "data-key": key },
    h("h3", {}, named(first.text)),
    h("p", { class: "who" }, h("code", {}, first.rule), " ", links(group, href)),
    h("p", { class: "do" }, h("strong", {}, "Change: "), named(first.advice)));
}

function links(findings, href) {
  const shown = findings.slice(0, NAMES).map(({ socket, socket_name: name, type }) => [h("a", { href: href(socket), "data-key": socket }, named(`${name} (${type})`)), " "]);
  return [shown, findings.length > NAMES ? `and ${count(findings.length - NAMES)} more` : ""];
}

/** Incidents: the newest first. */
export function showIncidents(model) {
  const place = byId("incident-list");
  if (!isNew(place, model.incidents, model.numbered, diedWith(model), model.incidents.length ? 0 : model.totals().lost)) return;
  const newest = [...model.incidents].sort((a, b) => startOf(b) - startOf(a));
  const none = h("p", { class: "none" }, model.fetched.has("incidents") ? noLoss(model) : "…");
  setChildren(place, newest.length ? [newest.slice(0, INCIDENTS).map(incidentCard), more(newest.length - INCIDENTS), whyCommand(model, newest)] : none);
}

function noLoss(model) {
  return `${asFarAsKnown(model)} No analysis has told of one.`;
}

function asFarAsKnown(model) {
  if (model.numbered === false) return "No loss is known, but losses are not counted here: nothing numbered has come.";
  const { lost } = model.totals();
  const died = diedWith(model);
  if (!lost && !died) return "Nothing was lost as far as this agent can tell.";
  const missing = lost ? [`at least ${several(lost, "message")} ${lost === 1 ? "was" : "were"} lost (the table says by whom)`] : [];
  const gone = died ? [`${died}: what its sender does not keep is lost with it`] : [];
  return `No incident is known, but ${[...missing, ...gone].join(", and ")}.`;
}

/** How to know the cause, where the agent does not. */
function whyCommand(model, incidents) {
  if (!model.status?.landing || incidents.every((incident) => incident.cause)) return "";
  return h("p", { class: "note", "data-key": "why" }, "Why, and what to change: ", h("code", {}, `hopwatch analyze ${quoted(model.status.landing)} --out report`), `${model.status.landing.includes("://") ? "" : ` on ${model.status.host}`}; an agent that is started with `, h("code", {}, "--report report"), " shows it here.");
}

/** As a shell takes it for one word. */
function quoted(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Of one whose time is not known: it comes last, as the oldest does. */
function startOf({ started_at: started, ended_at: ended }) {
  return started || ended ? Date.parse(started ?? ended) : 0;
}

function more(left) {
  if (left <= 0) return "";
  // a link that a browser follows shows no token
  const all = hasToken() ? [h("code", {}, "v1/incidents"), " has all of them, for who shows the token"] : h("a", { href: "v1/incidents" }, "all of them");
  return h("p", { class: "note" }, `and ${several(left, "earlier one")}: `, all);
}

function incidentCard(incident) {
  const cause = incident.cause ? h("code", {}, incident.cause) : h("span", { class: "note" }, "cause not known yet");
  return h("article", { class: `card incident ${incident.preliminary ? "preliminary" : ""}`, "data-hop": incident.hop, "data-key": incidentKey(incident) },
    h("h3", {}, named(incident.hop), " ", incident.source === "agent" && incident.certainty !== "exact" ? "at least " : "", h("strong", {}, count(incident.lost)), ` ${incident.lost === 1 ? "message" : "messages"} lost `, cause, " ",
      incident.certainty && h("span", { class: `certainty ${incident.certainty}` }, incident.certainty)),
    h("p", { class: "when" }, `${when(incident)}; `,
      incident.preliminary ? "as this agent has it so far" : `as the analysis has it${incident.analysed_at ? ` of ${clock(incident.analysed_at)} UTC` : ""}`),
    list("Seen", (incident.evidence ?? []).map((seen) => seen.text)),
    list("Change", incident.advice ?? []));
}

function incidentKey({ id, hop, cause, certainty, started_at: started, streams }) {
  return id === null ? ["analysis", hop, cause, certainty, started, streams].join("\n") : `agent\n${id}`;
}

function when({ started_at: started, ended_at: ended }) {
  if (!started && !ended) return UNKNOWN;
  return `${started ? clock(started) : UNKNOWN} to ${ended ? clock(ended) : UNKNOWN} UTC`;
}

function list(title, texts) {
  return texts.length ? h("div", { "data-key": title }, h("h4", {}, title), h("ul", {}, texts.map((text) => h("li", {}, named(text))))) : null;
}
