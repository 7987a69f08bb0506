"use strict";
// The tip at the pointer, and the pane that describes the selection.

forebay.details = (() => {
  const element = forebay.element;

  const link = (plan, kind, number, text) =>
    element("button", { class: "link", type: "button", onclick: () => forebay.select({ kind, plan, number }) }, text);

  const stepLink = (plan, step) => {
    const operator = plan.steps[step] ? plan.steps[step].operator : null;
    const text = `${plan.stepText(step)}${operator === null ? "" : ` (step ${step})`}`;
    return operator === null ? element("span", {}, text) : link(plan, "operator", operator, text);
  };

  const facts = (pairs) => element("dl", {}, ...pairs.filter(([, value]) => value !== null && value !== "")
    .flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));

  const bufferList = (plan, title, numbers) => {
    if (!numbers.length) return [];
    const sorted = [...numbers].sort((a, b) => plan.buffers[b].size - plan.buffers[a].size || a - b), shown = sorted.slice(0, 60);
    const rows = shown.map((number) => element("li", {},
      link(plan, "buffer", number, forebay.short(plan.buffers[number].name)), element("span", { class: "number" }, forebay.bytes(plan.buffers[number].size))));
    const rest = sorted.length - shown.length;
    return [element("h3", {}, `${title} (${numbers.length})`), element("ul", {}, ...rows),
      rest ? element("p", { class: "soft" }, `and ${rest.toLocaleString("en-US")} more`) : null];
  };

  const places = (plan, buffer) => `${buffer.offset.toLocaleString("en-US")} to ${(buffer.offset + buffer.size).toLocaleString("en-US")}`;

  const spans = (buffer) => buffer.spans.map(([from, to]) => `${from.toLocaleString("en-US")} to ${to.toLocaleString("en-US")}`).join(", ");

  const ofBuffer = (plan, number) => {
    const buffer = plan.buffers[number], pool = plan.pools[buffer.pool];
    const steps = [...new Map(buffer.consumers.map((step) => [plan.steps[step] ? plan.steps[step].operator ?? `s${step}` : step, step])).values()];
    const change = forebay.changeOf(plan, number);
    return [
      element("h2", {}, forebay.short(buffer.name)),
      change ? element("p", { class: "badge warn" }, change) : null,
      facts([
        ["size", forebay.bytes(buffer.size)], ["pool", pool.name], ["bytes", places(plan, buffer)],
        ["steps", spans(buffer)], ["holds", buffer.details], ["kind", buffer.kind],
        ["written by", buffer.producer === null ? "" : stepLink(plan, buffer.producer)],
        ["group", buffer.group],
      ]),
      steps.length ? element("h3", {}, "Read by") : null,
      steps.length ? element("ul", {}, ...steps.slice(0, 40).map((step) => element("li", {}, stepLink(plan, step)))) : null,
      plan.atBound[buffer.pool].has(number) ? element("p", { class: "soft" }, `It is one of the buffers that need the ${forebay.bytes(pool.lowerBound)} of the lower bound.`) : null,
    ];
  };

  const ofOperator = (plan, number) => {
    const operator = plan.operators[number], uses = forebay.usesOf(plan, number);
    return [
      element("h2", {}, operator.title),
      element("p", { class: "soft name" }, forebay.short(operator.name)),
      facts([
        ["device", operator.device ? element("span", {}, forebay.dot(plan.deviceColor(operator.device)), operator.device + (operator.pattern ? `, ${operator.pattern}` : "")) : ""],
        ["MACs", operator.macs === null ? "" : operator.macs.toLocaleString("en-US")],
        ["moves", operator.bytes === null ? "" : forebay.bytes(operator.bytes)],
        ["cycles", operator.cycles === null ? "" : operator.cycles.toLocaleString("en-US")],
        ["instructions", operator.instructions === null ? "" : operator.instructions.toLocaleString("en-US")],
        ["steps", operator.steps ? `${operator.steps[0]} to ${operator.steps[1]}` : "none: it moves no bytes"],
        ...(operator.steps ? plan.pools.filter((_, pool) => !plan.isStill(pool)).map((pool) => [`live, ${pool.name}`,
          forebay.bytes(d3.max(d3.range(operator.steps[0], Math.min(operator.steps[1], operator.steps[0] + 500)), (step) => plan.liveAt(plan.pools.indexOf(pool), step)))]) : []),
      ]),
      ...operator.reasons.map((reason) => element("p", { class: "soft" }, reason)),
      ...bufferList(plan, "Reads", uses.reads), ...bufferList(plan, "Writes", uses.writes),
    ];
  };

  const ofPeak = (plan, pool) => {
    const data = plan.pools[pool], step = plan.peakStep(pool);
    return [
      element("h2", {}, `Peak of ${data.name}`),
      facts([
        ["peak", forebay.bytes(data.peak)],
        ["bound", data.lowerBound === null ? "" : forebay.bytes(data.lowerBound)],
        ["because", data.argument],
        ["at", step === null || plan.isStill(pool) ? "" : stepLink(plan, step)],
      ]),
      ...bufferList(plan, data.lowerBound === data.peak ? "What needs these bytes" : "What the bound counts", data.atBound),
    ];
  };

  const show = (selection) => {
    const place = document.getElementById("details");
    const make = { buffer: ofBuffer, operator: ofOperator, peak: ofPeak };
    const content = selection ? make[selection.kind](selection.plan, selection.number)
      : [element("p", { class: "hint" }, "Select a buffer or an operator.")];
    place.replaceChildren(...content.filter(Boolean));
  };

  const tip = (plan, found, event, pool) => {
    const box = document.getElementById("tip");
    if (!plan || (found.buffer === null && found.step === null)) {
      box.hidden = true;
      return;
    }
    const lines = [];
    if (found.buffer !== null) {
      const buffer = plan.buffers[found.buffer];
      lines.push(element("b", {}, forebay.short(buffer.name)));
      lines.push(element("div", {}, `${forebay.bytes(buffer.size)} at ${places(plan, buffer)} of ${plan.pools[buffer.pool].name}`));
      if (buffer.producer !== null) lines.push(element("div", { class: "soft" }, `written by ${plan.stepText(buffer.producer)}`));
      const last = buffer.consumers[buffer.consumers.length - 1];
      if (last !== undefined) lines.push(element("div", { class: "soft" }, `last read by ${plan.stepText(last)}`));
    }
    if (found.step !== null) {
      const step = plan.steps[found.step];
      lines.push(element("div", { class: "soft" }, `step ${found.step}: ${plan.operatorOfStep(found.step) ? plan.stepText(found.step) : step ? step.op : ""}${step && step.device ? ` on ${step.device}` : ""}`));
      lines.push(element("div", { class: "soft" }, `${forebay.bytes(plan.liveAt(pool, found.step))} live`));
    }
    put(lines, event);
  };

  const put = (lines, event) => {
    const box = document.getElementById("tip");
    box.replaceChildren(...lines);
    box.hidden = false;
    const wide = box.offsetWidth, tall = box.offsetHeight;
    box.style.left = `${Math.min(event.clientX + 14, window.innerWidth - wide - 8)}px`;
    box.style.top = `${event.clientY + 18 + tall > window.innerHeight ? event.clientY - tall - 10 : event.clientY + 18}px`;
  };

  return { show, tip, put, bufferList };
})();
