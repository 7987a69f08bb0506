"use strict";
// The operators in their order, as rows with the data flow between them as rails.

forebay.operators = (() => {
  const height = 34, lane = 13, first = 12, lanes = 9;
  let rows = [], rails = [];

  // Give each edge that skips operators a lane that is free over its whole length.
  const laneOf = (edges) => {
    const ends = [];
    return edges.map(([from, to]) => {
      if (to === from + 1) return 0;
      let at = ends.findIndex((end) => end <= from);
      if (at < 0) at = ends.length;
      ends[at] = to;
      return Math.min(at + 1, lanes);
    });
  };

  const path = (from, to, at) => {
    const x = first, side = first + at * lane, a = from * height + height / 2, b = to * height + height / 2;
    if (!at) return `M${x},${a}V${b}`;
    const bend = Math.min(height * .8, (b - a) / 2);
    return `M${x},${a}C${x},${a + bend} ${side},${a} ${side},${a + bend}V${b - bend}C${side},${b} ${x},${b - bend} ${x},${b}`;
  };

  const build = (plan) => {
    const place = document.getElementById("operators");
    if (!plan.operators.length || forebay.before) {
      place.hidden = true;
      document.getElementById("work").classList.add(forebay.before ? "two" : "plain");
      return;
    }
    const given = plan.edges.filter(([from, to]) => from < to), at = laneOf(given);
    const wide = first + Math.max(0, ...at) * lane + 14;
    const svg = d3.create("svg").attr("width", wide).attr("height", plan.operators.length * height).attr("aria-hidden", "true");
    rails = given.map((edge, n) => ({ edge, path: svg.append("path").attr("class", "rail").attr("d", path(...edge, at[n])) }));
    plan.operators.forEach((operator, n) => svg.append("circle").attr("cx", first).attr("cy", n * height + height / 2).attr("r", 5)
      .style("fill", `var(--${plan.deviceColor(operator.device)})`).style("stroke", "var(--ground)").style("stroke-width", 2));
    rows = plan.operators.map((operator, n) => {
      const right = operator.cycles ? `${forebay.compact(operator.cycles)} cyc` : operator.instructions ? `${forebay.compact(operator.instructions)} instr` : operator.macs ? `${forebay.compact(operator.macs)} MAC` : "";
      return forebay.element("button", {
        class: "operator", type: "button", style: `padding-left: ${wide}px`, "data-operator": n,
        title: [operator.title, operator.name, operator.device, ...operator.reasons].filter(Boolean).join("\n"),
        onclick: () => forebay.select({ kind: "operator", plan, number: n }),
        onpointerenter: () => forebay.glance({ kind: "operator", plan, number: n }),
        onpointerleave: () => forebay.glance(null),
      }, forebay.element("b", {}, forebay.element("span", { class: "right" }, right), operator.title),
      forebay.element("small", {}, forebay.short(operator.name) || "\u00a0"));
    });
    const legend = plan.devices.length > 1
      ? [forebay.element("div", { class: "legend" }, ...plan.devices.map((device) =>
          forebay.element("span", {}, forebay.dot(plan.deviceColor(device)), device)))]
      : [];
    place.append(forebay.element("h2", {}, "Operators"), ...legend, forebay.element("div", { class: "rows" }, svg.node(), ...rows));
  };

  const update = (plan) => {
    if (!rows.length) return;
    const chosen = forebay.chosenOperators(plan), matches = forebay.matches;
    rows.forEach((row, n) => {
      row.classList.toggle("on", chosen.has(n));
      row.classList.toggle("dim", matches !== null && !matches.operators.has(n));
    });
    rails.forEach(({ edge, path: rail }) => rail.classed("on", chosen.has(edge[0]) || chosen.has(edge[1])));
  };

  const show = (n) => rows[n] && rows[n].scrollIntoView({ block: "nearest" });

  return { build, update, show };
})();
