/** What sockets lost lately, by the events that told of it: enough to say between whom it was lost. */

const LATELY_MS = 10_000;
const HEARD_MS = 15_000;
const KEPT = 200;
const SOCKETS_KEPT = 2_000;

export class RecentLosses {
  constructor() {
    this.bySocket = new Map();
  }

  /** Takes up an event, if it tells of a loss. */
  note({ kind, at, values }) {
    if (kind !== "onset" && kind !== "unroutable" && !(kind === "gap" && values.action === "gap")) return;
    const kept = this.bySocket.get(values.socket) ?? [];
    kept.push({ kind, at: Date.parse(at), values, heardAt: performance.now() });
    if (kept.length > KEPT) kept.shift();
    this.bySocket.delete(values.socket); // the socket heard of last stands last
    this.bySocket.set(values.socket, kept);
    if (this.bySocket.size > SOCKETS_KEPT) this.bySocket.delete(this.bySocket.keys().next().value);
  }

  /** What the socket told within the ten seconds before its newest loss, by its own clock; nothing that was heard of long ago: newer losses may not have been told of. */
  of(socket) {
    const heard = performance.now() - HEARD_MS;
    const kept = (this.bySocket.get(socket) ?? []).filter((loss) => loss.heardAt >= heard);
    const newest = Math.max(...kept.map((loss) => loss.at));
    return kept.filter((loss) => loss.at >= newest - LATELY_MS);
  }
}
