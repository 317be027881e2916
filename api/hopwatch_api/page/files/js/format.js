/** Numbers, times and names as people read them. */

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const tenths = new Intl.NumberFormat("en", { maximumFractionDigits: 1, minimumFractionDigits: 1 });
const UNITS = ["B", "kB", "MB", "GB", "TB"];

/** A count: 12,345. */
export function count(number) {
  return whole.format(number);
}

/** Messages a second: 12,345; 3.2; 0. */
export function rate(number) {
  if (number === 0) return "0";
  return number < 10 ? tenths.format(number) : whole.format(number);
}

/** Bytes: 1.5 MB. */
export function bytes(number) {
  let unit = 0;
  let left = number;
  while (left >= 1000 && unit < UNITS.length - 1) {
    left /= 1000;
    unit += 1;
  }
  return `${unit === 0 || left >= 100 ? whole.format(left) : tenths.format(left)} ${UNITS[unit]}`;
}

/** How many: 1 message, 2 messages. */
export function several(number, one, many = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : many}`;
}

/** A name within a text: where it turns the direction of what follows, it does so for itself alone. */
export function isolated(name) {
  return /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(name) ? `\u2068${name}\u2069` : name;
}

/** A time of day in UTC, as journals and reports tell it, with the day where it is not today. */
export function clock(text) {
  const [day, time] = new Date(text).toISOString().split("T");
  const told = time.slice(0, 8);
  return day === new Date().toISOString().slice(0, 10) ? told : `${day} ${told}`;
}

/** Seconds: 0.4 s, 12 s, 3 min, 2 h. */
export function seconds(number) {
  if (number < 10) return `${tenths.format(number)} s`;
  if (number < 120) return `${whole.format(number)} s`;
  return number < 7200 ? `${whole.format(number / 60)} min` : `${whole.format(number / 3600)} h`;
}

/** The program of a command without its arguments: app.py, uvicorn, or a module after -m. As the agent tells it in metrics (`program_of`). */
export function program(command) {
  const words = command.split(/\s+/).filter(Boolean);
  const first = lastPart(words[0] ?? "");
  if (!/^python(\d+(\.\d+)?t?)?$/.test(first)) return first;
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at];
    if (word === "-m") return words[at + 1] ?? first;
    if (word === "-c") return first;
    if (word === "-W" || word === "-X") at += 1; // its value
    else if (!word.startsWith("-")) return lastPart(word);
  }
  return first;
}

function lastPart(path) {
  return path.split("/").filter((part) => part && part !== ".").at(-1) ?? "";
}

/** What is on its way of a socket that may both send and receive: both where both wait. */
export function backlogs(sent, received) {
  if (sent?.at_most && received?.at_most) return `${backlog(sent)} sent, ${backlog(received)} to it`;
  return backlog(sent?.at_most ? sent : (received ?? sent));
}

/** What is on its way: "1,200", or "1,200 to 3,400" where it is not known exactly; empty where nothing is known. */
export function backlog(known) {
  if (!known) return "";
  if (known.at_least === known.at_most) return count(known.at_most);
  return known.at_least ? `${count(known.at_least)} to ${count(known.at_most)}` : `up to ${count(known.at_most)}`;
}
