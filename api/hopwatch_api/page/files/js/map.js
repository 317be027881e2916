/** The map: boxes are sockets (of one name, type and program: one box), lines are connections. */

import { byId, h, s, setAttribute, setText } from "./dom.js";
import { count, isolated, rate, several } from "./format.js";
import { setChildren } from "./kept.js";
import { layOut } from "./map_layout.js";

const MARKS = { losing: "✕ ", pressed: "! ", quiet: "", dark: "" };
const LOSSES_TOLD = 5;
/** Four columns, as with a proxy, have room beside the events at a desk. */
const BOX = { width: 145, height: 46, acrossGap: 40, downGap: 16, edge: 12 };

const left = (group) => BOX.edge + group.column * (BOX.width + BOX.acrossGap);
const top = (group) => BOX.edge + group.row * (BOX.height + BOX.downGap);

export class SocketMap {
  /** @param {(sockets: any[]) => void} open is called with a group's sockets */
  constructor(open) {
    this.open = open;
    this.picture = byId("map-picture");
    this.groups = new Map();
    this.shape = "";
  }

  /** Draws it anew where who is connected to whom has changed, else only what moves. */
  show(model) {
    const { groups, edges, leftOut } = layOut(model);
    this.groups = new Map(groups.map((group) => [group.key, group]));
    const shape = JSON.stringify([groups.map((group) => [group.key, group.column, group.row]).sort(), edges.map((edge) => keyOf(edge)).sort(), model.fetched.has("sockets")]);
    if (this.shape !== shape) {
      this.shape = shape;
      setChildren(this.picture, groups.length ? this.#drawn(groups, edges) : h("p", { class: "none" }, model.fetched.has("sockets") ? "No socket is open." : "…"));
    }
    setChildren(byId("map-losses"), lossesTold(edges).map((text) => h("li", {}, text)));
    this.#fill(new Map(edges.map((edge) => [keyOf(edge), edge])));
    setText(byId("map-note"), leftOut ? `The ${count(groups.length)} groups that tell most; ${count(leftOut)} more are in the table.` : "");
  }

  #drawn(groups, edges) {
    const width = Math.max(...groups.map(left)) + BOX.width + BOX.edge;
    const height = Math.max(...groups.map(top)) + BOX.height + BOX.edge;
    return s("svg", { class: "picture", viewBox: `0 0 ${width} ${height}`, width, height, role: "group", "aria-label": `${several(groups.length, "group")} of sockets and ${several(edges.length, "way")} between them` },
      s("defs", {}, marker()),
      edges.map((edge) => way(edge, this.groups)),
      groups.map((group) => this.#box(group)));
  }

  /** It outlives what is known of its group now, which is looked up when it is opened. */
  #box(group) {
    const { key } = group;
    const activate = () => this.open(this.groups.get(key)?.sockets ?? []);
    const parts = [
      s("rect", { width: BOX.width, height: BOX.height, rx: 4 }),
      s("text", { class: "name", x: 10, y: 19 }),
      s("text", { class: "about", x: 10, y: 36 }),
    ];
    const opens = group.sockets.length > 0;
    const place = { class: "box", transform: `translate(${left(group)} ${top(group)})`, "data-group": key, "data-key": `${key}\n${opens}` };
    if (!opens) return s("g", place, parts);
    const keys = (event) => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), activate());
    return s("g", { ...place, role: "button", tabindex: 0, onclick: activate, onkeydown: keys }, parts);
  }

  #fill(edges) {
    for (const element of this.picture.querySelectorAll("[data-group]")) {
      const group = this.groups.get(element.getAttribute("data-group"));
      const many = group.sockets.length > 1 ? ` × ${count(group.sockets.length)}` : "";
      const moving = group.sockets.length ? ` · ${rate(group.rate)}${group.proxy ? " fr" : ""}/s` : "";
      setAttribute(element, "class", `box ${group.state}`);
      setText(element.querySelector(".name"), MARKS[group.state] + cut(group.name, many ? 12 : 17) + many);
      setText(element.querySelector(".about"), `${group.type}${group.about && ` · ${group.about}`}${moving}`);
    }
    for (const element of this.picture.querySelectorAll("[data-way]")) {
      const edge = edges.get(element.getAttribute("data-way"));
      const [from, to] = [this.groups.get(edge.from), this.groups.get(edge.to)];
      const condition = edge.loss?.mark ?? (edge.pressed ? "pressed" : "");
      setAttribute(element, "class", ["hop", condition, !edge.up && "down", edge.inside && "inside"].filter(Boolean).join(" "));
      setText(element.querySelector("title"), edge.loss?.text ?? `${isolated(from.name)} → ${isolated(to.name)}`);
    }
  }
}

/** What was lost on the ways, for whoever points at none of them: several of them may have the same to tell. */
function lossesTold(edges) {
  const texts = [...new Set(edges.filter((edge) => edge.loss).map((edge) => edge.loss.text))];
  const more = texts.length - LOSSES_TOLD;
  return more > 0 ? [...texts.slice(0, LOSSES_TOLD), `and ${several(more, "way")} more: the sockets that lose are in the table`] : texts;
}

const keyOf = (edge) => `${edge.from}\n\n${edge.to}\n\n${edge.both}\n${edge.inside}`;

function marker() {
  return s("marker", { id: "tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse", orient: "auto-start-reverse" }, s("path", { d: "M0 0L8 4L0 8z", class: "tip" }));
}

function way(edge, groups) {
  const [from, to] = [groups.get(edge.from), groups.get(edge.to)];
  const [x1, y1, x2, y2] = [left(from) + BOX.width, top(from) + BOX.height / 2, left(to), top(to) + BOX.height / 2];
  const bend = Math.max(30, Math.abs(x2 - x1) / 2);
  const path = x2 > x1 ? `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2 - 2} ${y2}` : `M${x1} ${y1}C${x1 + 50} ${y1 - 40} ${x2 - 50} ${y2 - 40} ${x2 - 2} ${y2}`;
  const key = keyOf(edge);
  return s("path", { class: "hop", d: path, "data-way": key, "data-key": key, "marker-end": edge.inside ? null : "url(#tip)", "marker-start": edge.both ? "url(#tip)" : null }, s("title"));
}

function cut(text, length) {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
