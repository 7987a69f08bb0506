"use strict";
// The tables and charts around the pictures: pools, changes, off-load, timeline, budgets.

forebay.charts = (() => {
  const { element, table, bytes } = forebay;
  const place = (id) => document.getElementById(id);

  const verdict = (pool) => {
    if (pool.lowerBound === null) return "";
    const isOptimal = pool.lowerBound === pool.peak;
    return element("span", { class: `badge ${isOptimal ? "good" : "warn"}` },
      isOptimal ? `optimal: ${pool.argument}` : `${bytes(pool.peak - pool.lowerBound)} above the bound`);
  };

  const summary = (plan) => {
    const isLimited = plan.pools.some((pool) => pool.capacity !== null);
    const limits = (pool) => (isLimited ? [pool.capacity === null ? "unlimited" : bytes(pool.capacity), pool.capacity ? `${(100 * pool.peak / pool.capacity).toFixed(0)} %` : ""] : []);
    const rows = plan.pools.map((pool, number) => [
      pool.name, pool.kind, bytes(pool.peak), pool.lowerBound === null ? "" : bytes(pool.lowerBound),
      ...limits(pool), verdict(pool),
      pool.atBound.length ? element("button", { class: "link", type: "button", onclick: () => forebay.select({ kind: "peak", plan, number }) }, "what needs them") : "",
    ]);
    place("summary").append(table(["pool", "kind", "peak", "lower bound", ...(isLimited ? ["capacity", "full"] : []), "", ""], rows, isLimited ? [2, 3, 4, 5] : [2, 3]));
  };

  const at = (plan, number) => {
    if (number === null) return "";
    const buffer = plan.buffers[number];
    return `${plan.pools[buffer.pool].name} ${buffer.offset.toLocaleString("en-US")}`;
  };

  const changes = (before, plan, difference) => {
    const section = place("changes");
    section.hidden = false;
    const pools = difference.pools.map((pool) => {
      const by = (pool.after ?? 0) - (pool.before ?? 0);
      return [pool.name, pool.before === null ? "" : bytes(pool.before), pool.after === null ? "" : bytes(pool.after),
        by ? `${by > 0 ? "+" : "\u2212"}${bytes(Math.abs(by))}` : "same"];
    });
    const counts = d3.rollup(difference.buffers, (each) => each.length, (each) => each.change);
    const words = ["moved", "resized", "added", "removed"].filter((word) => counts.get(word)).map((word) => `${counts.get(word).toLocaleString("en-US")} ${word}`);
    const rows = difference.buffers.map((each) => {
      const side = each.after === null ? before : plan, number = each.after ?? each.before;
      return [
        element("button", { class: "link", type: "button", onclick: () => forebay.select({ kind: "buffer", plan: side, number }) }, forebay.short(each.name)),
        each.change, bytes(side.buffers[number].size), at(before, each.before), at(plan, each.after),
      ];
    });
    const legend = element("div", { class: "legend" }, ...words.map((word) => {
      const kind = word.split(" ")[1];
      return element("span", {}, forebay.dot(forebay.changeColors[kind]), kind);
    }));
    section.append(element("h2", {}, `Buffers: ${[...words, `${difference.same.toLocaleString("en-US")} at the same place`].join(", ")}`),
      legend, element("div", { class: "charts" },
        table(["pool", "before", "after", "change"], pools, [1, 2, 3]),
        rows.length ? element("div", { class: "scroll" }, table(["buffer", "change", "size", "before", "after"], rows, [2])) : ""));
  };

  const offload = (plan) => {
    const shown = plan.operators.filter((operator) => operator.macs !== null);
    if (!shown.length || plan.devices.length < 2) return;
    const section = place("offload"), total = d3.sum(shown, (each) => each.macs), moved = d3.sum(shown, (each) => each.bytes);
    section.hidden = false;
    const devices = plan.devices.map((device) => {
      const own = shown.filter((each) => each.device === device);
      return { device, count: own.length, macs: d3.sum(own, (each) => each.macs), bytes: d3.sum(own, (each) => each.bytes) };
    }).filter((each) => each.count);
    const percent = (part, all) => (all ? `${(100 * part / all).toFixed(1)} %` : "");
    const bar = element("div", { class: "shares", role: "img", "aria-label": devices.map((each) => `${each.device} ${percent(each.macs, total)}`).join(", ") },
      ...devices.map((each) => element("div", { style: `width: ${100 * each.macs / Math.max(1, total)}%; background: var(--${plan.deviceColor(each.device)})` })));
    section.append(element("h2", {}, "Off-load"), bar,
      table(["device", "operators", "MACs", "", "bytes", ""], devices.map((each) => [
        element("span", {}, forebay.dot(plan.deviceColor(each.device)), each.device), String(each.count),
        each.macs.toLocaleString("en-US"), percent(each.macs, total), bytes(each.bytes), percent(each.bytes, moved)]), [1, 2, 3, 4, 5]));
    const kept = plan.operators.map((operator, number) => [operator, number]).filter(([operator]) => operator.reasons.length);
    if (kept.length) {
      section.append(element("p", {}, "\u00a0"), element("div", { class: "scroll" }, table(["not on a device", "runs on", "because"], kept.map(([operator, number]) => [
        element("button", { class: "link", type: "button", onclick: () => forebay.select({ kind: "operator", plan, number }) }, operator.title),
        operator.device, operator.reasons.join("; ")]), [])));
    }
  };

  // The lanes of the modelled run; drag moves it, Ctrl and the wheel zoom.
  const timeline = (plan) => {
    const data = plan.timeline;
    if (!data) return;
    const section = place("timeline"), lane = 22, left = 110, head = 20;
    section.hidden = false;
    const canvas = element("canvas", { tabindex: "0", role: "img", "aria-label": `Modelled run of ${data.cycles} cycles` });
    const rows = data.lanes.map((name, number) => [name, data.busy[number].toLocaleString("en-US"), data.cycles ? `${(100 * data.busy[number] / data.cycles).toFixed(1)} %` : ""]);
    section.append(element("h2", {}, `Timeline: ${data.cycles.toLocaleString("en-US")} modelled cycles`), element("div", {}, canvas),
      table(["device or queue", "busy cycles", "busy"], rows, [1, 2]));
    const view = { from: 0, to: Math.max(1, data.cycles) };
    const draw = (scale = window.devicePixelRatio || 1) => {
      const width = canvas.parentElement.clientWidth, height = head + data.lanes.length * lane + 8, pen = canvas.getContext("2d");
      canvas.width = width * scale;
      canvas.height = height * scale;
      canvas.style.height = `${height}px`;
      pen.scale(scale, scale);
      pen.font = "11px system-ui, sans-serif";
      pen.textBaseline = "middle";
      const x = d3.scaleLinear([view.from, view.to], [left, width - 8]);
      data.lanes.forEach((name, number) => {
        pen.fillStyle = forebay.color("soft");
        pen.textAlign = "right";
        pen.fillText(name, left - 8, head + number * lane + lane / 2);
        pen.fillStyle = forebay.color("panel");
        pen.fillRect(left, head + number * lane + 2, width - 8 - left, lane - 4);
      });
      pen.fillStyle = forebay.color("soft");
      pen.textAlign = "center";
      for (const tick of x.ticks(Math.max(2, Math.floor((width - left) / 110)))) pen.fillText(tick.toLocaleString("en-US"), Math.min(x(tick), width - 34), 8);
      pen.save();
      pen.beginPath();
      pen.rect(left, head, width - 8 - left, height - head);
      pen.clip();
      const chosen = forebay.chosenOperators(plan);
      for (const span of data.spans) {
        if (span.end < view.from || span.begin > view.to) continue;
        const a = x(span.begin), wide = Math.max(.7, x(span.end) - a - (x(span.end) - a > 3 ? 1 : 0)), y = head + span.lane * lane + 2;
        const operator = span.operator === null ? null : plan.operators[span.operator];
        pen.globalAlpha = span.waits ? .25 : chosen.size && !chosen.has(span.operator) ? .25 : .9;
        const color = span.bytes ? "port" : plan.deviceColor(operator && span.lane ? operator.device : plan.devices[span.lane ? 1 : 0]);
        pen.fillStyle = forebay.color(color);
        pen.fillRect(a, y, wide, lane - 4);
        pen.globalAlpha = 1;
        if (wide > 50) {
          pen.fillStyle = span.waits ? forebay.color("soft") : forebay.ink(forebay.color(color));
          pen.textAlign = "left";
          const text = forebay.fitted(pen, operator ? `${operator.title.split(" ")[0]} ` : "", span.name, wide - 8);
          pen.fillText(text, Math.max(a, left) + 4, y + lane / 2 - 2);
        }
      }
      pen.restore();
    };
    let drag = null;
    const cycleAt = (event) => {
      const box = canvas.getBoundingClientRect();
      return { cycle: d3.scaleLinear([left, box.width - 8], [view.from, view.to])(event.clientX - box.left), lane: Math.floor((event.clientY - box.top - head) / lane) };
    };
    canvas.addEventListener("pointerdown", (event) => { drag = event.clientX; canvas.setPointerCapture(event.pointerId); });
    canvas.addEventListener("pointerup", () => { drag = null; });
    canvas.addEventListener("pointerleave", () => forebay.details.tip(null));
    canvas.addEventListener("pointermove", (event) => {
      if (drag !== null) {
        const by = (drag - event.clientX) / (canvas.clientWidth - left - 8) * (view.to - view.from);
        [view.from, view.to] = forebay.moved(view.from, view.to, by, Math.max(1, data.cycles));
        drag = event.clientX;
        draw();
        return;
      }
      const { cycle, lane: number } = cycleAt(event);
      const span = data.spans.find((each) => each.lane === number && cycle >= each.begin && cycle < each.end);
      if (!span) return forebay.details.tip(null);
      const size = span.bytes ? `, ${bytes(span.bytes)}` : "";
      forebay.details.put([element("b", {}, `${span.waits ? "waits: " : ""}${span.name}`), element("div", {}, span.location),
        element("div", { class: "soft" }, `${(span.end - span.begin).toLocaleString("en-US")} cycles from ${span.begin.toLocaleString("en-US")}${size}`)], event);
    });
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const { cycle } = cycleAt(event), factor = 2 ** (event.deltaY / 300);
      [view.from, view.to] = forebay.within(cycle - (cycle - view.from) * factor, cycle + (view.to - cycle) * factor, Math.max(1, data.cycles), 20);
      draw();
    }, { passive: false });
    charts.drawTimeline = draw;
  };

  // Bytes of a pool against the instructions that plans add.
  const chart = (title, points, isCurve) => {
    const wide = 460, high = 230, left = 74, low = 40;
    const svg = d3.create("svg").attr("class", "chart").attr("width", wide).attr("height", high + low).attr("role", "img").attr("aria-label", title);
    const x = d3.scaleLinear([0, d3.max(points, (each) => each.added) || 1], [left, wide - 20]).nice(5);
    const y = d3.scaleLinear([0, d3.max(points, (each) => each.bytes)], [high, 20]).nice(5);
    svg.append("g").attr("transform", `translate(${left},0)`).call(d3.axisLeft(y).ticks(5).tickFormat(forebay.unit).tickSizeInner(-(wide - 20 - left)));
    svg.append("g").attr("transform", `translate(0,${high})`).call(d3.axisBottom(x).ticks(5, "~s"));
    svg.append("text").attr("x", wide - 20).attr("y", high + 34).attr("text-anchor", "end").text("added instructions");
    if (isCurve) svg.append("path").attr("class", "curve").attr("d", d3.line((each) => x(each.added), (each) => y(each.bytes)).curve(d3.curveStepAfter)([...points].sort((a, b) => a.added - b.added)));
    svg.selectAll("circle").data(points).join("circle").attr("cx", (each) => x(each.added)).attr("cy", (each) => y(each.bytes)).attr("r", 4)
      .on("pointermove", (event, each) => forebay.details.put([element("b", {}, bytes(each.bytes)), element("div", {}, each.step),
        element("div", { class: "soft" }, `${each.added.toLocaleString("en-US")} added instructions`)], event))
      .on("pointerleave", () => forebay.details.tip(null));
    return element("div", {}, element("h3", { class: "soft" }, title), svg.node());
  };

  const budgets = (plan) => {
    if (!plan.budgets.length && !plan.frontier.length) return;
    const section = place("budgets");
    section.hidden = false;
    section.append(element("h2", {}, "Budgets"));
    if (plan.budgets.length) {
      section.append(table(["pool", "plan", "bytes", "added instructions"], plan.budgets.map((each) => [each.pool, each.step, bytes(each.bytes), each.added.toLocaleString("en-US")]), [2, 3]));
    }
    const pools = d3.group(plan.frontier, (each) => each.pool);
    section.append(element("div", { class: "charts" }, ...[...pools].map(([pool, points]) => chart(`Smallest budgets of ${pool}`, points, true))));
  };

  const charts = { summary, changes, offload, timeline, budgets, drawTimeline: () => {} };
  return charts;
})();
