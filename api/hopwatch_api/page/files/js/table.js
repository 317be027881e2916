/** A table of which only the rows in sight are made: ten thousand rows cost as much as thirty. */

import { h, setAttribute, setText } from "./dom.js";

const BEYOND = 6;

export class Table {
  /**
   * @param {HTMLElement} place
   * @param {{key: string, label: string, title?: string, numeric?: boolean, narrow?: boolean, sorts?: boolean, draw?: (cell: HTMLElement, item: any) => void, text?: (item: any) => string}[]} columns
   * @param {{id: string, label: string, sort: (key: string) => void, open: (id: string) => void}} told
   */
  constructor(place, columns, told) {
    this.place = place;
    this.columns = columns;
    this.told = told;
    this.items = [];
    this.active = "";
    this.row = rowIn(place);
    this.heads = columns.map((column, index) => this.#head(column, index));
    this.before = h("tbody", { role: "presentation" }, h("tr", { role: "presentation" }, h("td", { role: "presentation", colspan: columns.length })));
    this.body = h("tbody");
    this.after = h("tbody", { role: "presentation" }, h("tr", { role: "presentation" }, h("td", { role: "presentation", colspan: columns.length })));
    this.table = h("table", { id: told.id, role: "grid", tabindex: 0, "aria-label": told.label, onkeydown: (event) => this.#key(event) },
      h("thead", {}, h("tr", { "aria-rowindex": 1 }, this.heads)), this.before, this.body, this.after);
    place.replaceChildren(this.table);
    place.addEventListener("scroll", () => this.draw(), { passive: true });
    new ResizeObserver(() => {
      this.row = rowIn(place);
      this.draw();
    }).observe(place);
  }

  /** Shows these, in this order; `sort` is a column's key, with "-" before it where the order is reversed. */
  show(items, sort) {
    this.items = items;
    const [key, reversed] = sort.startsWith("-") ? [sort.slice(1), true] : [sort, false];
    const direction = (column) => (Boolean(column.largestFirst) === reversed ? "ascending" : "descending");
    this.columns.forEach((column, index) => column.sorts !== false && setAttribute(this.heads[index], "aria-sort", column.key === key ? direction(column) : "none"));
    setAttribute(this.table, "aria-rowcount", String(items.length + 1));
    this.draw();
  }

  /** Makes the rows in sight, and fills them. */
  draw() {
    const top = Math.max(0, Math.floor(this.place.scrollTop / this.row) - BEYOND);
    const fits = Math.ceil((this.place.clientHeight || 600) / this.row) + 2 * BEYOND;
    const first = Math.min(top, Math.max(0, this.items.length - fits));
    const shown = this.items.slice(first, first + fits);
    while (this.body.childElementCount < shown.length) this.body.append(this.#row());
    while (this.body.childElementCount > shown.length) this.body.lastElementChild?.remove();
    shown.forEach((item, index) => this.#fill(this.body.children[index], item, first + index));
    /** @type {HTMLElement} */ (this.before.firstElementChild).style.height = `${first * this.row}px`;
    /** @type {HTMLElement} */ (this.after.firstElementChild).style.height = `${(this.items.length - first - shown.length) * this.row}px`;
    // only a row that is there can be named
    if (shown.some((item) => item.id === this.active)) setAttribute(this.table, "aria-activedescendant", `row-${this.active}`);
    else this.table.removeAttribute("aria-activedescendant");
  }

  #head(column, index) {
    if (column.sorts === false) return h("th", { scope: "col", class: classOf(column), "data-number": index + 1 }, column.label);
    const button = h("button", { type: "button", title: column.title, onclick: () => this.told.sort(column.key) }, column.label);
    return h("th", { scope: "col", class: classOf(column), "aria-sort": "none", "data-number": index + 1 }, button);
  }

  #row() {
    const row = h("tr", { onclick: (event) => event.ctrlKey || event.metaKey || event.shiftKey || this.#choose(row.dataset.id) });
    row.append(...this.columns.map((column) => h("td", { class: classOf(column) })));
    return row;
  }

  #fill(row, item, index) {
    if (row.dataset.id !== item.id) {
      row.dataset.id = item.id;
      row.id = `row-${item.id}`;
    }
    setAttribute(row, "aria-rowindex", String(index + 2));
    setAttribute(row, "class", `${item.state}${item.id === this.active ? " active" : ""}`);
    this.columns.forEach((column, place) => {
      const cell = row.children[place];
      if (column.draw) column.draw(cell, item);
      else if (column.text) setText(cell, column.text(item));
    });
  }

  #choose(id) {
    this.active = id;
    this.draw();
    this.told.open(id);
  }

  #key(event) {
    if (event.target !== this.table) return;
    const at = this.items.findIndex((item) => item.id === this.active);
    const page = Math.max(1, Math.floor(this.place.clientHeight / this.row) - 2);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.key === "Enter" && at >= 0) this.told.open(this.active);
    else if (event.key in steps && this.items.length) this.#go(at < 0 ? 0 : at + steps[event.key]);
    else return;
    event.preventDefault();
  }

  #go(index) {
    const at = Math.min(this.items.length - 1, Math.max(0, index));
    this.active = this.items[at].id;
    const top = at * this.row;
    const height = this.place.clientHeight - 2 * this.row;
    if (top < this.place.scrollTop) this.place.scrollTop = top;
    else if (top > this.place.scrollTop + height) this.place.scrollTop = top - height;
    this.draw();
  }
}

/** Pixels that a row takes there: each as many. */
function rowIn(place) {
  return Number.parseFloat(getComputedStyle(place).getPropertyValue("--row")) || 38;
}

function classOf(column) {
  return [`col-${column.key}`, column.numeric && "number", column.narrow === false && "wide-only"].filter(Boolean).join(" ");
}
