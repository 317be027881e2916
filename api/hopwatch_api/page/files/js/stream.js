/** What the agent pushes each second; lost, and found again. Read by fetch, because an EventSource cannot show a token. */

import { ask, Refusal } from "./api.js";
import { hiddenFor, shownWithin } from "./visibility.js";

const SILENT_MS = 5_000;
const HIDDEN_MS = 5_000;
const LOOKS_MS = 30_000;
const PAUSES_MS = [500, 1_000, 2_000, 4_000];
const [ENDED, ANEW, RESTS] = ["ended", "anew", "rests"];

/**
 * Calls `pushed` with each frame, `lost` with why it broke off and in how many milliseconds it tries again, for ever. Where `pushed` gives
 * false, it is asked for all that is told at first. A browser has six connections to an agent for all its tabs: one that nobody sees holds none,
 * and takes a look now and then.
 * `told.breakOff` is set to what ends the present connection, for a reason.
 * @param {{pushed: (frame: any) => boolean, lost: (error: any, pause: number) => Promise<void>, after: () => number, breakOff: (why: any) => void}} told
 */
export async function follow(told) {
  let failures = 0;
  let rests = false;
  for (;;) {
    try {
      const stop = new AbortController();
      told.breakOff = (reason) => stop.abort(reason);
      const why = await readOnce(stop, told.after(), rests && document.hidden, (frame) => {
        failures = 0;
        return told.pushed(frame);
      });
      if (why === ENDED) throw new Refusal(0, "the agent has ended");
      rests = why === RESTS;
      if (rests) await shownWithin(LOOKS_MS);
    } catch (error) {
      const pause = PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)];
      failures += 1;
      await told.lost(error, pause);
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

/** Reads until there is a reason to stop; `once`: a single frame. */
async function readOnce(stop, after, once, pushed) {
  const silence = () => setTimeout(() => stop.abort(new Refusal(0, `nothing has come for ${SILENT_MS / 1000} s`)), SILENT_MS);
  let timer = silence();
  const hidden = once ? null : hiddenFor(HIDDEN_MS, stop.signal, () => stop.abort(RESTS));
  try {
    const answer = await ask(`v1/live?sockets=2000&after=${after}`, stop.signal);
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await read(reader, stop.signal);
      if (done) return ENDED;
      clearTimeout(timer);
      timer = silence();
      const messages = (rest + value).split("\n\n");
      rest = messages.pop() ?? "";
      for (const message of messages) {
        const { event, data } = parsed(message);
        if (event === "end") return ENDED;
        if (event === "live" && !taken(pushed, JSON.parse(data))) return ANEW;
        if (event === "live" && once) return RESTS;
      }
    }
  } catch (error) {
    if (stop.signal.reason === RESTS) return RESTS;
    throw error;
  } finally {
    clearTimeout(timer);
    hidden?.();
    stop.abort();
  }
}

/** What goes wrong in showing a frame is no fault of the agent's: the browser tells of it, and the next frame may do. */
function taken(pushed, frame) {
  try {
    return pushed(frame);
  } catch (error) {
    reportError(error);
    return true;
  }
}

async function read(reader, signal) {
  try {
    return await reader.read();
  } catch (error) {
    throw signal.aborted ? signal.reason : new Refusal(0, "the connection broke off");
  }
}

function parsed(message) {
  const told = { event: "", data: "" };
  for (const line of message.split("\n")) {
    const colon = line.indexOf(": ");
    if (colon > 0) told[line.slice(0, colon)] = line.slice(colon + 2);
  }
  return told;
}
