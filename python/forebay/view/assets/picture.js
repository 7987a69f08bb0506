"use strict";
// The picture of one pool: steps to the right, bytes upwards, one box per span of a buffer.

forebay.pictures = [];

// The steps that the pictures of one plan show, and how far the pictures are zoomed.
forebay.windowOf = (plan) => plan.window || (plan.window = { from: 0, to: plan.ticks });

forebay.Picture = class {
  static left = 62;
  static right = 8;
  static top = 18;
  static strip = 34;
  static bottom = 20;

  constructor(plan, pool, canvas) {
    Object.assign(this, { plan, pool, canvas });
    this.data = plan.pools[pool];
    this.numbers = plan.byPool[pool];
    this.most = Math.max(1, this.data.peak, this.data.lowerBound || 0);
    for (const other of forebay.plans) {
      const same = other.pools.find((each) => each.name === this.data.name);
      if (same) this.most = Math.max(this.most, same.peak);
    }
    if (this.data.capacity && this.data.capacity <= 1.25 * this.most) this.most = Math.max(this.most, this.data.capacity);
    this.low = 0;
    this.high = this.most;
    this.scale = window.devicePixelRatio || 1;
    this.listen();
    forebay.pictures.push(this);
  }

  get body() { return { height: this.height - this.constructor.top - this.constructor.bottom - this.constructor.strip }; }

  resize(scale) {
    this.scale = scale || window.devicePixelRatio || 1;
    this.width = Math.max(200, this.canvas.parentElement.clientWidth);
    const count = Math.max(...forebay.plans.map((plan) => (plan.byPool[plan.pools.findIndex((each) => each.name === this.data.name)] || []).length));
    this.height = this.plan.isStill(this.pool) ? 190 : Math.max(210, Math.min(420, 150 + 6 * count));
    this.canvas.width = Math.round(this.width * this.scale);
    this.canvas.height = Math.round(this.height * this.scale);
    this.canvas.style.height = `${this.height}px`;
    this.draw();
  }

  axes() {
    const { left, right, top } = this.constructor, { from, to } = forebay.windowOf(this.plan);
    const x = d3.scaleLinear([from, to], [left, this.width - right]);
    const y = d3.scaleLinear([this.low, this.high], [top + this.body.height, top]);
    return { x, y };
  }

  draw() {
    if (!this.width) return;
    const { left, right, top } = this.constructor, { x, y } = this.axes(), c = forebay.color;
    const pen = this.canvas.getContext("2d"), end = this.width - right, base = top + this.body.height;
    pen.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    pen.fillStyle = c("ground");
    pen.fillRect(0, 0, this.width, this.height);
    pen.fillStyle = c("panel");
    pen.fillRect(left, top, end - left, this.body.height);
    this.drawColumns(pen, x, top, base);
    this.drawBytes(pen, y, left, end);
    pen.save();
    pen.beginPath();
    pen.rect(left, top, end - left, this.body.height);
    pen.clip();
    this.drawBoxes(pen, x, y);
    this.drawLimits(pen, y, left, end);
    pen.restore();
    this.drawLive(pen, x, base, left, end);
    this.drawSteps(pen, x, base, left, end);
  }

  // The column of the peak, and those of the selected and the hovered step.
  drawColumns(pen, x, top, base) {
    const column = (from, to, color, alpha) => {
      pen.globalAlpha = alpha;
      pen.fillStyle = forebay.color(color);
      const a = Math.max(this.constructor.left, x(from)), b = Math.min(this.width - this.constructor.right, x(to));
      if (b > a) pen.fillRect(a, top, Math.max(b - a, 1), base - top);
      pen.globalAlpha = 1;
    };
    const peak = this.plan.isStill(this.pool) ? null : this.plan.peakStep(this.pool);
    if (peak !== null) column(peak, peak + 1, "warn", .2);
    const range = forebay.shownSteps(this.plan);
    if (range) column(range[0], range[1], "accent", .16);
  }

  drawBytes(pen, y, left, end) {
    pen.font = "11px system-ui, sans-serif";
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    const step = 2 ** Math.max(0, Math.ceil(Math.log2((this.high - this.low) / Math.max(2, this.body.height / 42))));
    for (let tick = Math.ceil(this.low / step) * step; tick <= this.high; tick += step) {
      pen.fillStyle = forebay.color("soft");
      pen.fillText(forebay.unit(tick), left - 6, y(tick));
      pen.strokeStyle = forebay.color("line");
      pen.lineWidth = 1;
      pen.beginPath();
      pen.moveTo(left, Math.round(y(tick)) + .5);
      pen.lineTo(end, Math.round(y(tick)) + .5);
      pen.stroke();
    }
  }

  *boxes(x, y) {
    const { left, right, top } = this.constructor, base = top + this.body.height;
    for (const number of this.numbers) {
      const buffer = this.plan.buffers[number];
      const high = y(buffer.offset + buffer.size), low = y(buffer.offset);
      if (low < top || high > base) continue;
      for (const [start, stop] of buffer.spans) {
        const a = x(start), b = x(stop);
        if (b >= left && a <= this.width - right) yield { number, buffer, a, b, low, high };
      }
    }
  }

  drawBoxes(pen, x, y) {
    const boxes = [...this.boxes(x, y)], emphasis = boxes.map((box) => forebay.emphasisOf(this.plan, box.number));
    boxes.forEach((box, at) => {
      box.fill = this.fillOf(box, emphasis[at]);
      this.drawBox(pen, box);
    });
    boxes.forEach((box, at) => { if (emphasis[at].outline) this.outline(pen, box, emphasis[at].outline); });
    boxes.forEach((box, at) => { if (!emphasis[at].dim) this.label(pen, box); });
  }

  // Strong colour: what the search found, or else what the lower bound counts.
  fillOf({ number, buffer }, { dim, strong }) {
    const isAtBound = this.plan.atBound[this.pool].has(number) && !forebay.matches;
    const share = dim ? .14 : strong || isAtBound || this.plan.isStill(this.pool) ? 1 : .6;
    return forebay.mixed(this.plan.bufferColor(buffer), share);
  }

  drawBox(pen, { a, b, low, high, fill }) {
    pen.fillStyle = fill;
    const wide = b - a, tall = low - high, gapX = wide > 3 ? 1 : 0, gapY = tall > 3 ? 1 : 0;
    pen.beginPath();
    if (wide > 8 && tall > 8) pen.roundRect(a, high, wide - gapX, tall - gapY, 2);
    else pen.rect(a, high, Math.max(wide - gapX, .6), Math.max(tall - gapY, .6));
    pen.fill();
  }

  outline(pen, { a, b, low, high }, color) {
    pen.strokeStyle = forebay.color(color);
    pen.lineWidth = 2;
    pen.strokeRect(a + 1, high + 1, Math.max(1, b - a - 3), Math.max(1, low - high - 3));
  }

  label(pen, { buffer, a, b, low, high, fill }) {
    const from = Math.max(a, this.constructor.left), wide = Math.min(b, this.width - this.constructor.right) - from - 9;
    if (wide < 26 && b - a >= 13 && low - high > 60 && a >= this.constructor.left) return this.upright(pen, buffer, fill, (a + b) / 2, low - 6, low - high - 12);
    if (wide < 26 || low - high < 13) return;
    pen.font = "600 11px system-ui, sans-serif";
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    pen.fillStyle = forebay.ink(fill);
    const middle = (low + high) / 2, isTwo = low - high > 30;
    const name = forebay.fitted(pen, ...this.plan.labelOf(buffer), wide);
    if (name) pen.fillText(name, from + 5, isTwo ? middle - 7 : middle);
    if (isTwo) {
      pen.font = "11px system-ui, sans-serif";
      const size = forebay.bytes(buffer.size);
      if (pen.measureText(size).width <= wide) pen.fillText(size, from + 5, middle + 7);
    }
  }

  // A label from the bottom to the top, in a box that is too narrow for one along it.
  upright(pen, buffer, fill, x, y, room) {
    pen.save();
    pen.translate(x, y);
    pen.rotate(-Math.PI / 2);
    pen.font = "600 11px system-ui, sans-serif";
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    pen.fillStyle = forebay.ink(fill);
    pen.fillText(forebay.fitted(pen, ...this.plan.labelOf(buffer), room), 0, 0);
    pen.restore();
  }

  drawLimits(pen, y, left, end) {
    const line = (bytes, color, text, dash) => {
      if (bytes > this.high || bytes < this.low) return;
      const at = Math.min(Math.max(y(bytes), this.constructor.top + 1), this.constructor.top + this.body.height - 1);
      pen.strokeStyle = forebay.color(color);
      pen.lineWidth = 1.5;
      pen.setLineDash(dash);
      pen.beginPath();
      pen.moveTo(left, at);
      pen.lineTo(end, at);
      pen.stroke();
      pen.setLineDash([]);
    };
    if (this.data.lowerBound !== null && this.data.lowerBound < this.data.peak) line(this.data.lowerBound, "good", "bound", [2, 3]);
    line(this.data.peak, "warn", "peak", [5, 3]);
    if (this.data.capacity) line(this.data.capacity, "write", "capacity", []);
  }

  // The live bytes of each step below the boxes, on the same scale of time.
  drawLive(pen, x, base, left, end) {
    const top = base + 6, high = this.constructor.strip - 8, y = d3.scaleLinear([0, this.most], [top + high, top]);
    const live = this.data.live;
    pen.save();
    pen.beginPath();
    pen.rect(left, base, end - left, this.constructor.strip);
    pen.clip();
    pen.beginPath();
    pen.moveTo(x(0), y(0));
    live.forEach(([step, bytes], at) => {
      pen.lineTo(x(step), y(at ? live[at - 1][1] : 0));
      pen.lineTo(x(step), y(bytes));
    });
    pen.lineTo(x(this.plan.ticks), y(live.length ? live[live.length - 1][1] : 0));
    pen.lineTo(x(this.plan.ticks), y(0));
    pen.fillStyle = forebay.color("faint");
    pen.globalAlpha = .4;
    pen.fill();
    pen.restore();
    pen.fillStyle = forebay.color("faint");
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    pen.font = "11px system-ui, sans-serif";
    pen.fillText("live", left - 6, top + high / 2);
  }

  // Names of operators where they fit, else numbers of steps.
  drawSteps(pen, x, base, left, end) {
    const at = base + this.constructor.strip + 8;
    pen.font = "11px system-ui, sans-serif";
    pen.textBaseline = "middle";
    pen.fillStyle = forebay.color("soft");
    pen.textAlign = "left";
    const { from, to } = forebay.windowOf(this.plan);
    if (this.plan.operators.some((operator) => operator.steps)) {
      let free = left;
      for (const operator of this.plan.operators) {
        if (!operator.steps || operator.steps[1] <= from || operator.steps[0] >= to) continue;
        const a = Math.max(left, x(operator.steps[0])), room = Math.min(end, x(operator.steps[1])) - a;
        const whole = operator.title, number = whole.split(" ")[0];
        const text = pen.measureText(whole).width + 8 <= room ? whole : number;
        const wide = pen.measureText(text).width;
        if (a < free || a + wide > end) continue;
        pen.fillText(text, a, at);
        pen.fillRect(Math.round(a), base + this.constructor.strip - 1, 1, 4);
        free = a + wide + 8;
      }
      return;
    }
    pen.textAlign = "center";
    for (const tick of x.ticks(Math.max(2, Math.floor((end - left) / 90)))) {
      if (Number.isInteger(tick) && tick >= from && tick <= to) pen.fillText(tick.toLocaleString("en-US"), Math.min(Math.max(x(tick), left + 8), end - 12), at);
    }
  }

  // The topmost buffer and the step at a place of the canvas.
  at(event) {
    const box = this.canvas.getBoundingClientRect(), px = event.clientX - box.left, py = event.clientY - box.top;
    const { x, y } = this.axes(), { left, right, top } = this.constructor;
    if (px < left || px > this.width - right) return { buffer: null, step: null };
    const step = Math.min(this.plan.ticks - 1, Math.max(0, Math.floor(x.invert(px))));
    if (py < top || py > top + this.body.height) return { buffer: null, step };
    let found = null;
    for (const each of this.boxes(x, y)) {
      if (px >= each.a && px < Math.max(each.b, each.a + 1) && py <= each.low && py >= Math.min(each.high, each.low - 1)) found = each.number;
    }
    return { buffer: found, step };
  }

  zoom(factor, px, py, timeOnly = false) {
    const { x, y } = this.axes(), frame = forebay.windowOf(this.plan);
    const at = x.invert(px), byte = Math.min(this.high, Math.max(this.low, y.invert(py)));
    [frame.from, frame.to] = forebay.within(at - (at - frame.from) * factor, at + (frame.to - at) * factor, this.plan.ticks, 2);
    if (!timeOnly) [this.low, this.high] = forebay.within(byte - (byte - this.low) * factor, byte + (this.high - byte) * factor, this.most, 16);
    forebay.redraw();
  }

  pan(dx, dy) {
    const { x, y } = this.axes(), frame = forebay.windowOf(this.plan);
    const steps = x.invert(0) - x.invert(dx), bytes = y.invert(0) - y.invert(dy);
    [frame.from, frame.to] = forebay.moved(frame.from, frame.to, steps, this.plan.ticks);
    [this.low, this.high] = forebay.moved(this.low, this.high, bytes, this.most);
    forebay.redraw();
  }

  listen() {
    let drag = null;
    this.canvas.addEventListener("pointerdown", (event) => {
      drag = { x: event.clientX, y: event.clientY, moved: false };
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (!drag) {
        forebay.hover(this.plan, this.at(event), event, this.pool);
        return;
      }
      const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
      if (!drag.moved && Math.hypot(dx, dy) < 4) return;
      Object.assign(drag, { x: event.clientX, y: event.clientY, moved: true });
      this.pan(dx, dy);
    });
    this.canvas.addEventListener("pointerup", (event) => {
      if (drag && !drag.moved) forebay.pick(this.plan, this.at(event));
      drag = null;
    });
    this.canvas.addEventListener("pointercancel", () => { drag = null; });
    this.canvas.addEventListener("pointerleave", () => forebay.hover(null));
    this.canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const box = this.canvas.getBoundingClientRect();
      this.zoom(2 ** (event.deltaY / 300), event.clientX - box.left, event.clientY - box.top, event.shiftKey);
    }, { passive: false });
  }
};

// A range inside of [0, most] that is not shorter than `least`.
forebay.within = (from, to, most, least) => {
  const size = Math.min(most, Math.max(to - from, Math.min(least, most)));
  const start = Math.min(Math.max(0, from), most - size);
  return [start, start + size];
};

forebay.moved = (from, to, by, most) => {
  const start = Math.min(Math.max(0, from + by), most - (to - from));
  return [start, start + to - from];
};

// A text that fits: the end of a path of names says more than its beginning.
forebay.fitted = (pen, prefix, name, wide) => {
  const fits = (text) => pen.measureText(text).width <= wide;
  const parts = prefix ? name.split("/") : [name];
  for (let from = 0; from < parts.length; from += 1) {
    const text = prefix + parts.slice(from).join("/");
    if (fits(text)) return text;
  }
  const last = prefix + parts[parts.length - 1];
  let kept = last.length;
  while (kept > prefix.length + 2 && !fits(`${last.slice(0, kept)}\u2026`)) kept -= 1;
  if (kept > prefix.length + 2) return `${last.slice(0, kept)}\u2026`;
  return fits(prefix.trim()) ? prefix.trim() : "";
};

// The colour of text on a colour.
forebay.ink = (fill) => (d3.lab(fill).l > 56 ? "#12161c" : "#ffffff");

// A colour over the ground of the pictures; 1 is the whole colour.
forebay.mixed = (name, share) => {
  const key = `${name} ${share}`;
  return forebay.colors[key] || (forebay.colors[key] = d3.interpolateRgb(forebay.color("panel"), forebay.color(name))(share));
};
