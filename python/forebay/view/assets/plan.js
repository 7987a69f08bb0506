"use strict";
// The data of the page with what follows from it, and the text and colours of its parts.

const forebay = {};

forebay.data = JSON.parse(document.getElementById("data").textContent);

forebay.bytes = (n) => `${n.toLocaleString("en-US")} B`;

forebay.unit = (n) => {
  for (const [size, name] of [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]])
    if (n >= size) return `${+(n / size).toPrecision(3)} ${name}`;
  return `${n} B`;
};

forebay.compact = (n) => d3.format(".3~s")(n);

// A tensor's name up to the first ';': converters join the names of all tensors that they fused.
// Of a place in an MLIR file the name of the file, without its folders.
forebay.short = (name) => /\.mlir:\d+:\d+$/.test(name) ? name.slice(name.lastIndexOf("/") + 1) : name.split(";", 1)[0] + (name.endsWith("]") && name.includes(";") ? name.slice(name.lastIndexOf("[")) : "");

forebay.color = (name) => forebay.colors[name] || (forebay.colors[name] =
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim());
forebay.colors = {};

// One of the plans of the page: lookups by pool, by step and by name.
forebay.planOf = (data, side) => {
  const plan = { ...data, side };
  plan.byPool = data.pools.map(() => []);
  data.buffers.forEach((buffer, number) => plan.byPool[buffer.pool].push(number));
  plan.byName = new Map(data.buffers.map((buffer, number) => [buffer.name, number]));
  plan.atBound = data.pools.map((pool) => new Set(pool.atBound));
  plan.deviceColor = (device) => `device-${Math.max(0, data.devices.indexOf(device)) % 6}`;
  // The text of a box: the number of the operator that writes it, and the end of its name.
  plan.labelOf = (buffer) => {
    const operator = buffer.producer === null ? null : plan.operatorOfStep(buffer.producer);
    const number = operator && /^[0-9]/.test(operator.title) ? `${operator.title.split(" ")[0]} ` : "";
    return [number, forebay.short(buffer.name)];
  };
  plan.bufferColor = (buffer) => forebay.changeColor(plan, buffer) || (buffer.kind === "constant" ? "constant"
    : buffer.kind === "input" || buffer.kind === "output" ? "port" : plan.deviceColor(buffer.device));
  plan.operatorOfStep = (step) => {
    const found = data.steps[step];
    return found && found.operator !== null ? data.operators[found.operator] : null;
  };
  plan.stepText = (step) => {
    const operator = plan.operatorOfStep(step);
    return operator ? operator.title : `step ${step}`;
  };
  plan.liveAt = (pool, step) => {
    const at = d3.bisectRight(data.pools[pool].live.map((each) => each[0]), step) - 1;
    return at < 0 ? 0 : data.pools[pool].live[at][1];
  };
  plan.peakStep = (pool) => {
    if (data.pools[pool].step !== null) return data.pools[pool].step;
    const most = d3.greatest(data.pools[pool].live, (each) => each[1]);
    return most ? most[0] : null;
  };
  plan.isStill = (pool) => data.pools[pool].kind !== "workspace";
  return plan;
};

forebay.plan = forebay.planOf(forebay.data.plan, "after");
forebay.before = forebay.data.before ? forebay.planOf(forebay.data.before, "before") : null;
forebay.plans = forebay.before ? [forebay.before, forebay.plan] : [forebay.plan];

// Beside another plan the colour says what changed.
forebay.changeColors = { moved: "device-1", resized: "device-3", added: "device-2", removed: "device-4" };
forebay.changeColor = (plan, buffer) => {
  if (!forebay.data.difference) return null;
  if (!plan.changes) plan.changes = new Map(forebay.data.difference.buffers.map((each) => [each.name, each.change]));
  return forebay.changeColors[plan.changes.get(buffer.name)] || "constant";
};

// Small DOM builder: tag, attributes, children (texts or elements).
forebay.element = (tag, attributes = {}, ...children) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
};

forebay.table = (heads, rows, numbers) => {
  const cell = (tag, content, at) => forebay.element(tag, numbers.includes(at) ? { class: "number" } : {}, content);
  return forebay.element("table", {},
    forebay.element("thead", {}, forebay.element("tr", {}, ...heads.map((head, at) => cell("th", head, at)))),
    forebay.element("tbody", {}, ...rows.map((row) =>
      forebay.element("tr", {}, ...row.map((content, at) => cell("td", content, at))))));
};

forebay.dot = (color) => forebay.element("span", { class: "dot", style: `background: var(--${color})` });
