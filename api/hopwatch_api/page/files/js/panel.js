/** All that is known of one socket, in a panel of its own. */

import { byId, h } from "./dom.js";
import { Details } from "./details.js";
import { setChildren } from "./kept.js";
import { partsOf } from "./panel_parts.js";

export class Panel {
  /** @param {{href: (id: string) => string, closed: () => void}} told */
  constructor(model, told) {
    this.model = model;
    this.told = told;
    this.dialog = /** @type {HTMLDialogElement} */ (byId("socket"));
    this.id = "";
    this.details = new Details(() => this.#draw());
    this.dialog.addEventListener("close", () => {
      this.id = "";
      told.closed();
    });
    this.dialog.addEventListener("click", (event) => event.target === this.dialog && this.dialog.close());
  }

  /** Opens it for a socket, or closes it where there is none. */
  show(id) {
    if (id === this.id) return;
    if (!id) {
      this.dialog.close();
      return;
    }
    this.id = id;
    this.details.of(id);
    this.#draw();
    if (!this.dialog.open) this.dialog.showModal();
    this.dialog.scrollTop = 0;
    this.update();
  }

  /** Brings it up to date, and asks for what only this panel shows. */
  update() {
    if (!this.id) return;
    this.#draw();
    if (this.model.sockets.has(this.id)) this.details.renew(this.model.lastEvent);
  }

  #draw() {
    if (!this.id) return;
    const socket = this.model.sockets.get(this.id);
    const close = h("button", { type: "button", class: "close", onclick: () => this.dialog.close() }, "Close");
    const parts = socket ? partsOf(socket, this.details.known, this.model, this.told.href) : unknown(this.id, this.model.fetched.has("sockets"));
    setChildren(byId("socket-body"), close, parts);
  }
}

function unknown(id, asked) {
  return [
    h("h2", { id: "socket-title" }, "Socket ", h("code", {}, id)),
    h("p", { class: "note" }, asked ? "This agent does not show it (any more): it forgets what has ended some minutes ago." : "Asking the agent …"),
  ];
}
