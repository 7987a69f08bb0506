"use strict";
// The state of the page: what is selected, hovered, searched and folded, and what follows from it.

forebay.selection = null;
forebay.hovered = null;
forebay.matches = null;
forebay.folded = true;

// The buffers that an operator reads and writes, as numbers.
forebay.usesOf = (plan, operator) => {
  plan.uses = plan.uses || new Map();
  if (!plan.uses.has(operator)) {
    const reads = new Set(), writes = new Set(), [from, to] = plan.operators[operator].steps || [0, 0];
    for (let step = from; step < to; step += 1) {
      if (plan.steps[step].operator !== operator) continue;
      plan.steps[step].reads.forEach((number) => reads.add(number));
      plan.steps[step].writes.forEach((number) => writes.add(number));
    }
    plan.uses.set(operator, { reads: [...reads], writes: [...writes] });
  }
  return plan.uses.get(operator);
};

// The operators that the selection and the pointer refer to: its own, or those of a buffer.
forebay.chosenOperators = (plan) => {
  const found = new Set();
  for (const one of [forebay.selection, forebay.hovered]) {
    if (!one || one.plan !== plan) continue;
    if (one.kind === "operator") found.add(one.number);
    if (one.kind !== "buffer") continue;
    const buffer = plan.buffers[one.number];
    for (const step of [buffer.producer, ...buffer.consumers]) {
      if (step !== null && plan.steps[step] && plan.steps[step].operator !== null) found.add(plan.steps[step].operator);
    }
  }
  return found;
};

// The range of steps that the pictures mark.
forebay.shownSteps = (plan) => {
  for (const one of [forebay.hovered, forebay.selection]) {
    if (!one || one.plan !== plan) continue;
    if (one.kind === "operator") return plan.operators[one.number].steps;
    if (one.step !== undefined && one.step !== null) return [one.step, one.step + 1];
  }
  return null;
};

forebay.changeOf = (plan, number) => {
  if (!forebay.before) return null;
  if (!plan.changed) plan.changed = new Map(forebay.data.difference.buffers.map((each) => [each[plan.side], each.change]));
  return plan.changed.get(number) || null;
};

// How a buffer is drawn: faint, strong, with an outline.
forebay.emphasisOf = (plan, number) => {
  const chosen = forebay.selection, result = { dim: false, strong: false, outline: null };
  if (forebay.matches) {
    result.dim = !forebay.matches.of(plan).has(number);
    result.strong = !result.dim;
  } else if (forebay.before && !chosen) {
    const change = forebay.changeOf(plan, number);
    result.dim = change === null;
    if (change) result.strong = true;
  }
  for (const one of [chosen, forebay.hovered]) {
    if (!one) continue;
    if (one.kind === "buffer") {
      const isSame = one.plan === plan ? one.number === number : plan.buffers[number].name === one.plan.buffers[one.number].name;
      if (isSame) Object.assign(result, { dim: false, strong: true, outline: "accent" });
    } else if (one.plan === plan && one.kind === "operator") {
      const uses = forebay.usesOf(plan, one.number);
      if (uses.writes.includes(number)) Object.assign(result, { strong: true, dim: false, outline: "write" });
      else if (uses.reads.includes(number)) Object.assign(result, { strong: true, dim: false, outline: "read" });
    } else if (one.plan === plan && one.kind === "peak") {
      const isCounted = plan.atBound[one.number].has(number);
      if (plan.buffers[number].pool === one.number) Object.assign(result, { dim: !isCounted, strong: isCounted });
    }
  }
  return result;
};

forebay.redraw = () => {
  if (forebay.pending) return;
  forebay.pending = requestAnimationFrame(() => {
    forebay.pending = null;
    forebay.pictures.forEach((picture) => picture.draw());
    forebay.frames = (forebay.frames || 0) + 1;
  });
};

forebay.refresh = () => {
  forebay.operators.update(forebay.plan);
  forebay.redraw();
  forebay.charts.drawTimeline();
};

forebay.select = (selection) => {
  forebay.selection = selection;
  forebay.details.show(selection);
  if (selection && selection.kind === "operator") forebay.operators.show(selection.number);
  if (selection && selection.kind === "buffer") forebay.reveal(selection.plan, selection.number);
  forebay.refresh();
};

forebay.pick = (plan, { buffer, step }) => {
  if (buffer !== null) return forebay.select({ kind: "buffer", plan, number: buffer });
  const operator = step === null || !plan.steps[step] ? null : plan.steps[step].operator;
  forebay.select(operator === null ? null : { kind: "operator", plan, number: operator });
};

forebay.glance = (hovered) => {
  forebay.hovered = hovered;
  forebay.operators.update(forebay.plan);
  forebay.redraw();
};

forebay.hover = (plan, found, event, pool) => {
  forebay.details.tip(plan, found, event, pool);
  if (!plan) return forebay.glance(null);
  forebay.glance(found.buffer !== null ? { kind: "buffer", plan, number: found.buffer, step: found.step }
    : found.step !== null ? { kind: "step", plan, step: found.step } : null);
};

// Show a buffer that lies outside of what the pictures show.
forebay.reveal = (plan, number) => {
  const buffer = plan.buffers[number], frame = forebay.windowOf(plan);
  if (plan.isStill(buffer.pool) && plan.pools[buffer.pool].kind === "constant" && forebay.folded) forebay.fold(false);
  const picture = forebay.pictures.find((each) => each.plan === plan && each.pool === buffer.pool);
  const [start, end] = [buffer.spans[0][0], buffer.spans[buffer.spans.length - 1][1]];
  if (start < frame.from || end > frame.to) {
    const size = Math.max(frame.to - frame.from, end - start), middle = (start + end) / 2;
    [frame.from, frame.to] = forebay.within(middle - size / 2, middle + size / 2, plan.ticks, 2);
  }
  if (picture && (buffer.offset < picture.low || buffer.offset + buffer.size > picture.high)) {
    const size = Math.max(picture.high - picture.low, buffer.size), middle = buffer.offset + buffer.size / 2;
    [picture.low, picture.high] = forebay.within(middle - size / 2, middle + size / 2, picture.most, 16);
  }
};

forebay.fold = (isFolded) => {
  forebay.folded = isFolded;
  document.getElementById("fold").setAttribute("aria-pressed", String(isFolded));
  document.getElementById("fold").textContent = isFolded ? "Constants folded" : "Constants shown";
  document.querySelectorAll(".pool.constant").forEach((each) => each.classList.toggle("folded", isFolded));
  if (!isFolded) forebay.pictures.filter((each) => each.data.kind === "constant").forEach((each) => each.resize());
};

forebay.search = (text) => {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = document.getElementById("matches");
  if (!words.length) {
    forebay.matches = null;
    found.textContent = "";
    forebay.refresh();
    return;
  }
  const has = (...texts) => {
    const whole = texts.join(" ").toLowerCase();
    return words.every((word) => whole.includes(word));
  };
  const operators = new Set(forebay.plan.operators.flatMap((each, n) => (has(each.title, each.name, each.device) ? [n] : [])));
  const buffers = new Map(forebay.plans.map((plan) => {
    const own = new Set();
    plan.operators.forEach((each, n) => {
      if (has(each.title, each.name, each.device)) forebay.usesOf(plan, n).writes.forEach((number) => own.add(number));
    });
    plan.buffers.forEach((each, n) => { if (has(each.name, plan.pools[each.pool].name)) own.add(n); });
    return [plan, own];
  }));
  const order = [...operators].map((number) => ({ kind: "operator", plan: forebay.plan, number }));
  for (const number of buffers.get(forebay.plan)) order.push({ kind: "buffer", plan: forebay.plan, number });
  forebay.matches = { operators, of: (plan) => buffers.get(plan), order, at: -1 };
  const count = (n, noun) => `${n.toLocaleString("en-US")} ${noun}${n === 1 ? "" : "s"}`;
  found.textContent = order.length ? [operators.size ? count(operators.size, "operator") : "", count(buffers.get(forebay.plan).size, "buffer")].filter(Boolean).join(", ") : "nothing";
  if (operators.size) forebay.operators.show([...operators][0]);
  forebay.refresh();
};

forebay.nextMatch = (by) => {
  const matches = forebay.matches;
  if (!matches || !matches.order.length) return;
  matches.at = (matches.at + by + matches.order.length) % matches.order.length;
  forebay.select(matches.order[matches.at]);
};

// Select the neighbour of the selected buffer: in time (along) or in its pool (upwards).
forebay.step = (along, upwards) => {
  const chosen = forebay.selection && forebay.selection.kind === "buffer" ? forebay.selection : null;
  const plan = chosen ? chosen.plan : forebay.plan;
  const pool = chosen ? plan.buffers[chosen.number].pool : plan.pools.findIndex((each, n) => !plan.isStill(n));
  if (pool < 0 || !plan.byPool[pool].length) return;
  const buffers = plan.buffers, key = (n) => (along ? [buffers[n].spans[0][0], buffers[n].offset] : [buffers[n].offset, buffers[n].spans[0][0]]);
  let candidates = plan.byPool[pool];
  if (!along && chosen) {
    const [from, to] = buffers[chosen.number].spans[0];
    candidates = candidates.filter((n) => n === chosen.number || buffers[n].spans.some(([a, b]) => a < to && from < b));
  }
  const sorted = [...candidates].sort((a, b) => d3.ascending(key(a)[0], key(b)[0]) || d3.ascending(key(a)[1], key(b)[1]) || a - b);
  const at = chosen ? sorted.indexOf(chosen.number) + (along || upwards) : 0;
  forebay.select({ kind: "buffer", plan, number: sorted[Math.min(Math.max(at, 0), sorted.length - 1)] });
};

forebay.zoomAll = (factor) => forebay.plans.forEach((plan) => {
  const frame = forebay.windowOf(plan), middle = (frame.from + frame.to) / 2, half = (frame.to - frame.from) / 2 * factor;
  [frame.from, frame.to] = forebay.within(middle - half, middle + half, plan.ticks, 2);
  forebay.redraw();
});

forebay.fit = () => {
  forebay.plans.forEach((plan) => Object.assign(forebay.windowOf(plan), { from: 0, to: plan.ticks }));
  forebay.pictures.forEach((picture) => Object.assign(picture, { low: 0, high: picture.most }));
  forebay.redraw();
};

forebay.peak = () => {
  const plan = forebay.plan, pools = d3.range(plan.pools.length).filter((n) => !plan.isStill(n) && plan.pools[n].atBound.length);
  if (!pools.length) return;
  const chosen = forebay.selection && forebay.selection.kind === "peak" ? pools.indexOf(forebay.selection.number) : -1;
  forebay.select({ kind: "peak", plan, number: pools[(chosen + 1) % pools.length] });
};

forebay.theme = (name) => {
  document.documentElement.dataset.theme = name;
  forebay.colors = {};
  forebay.pictures.forEach((picture) => picture.resize());
  forebay.charts.drawTimeline();
};

forebay.poolElement = (plan, number) => {
  const pool = plan.pools[number], { element } = forebay;
  const canvas = element("canvas", { tabindex: "0", role: "img", "data-pool": pool.name,
    "aria-label": `Pool ${pool.name}: ${plan.byPool[number].length} buffers, peak ${forebay.bytes(pool.peak)}` });
  const made = element("div", { class: `pool ${pool.kind}` },
    element("div", { class: "heading" }, element("b", {}, pool.name), element("span", { class: "soft" },
      `${pool.kind}, ${plan.byPool[number].length.toLocaleString("en-US")} buffer${plan.byPool[number].length === 1 ? "" : "s"}, ${forebay.bytes(pool.peak)}`)),
    canvas);
  if (pool.kind === "constant" && forebay.folded) made.classList.add("folded");
  new forebay.Picture(plan, number, canvas);
  return made;
};

forebay.build = () => {
  const { element, plan, before, data } = forebay;
  document.getElementById("name").textContent = document.title;
  document.getElementById("facts").append(...plan.facts.map(([name, value]) => element("span", {}, `${name} ${value}`)));
  forebay.charts.summary(plan);
  if (before) forebay.charts.changes(before, plan, data.difference);
  forebay.operators.build(plan);
  const memory = document.getElementById("memory"), order = d3.range(plan.pools.length).sort((a, b) => plan.isStill(a) - plan.isStill(b) || a - b);
  if (before) {
    const names = [...new Set([...order.map((n) => plan.pools[n].name), ...before.pools.map((pool) => pool.name)])];
    const pair = element("div", { class: "pair" }, element("h3", {}, `before: ${before.name}`), element("h3", {}, `after: ${plan.name}`));
    memory.append(pair);
    for (const name of names) {
      pair.append(...[before, plan].map((side) => {
        const number = side.pools.findIndex((pool) => pool.name === name);
        return number < 0 ? element("div", { class: "soft" }, `no pool ${name}`) : forebay.poolElement(side, number);
      }));
    }
  } else memory.append(...order.map((number) => forebay.poolElement(plan, number)));
  if (!plan.pools.some((pool) => pool.kind === "constant")) document.getElementById("fold").hidden = true;
  forebay.charts.offload(plan);
  forebay.charts.timeline(plan);
  forebay.charts.budgets(plan);
  forebay.details.show(null);
};

forebay.resize = (scale) => {
  forebay.pictures.forEach((picture) => picture.resize(scale));
  forebay.charts.drawTimeline(scale);
};

forebay.listen = () => {
  const on = (id, action) => document.getElementById(id).addEventListener("click", action);
  const search = document.getElementById("search"), dark = window.matchMedia("(prefers-color-scheme: dark)");
  on("fold", () => forebay.fold(!forebay.folded));
  on("zoom-in", () => forebay.zoomAll(.6));
  on("zoom-out", () => forebay.zoomAll(1 / .6));
  on("fit", () => forebay.fit());
  const swap = () => forebay.theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  on("theme", swap);
  dark.addEventListener("change", () => forebay.theme(dark.matches ? "dark" : "light"));
  search.addEventListener("input", () => forebay.search(search.value));
  const clear = () => {
    search.value = "";
    search.blur();
    forebay.search("");
    forebay.select(null);
  };
  const keys = {
    "/": () => search.focus(), c: () => forebay.fold(!forebay.folded), t: swap, p: forebay.peak,
    "+": () => forebay.zoomAll(.6), "=": () => forebay.zoomAll(.6), "-": () => forebay.zoomAll(1 / .6), 0: forebay.fit,
    ArrowLeft: () => forebay.step(-1, 0), ArrowRight: () => forebay.step(1, 0),
    ArrowUp: () => forebay.step(0, 1), ArrowDown: () => forebay.step(0, -1),
  };
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return clear();
    if (event.target === search) {
      if (event.key === "Enter") forebay.nextMatch(event.shiftKey ? -1 : 1);
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
  });
  let theme = null;
  window.addEventListener("beforeprint", () => {
    theme = document.documentElement.dataset.theme;
    forebay.fit();
    document.documentElement.dataset.theme = "light";
    forebay.colors = {};
    forebay.resize(3);
  });
  window.addEventListener("afterprint", () => forebay.theme(theme));
  window.addEventListener("resize", () => forebay.resize());
  document.documentElement.dataset.theme = dark.matches ? "dark" : "light";
};

forebay.listen();
forebay.build();
forebay.resize();
requestAnimationFrame(() => performance.mark("forebay-shown"));
