/** The last minute of a socket, as a line; losses are marks below it. What is not known is left blank. */

import { s, setAttribute } from "./dom.js";

/** @returns {SVGElement} an empty one, which `drawTrend` fills */
export function newSparkline(width = 120, height = 26) {
  return s("svg", { class: "trend", viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true", preserveAspectRatio: "none" },
    s("path", { class: "received" }), s("path", { class: "sent" }), s("path", { class: "lost" }));
}

/** Draws what a trend holds. */
export function drawTrend(svg, trend) {
  const [, , width, height] = (svg.getAttribute("viewBox") ?? "0 0 120 26").split(" ").map(Number);
  let most = 1;
  for (const values of [trend.sent, trend.received]) for (const value of values) if (value > most) most = value;
  const x = (index) => ((index / (trend.sent.length - 1)) * width).toFixed(1);
  const y = (value) => ((1 - value / most) * (height - 6) + 1).toFixed(1);
  const [received, sent, lost] = svg.children;
  setAttribute(received, "d", line(trend.received, x, y));
  setAttribute(sent, "d", line(trend.sent, x, y));
  let marks = "";
  trend.lost.forEach((value, index) => {
    if (value > 0) marks += `M${x(index)} ${height - 4}v4`;
  });
  setAttribute(lost, "d", marks);
}

function line(values, x, y) {
  if (!values.some((value) => value > 0)) return "";
  let path = "";
  values.forEach((value, index) => {
    if (!Number.isNaN(value)) path += `${Number.isNaN(values[index - 1] ?? NaN) ? "M" : "L"}${x(index)} ${y(value)}`;
  });
  return path;
}
