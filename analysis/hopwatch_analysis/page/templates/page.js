"use strict";

// filter: items without one of the words go; hops of the picture are dimmed
const box = document.getElementById("filter");
const found = document.getElementById("found");
const items = [...document.querySelectorAll("[data-item]")].map((item) => ({
  item,
  text: (item.getAttribute("data-text") || item.textContent).toLowerCase(),
  drawn: item.closest("svg") !== null,
}));

function filter() {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  let all = 0;
  for (const { item, text, drawn } of items) {
    const fits = words.every((word) => text.includes(word));
    item.classList.toggle(drawn ? "dim" : "away", !fits);
    if (!drawn) {
      all += 1;
      shown += fits ? 1 : 0;
    }
  }
  for (const folded of document.querySelectorAll(".more")) folded.open ||= words.length > 0;
  found.value = words.length ? `${shown} of ${all} entries` : "";
}

box.form.hidden = false;
box.form.addEventListener("submit", (event) => event.preventDefault());
box.addEventListener("input", filter);
document.addEventListener("keydown", (event) => {
  const typing = event.target instanceof HTMLInputElement;
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    box.focus();
  } else if (event.key === "Escape" && typing) {
    box.value = "";
    filter();
  }
});

// tables: a heading sorts by its column, figures the largest first
function sortBy(heading) {
  const table = heading.closest("table");
  const column = heading.cellIndex;
  const byNumber = heading.dataset.sort === "number";
  const before = heading.getAttribute("aria-sort");
  const ascending = before === null ? !byNumber : before === "descending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row) => {
    const cell = row.cells[column];
    return { row, key: byNumber ? Number(cell.dataset.value) : cell.textContent };
  });
  const order = new Intl.Collator("en", { numeric: true }).compare;
  const sign = ascending ? 1 : -1;
  rows.sort((a, b) => sign * (byNumber ? a.key - b.key : order(a.key, b.key)));
  body.append(...rows.map(({ row }) => row));
}

for (const heading of document.querySelectorAll(".sortable thead th")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = heading.textContent;
  button.addEventListener("click", () => sortBy(heading));
  heading.replaceChildren(button);
}

// timeline: a cursor, by pointer or arrow keys, tells the figures of one step
function counts(chart, name) {
  const text = chart.dataset[name];
  return text ? text.split(" ").map(Number) : null;
}

function stepTeller(chart) {
  const start = Number(chart.dataset.start);
  const seconds = Number(chart.dataset.seconds);
  const data = Object.fromEntries(
    ["lost", "onsets", "reconnects", "sent", "received"].map((name) => [name, counts(chart, name)]),
  );
  const time = (step) => new Date((start + step * seconds) * 1000).toISOString().slice(0, 19).replace("T", " ");
  const rate = (values, step, word) =>
    values ? `${word} ${(values[step] / seconds).toLocaleString("en", { maximumFractionDigits: 1 })}/s` : "";
  return (step) =>
    [
      `${time(step)} to ${time(step + 1).slice(11)}`,
      `${data.lost[step].toLocaleString("en")} lost`,
      `${data.onsets[step]} onsets`,
      `${data.reconnects[step]} reconnects`,
      rate(data.sent, step, "sent"),
      rate(data.received, step, "received"),
    ]
      .filter(Boolean)
      .join(" · ");
}

const readout = document.getElementById("readout");
for (const chart of document.querySelectorAll(".chart")) {
  const plot = chart.querySelector(".plot svg");
  const name = chart.querySelector("figcaption bdi").textContent;
  const cursor = plot.querySelector(".cursor");
  const tell = stepTeller(chart);
  const last = plot.viewBox.baseVal.width - 1;
  let step = 0;
  const show = (wanted) => {
    step = Math.min(Math.max(wanted, 0), last);
    cursor.setAttribute("x", step);
    plot.classList.add("on");
    const told = tell(step);
    readout.textContent = `${name}: ${told}`;
    readout.hidden = false;
    plot.setAttribute("aria-valuenow", step);
    plot.setAttribute("aria-valuetext", told);
  };
  const hide = () => {
    plot.classList.remove("on");
    readout.hidden = true;
  };
  plot.setAttribute("role", "slider");
  plot.setAttribute("tabindex", "0");
  plot.setAttribute("aria-valuemin", 0);
  plot.setAttribute("aria-valuemax", last);
  plot.setAttribute("aria-valuenow", 0);
  plot.addEventListener("pointermove", (event) => {
    const area = plot.getBoundingClientRect();
    show(Math.floor(((event.clientX - area.left) / area.width) * (last + 1)));
  });
  plot.addEventListener("pointerleave", hide);
  plot.addEventListener("focus", () => show(step));
  plot.addEventListener("blur", hide);
  plot.addEventListener("keydown", (event) => {
    const to = { ArrowLeft: step - 1, ArrowRight: step + 1, Home: 0, End: last }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      show(to);
    }
  });
}

// a picture that is wider than the screen begins where the worst hop is
const worst = document.querySelector(".picture .way text");
const view = document.querySelector(".picture")?.parentElement;
if (worst && view.scrollWidth > view.clientWidth) {
  const place = worst.getBoundingClientRect();
  view.scrollLeft = (place.left + place.right) / 2 - view.getBoundingClientRect().left - view.clientWidth / 2;
}

// what is closed is to be seen on paper, and where a link leads to
const foldable = [...document.querySelectorAll("details")];
let closed = [];
addEventListener("beforeprint", () => {
  closed = foldable.filter((one) => !one.open);
  for (const one of closed) one.open = true;
});
addEventListener("afterprint", () => {
  for (const one of closed) one.open = false;
});

function openTarget() {
  const target = location.hash && document.getElementById(location.hash.slice(1));
  if (!target) return;
  if (target instanceof HTMLDetailsElement) target.open = true;
  target.classList.remove("away");
  target.scrollIntoView({ block: "start" });
}
addEventListener("hashchange", openTarget);
openTarget();
