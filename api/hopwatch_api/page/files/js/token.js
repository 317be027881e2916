/** Asks whoever looks for the agent's token: at once where it asks for one, and by a button where somebody would not give it. */

import { hasToken, isToken, keepToken } from "./api.js";
import { byId, setAttribute, setText } from "./dom.js";

export class TokenDialog {
  constructor() {
    this.dialog = /** @type {HTMLDialogElement} */ (byId("token"));
    this.value = /** @type {HTMLInputElement} */ (byId("token-value"));
    this.button = byId("give-token");
    this.button.addEventListener("click", () => this.ask());
  }

  /** Whether somebody was asked, and gave none. */
  get declined() {
    return !this.button.hidden;
  }

  /** The agent tells what it knows. */
  taken() {
    this.button.hidden = true;
  }

  /** Resolves when one was given, or nobody would. */
  ask() {
    if (this.dialog.open) return Promise.resolve();
    this.#say(hasToken() ? "The token that was shown is not this agent's." : "It shows what it knows to whoever has it.", hasToken());
    this.dialog.showModal();
    return new Promise((resolve) => {
      byId("token-form").onsubmit = (event) => {
        event.preventDefault();
        if (this.#keep()) resolve(undefined);
      };
      this.dialog.oncancel = () => {
        this.button.hidden = false;
        resolve(undefined);
      };
    });
  }

  #keep() {
    const given = this.value.value.trim();
    if (!isToken(given)) {
      this.#say("A token is of letters, digits and signs: this one has something else in it, which may not be seen.", true);
      return false;
    }
    keepToken(given);
    this.button.hidden = true;
    this.dialog.close();
    return true;
  }

  #say(text, isWrong) {
    setText(byId("token-problem"), text);
    setAttribute(byId("token-value"), "aria-invalid", String(isWrong));
  }
}
