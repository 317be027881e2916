/** What a socket did in the last minute, second by second; NaN where that is not known. */

const SECONDS_KEPT = 60;
const MISSED_MS = 3_000;

/** @returns an empty one */
export function newTrend() {
  const values = () => new Float32Array(SECONDS_KEPT).fill(NaN);
  return { sent: values(), received: values(), lost: values(), at: 0 };
}

/** Adds what a socket does now, at that time of the page's clock; null: it is not known. */
export function push(trend, socket, now) {
  const missed = trend.at && now - trend.at >= MISSED_MS ? Math.floor((now - trend.at) / 1000) - 1 : 0;
  for (let second = 0; second < Math.min(missed, SECONDS_KEPT); second += 1) add(trend, null);
  add(trend, socket);
  trend.at = now;
}

function add(trend, socket) {
  const rates = socket?.rates;
  const now = {
    sent: rates ? rates.sent + rates.proxied_out_frames : NaN,
    received: rates ? rates.received + rates.proxied_in_frames : NaN,
    lost: rates ? rates.lost + rates.onsets + rates.unroutable : NaN,
  };
  for (const [name, value] of Object.entries(now)) {
    trend[name].copyWithin(0, 1);
    trend[name][SECONDS_KEPT - 1] = value;
  }
}
