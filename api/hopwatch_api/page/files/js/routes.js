/** By which ways messages get from one group of sockets to another: straight, or through proxies. Nothing here draws. */

const STEPS = 12;
const ROUTES = 8;

export class Routes {
  /** @param {Iterable<{from: string, to: string, both: boolean, inside: boolean}>} edges */
  constructor(edges) {
    this.out = new Map();
    this.into = new Map();
    this.ofProxies = new Set();
    this.onward = new Map();
    for (const edge of edges) {
      this.#add(edge, edge.from, edge.to);
      // what a proxy does is not told by its types: answers come back through ROUTER and DEALER
      if (edge.both || edge.inside) this.#add(edge, edge.to, edge.from);
      if (edge.inside) for (const end of [edge.from, edge.to]) this.ofProxies.add(end);
    }
  }

  /** The ways of a group by where they lead: of each other group, and of those that go on, through a proxy or to one. */
  #ahead(group) {
    if (this.onward.has(group)) return this.onward.get(group);
    const ways = { to: new Map(), on: [] };
    for (const way of this.out.get(group) ?? []) {
      if (way.edge.inside || this.ofProxies.has(way.there)) ways.on.push(way);
      else ways.to.set(way.there, [...(ways.to.get(way.there) ?? []), way]);
    }
    this.onward.set(group, ways);
    return ways;
  }

  #add(edge, from, to) {
    for (const [ways, here, there] of [[this.out, from, to], [this.into, to, from]]) {
      if (!ways.has(here)) ways.set(here, []);
      ways.get(here).push({ edge, there });
    }
  }

  /** The ways that a group sends by, each with the group that it leads to; proxies' insides aside. */
  leaving(group) {
    return (this.out.get(group) ?? []).filter(({ edge }) => !edge.inside);
  }

  /** Every route between the two, as ways in their order: at each group on it that is not its end, it goes through a proxy. */
  between(from, to) {
    const found = [];
    const seek = (group, route, inside) => {
      const ahead = this.#ahead(group);
      for (const { edge, there } of [...(ahead.to.get(to) ?? []), ...ahead.on]) {
        if (edge.inside !== inside || route.includes(edge) || found.length === ROUTES) continue;
        if (there === to && !inside) found.push([...route, edge]);
        else if (route.length < STEPS) seek(there, [...route, edge], !inside);
      }
    };
    seek(from, [], false);
    return found;
  }

  /** All ways that lead to a group, those before a proxy too; and of each, where it comes from. */
  leadingTo(group) {
    const found = new Map();
    const seek = (here, inside) => {
      for (const { edge, there } of this.into.get(here) ?? []) {
        if (edge.inside !== inside || found.has(edge)) continue;
        found.set(edge, there);
        seek(there, !inside);
      }
    };
    seek(group, false);
    return found;
  }
}
