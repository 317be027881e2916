/** Asking the agent. Paths are relative, so that the page works behind a proxy's prefix, too. */

import { inTab } from "./storage.js";

const KEY = "hopwatch-token";

/** An answer that is none: `status` of HTTP, 0 where nobody answered. */
export class Refusal extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

/** @returns {Record<string, string>} */
function credentials() {
  const token = inTab.get(KEY);
  return token ? { authorization: `Bearer ${token}` } : {};
}

/** Whether this tab shows the agent a token; what the browser itself asks for has none. */
export function hasToken() {
  return inTab.get(KEY) !== null;
}

/** Whether it can be one: a header takes no other characters. */
export function isToken(text) {
  return /^[\x20-\x7e]+$/.test(text);
}

/** Keeps the token for as long as the tab is open. */
export function keepToken(token) {
  inTab.set(KEY, token);
}

/**
 * The answer; throws a Refusal that says why there is none.
 * @param {string} path
 * @param {AbortSignal} [signal]
 */
export async function ask(path, signal) {
  let answer;
  try {
    answer = await fetch(path, { headers: credentials(), signal, cache: "no-cache" });
  } catch (error) {
    if (signal?.aborted && signal.reason instanceof Refusal) throw signal.reason;
    throw new Refusal(0, signal?.aborted ? "it took too long" : "nobody answers");
  }
  if (!answer.ok) throw new Refusal(answer.status, await reason(answer));
  return answer;
}

/** A list or an object. */
export async function get(path) {
  const answer = await ask(path, AbortSignal.timeout(15_000));
  try {
    return await answer.json();
  } catch (error) {
    throw new Refusal(0, "the answer broke off");
  }
}

async function reason(answer) {
  try {
    const told = await answer.json();
    return told.detail ?? told.title ?? `status ${answer.status}`;
  } catch (error) {
    return `status ${answer.status}`;
  }
}
