// The panels beside the map: images and depth, strips of numbers over time, the plan of GPS, tags.
"use strict";

/// A pixel of a canvas.
const pixel = (red, green, blue) => (0xff000000 | blue << 16 | green << 8 | red) >>> 0;

/// Colours of depth, near is blue and far is red (turbo, as a polynomial).
const TURBO = Uint32Array.from({ length: 256 }, (_, index) => {
  const sum = (...parts) => Math.max(0, Math.min(255, 255 * parts.reduceRight((all, part) => all * index / 255 + part, 0)));
  return pixel(sum(0.1357, 4.6154, -42.6603, 132.1311, -152.9424, 59.2864),
    sum(0.0914, 2.1942, 4.8430, -14.1850, 4.2773, 2.8296), sum(0.1067, 12.6419, -60.5820, 110.3628, -89.9031, 27.3482));
});
const DEPTH = { near: 0.2, far: 5 };
/// Nothing where there is no depth.
const depthColour = metres => metres > 0 ?
  TURBO[Math.max(0, Math.min(255, Math.round(255 * (metres - DEPTH.near) / (DEPTH.far - DEPTH.near))))] : 0;

/// The samples of a PNG of 16 bits in one channel, without interlace.
const unpackedPNG = async bytes => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), parts = [];
  let at = 8, width = 0, height = 0;
  while (at + 12 <= bytes.length) {
    const size = view.getUint32(at), name = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    if (name === "IHDR") {
      [width, height] = [view.getUint32(at + 8), view.getUint32(at + 12)];
      if (view.getUint8(at + 16) !== 16 || view.getUint8(at + 17) !== 0) throw new RangeError("expected 16 bits in one channel");
    } else if (name === "IDAT") parts.push(bytes.subarray(at + 8, at + 8 + size));
    at += 12 + size;
  }
  const stream = new Blob(parts).stream().pipeThrough(new DecompressionStream("deflate"));
  const data = new Uint8Array(await new Response(stream).arrayBuffer()), row = 2 * width, samples = new Uint16Array(width * height);
  if (data.length < height * (row + 1)) throw new RangeError("it is shorter than it says");
  for (let y = 0; y < height; y++) {
    const from = y * (row + 1) + 1, filter = data[from - 1];
    for (let x = 0; x < row; x++) {
      const left = x > 1 ? data[from + x - 2] : 0, above = y ? data[from + x - row - 1] : 0;
      const corner = x > 1 && y ? data[from + x - row - 3] : 0, guess = left + above - corner;
      const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - above), Math.abs(guess - corner)];
      const more = [0, left, above, left + above >> 1, a <= b && a <= c ? left : b <= c ? above : corner][filter];
      data[from + x] = data[from + x] + more & 255;
      if (x & 1) samples[y * width + (x >> 1)] = data[from + x - 1] << 8 | data[from + x];
    }
  }
  return { width, height, samples };
};

const panels = (() => {
  const figures = new Map(), strips = new Map(), shownSeconds = 30;
  // The names of strips in their order; the length of the recording where all of it is shown; what is known of all of it.
  const order = ["height", "speed", "|f|", "turn rate"], known = { height: [], speed: [] };
  let origin = null, fixes = [], allFixes = [], length = 0, now = 0, jumps = false, waiting = false;
  const element = (name, more = {}, ...inner) => {
    const made = Object.assign(document.createElement(name), more);
    made.append(...inner);
    return made;
  };
  const short = topic => topic.length > 30 ? topic.slice(0, 10) + "\u2026" + topic.slice(-18) : topic;

  // Images: a figure for each topic that is switched on.
  const figure = (topic, kind) => {
    if (figures.has(topic)) return figures.get(topic);
    const frame = element("div", { className: "frame" }), caption = element("figcaption", {}, element("span", { textContent: short(topic), title: topic }));
    const whole = element("figure", { className: kind === "picture" ? "" : "more" }, frame, caption);
    const made = { frame, whole, caption, kind };
    if (kind === "picture") {
      made.image = element("img", { alt: "" });
      made.marks = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      made.marks.setAttribute("aria-hidden", "true");
      frame.append(made.image, made.marks);
    } else {
      made.canvas = element("canvas");
      made.canvas.setAttribute("role", "img");
      made.canvas.setAttribute("aria-label", (kind === "depth" ? "Depth of " : "Values of ") + topic);
      frame.append(made.canvas);
      if (kind === "depth") {
        const bar = element("span", { className: "legend" }, `${DEPTH.near} m`, element("i"), `${DEPTH.far} m`);
        caption.append(bar);
      }
    }
    figures.set(topic, made);
    $("images").append(whole);
    $("noimage").hidden = true;
    return made;
  };
  // What is turned on its side needs a square.
  const shape = (made, width, height, degrees) => {
    made.frame.style.aspectRatio = degrees % 180 ? "1" : `${width} / ${height}`;
    const text = degrees ? `rotate(${degrees}deg)` : "";
    for (const one of [made.image, made.marks, made.canvas]) if (one) one.style.transform = text;
  };
  const paint = (topic, width, height, colour, kind, degrees) => {
    const made = figure(topic, kind), context = made.canvas.getContext("2d");
    if (!(width * height > 0 && width * height < 1 << 24)) throw new RangeError("expected an image of a usual size");
    [made.canvas.width, made.canvas.height] = [width, height];
    const image = context.createImageData(width, height), pixels = new Uint32Array(image.data.buffer);
    for (let index = 0; index < pixels.length; index++) pixels[index] = colour(index);
    context.putImageData(image, 0, 0);
    shape(made, width, height, degrees);
  };
  // Strips and the plan are drawn at most once a frame.
  const later = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      for (const strip of strips.values()) drawStrip(strip);
      drawPlan();
    });
  };
  const sized = canvas => {
    const ratio = window.devicePixelRatio || 1, [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (canvas.width !== Math.round(width * ratio)) [canvas.width, canvas.height] = [width, height].map(side => Math.round(side * ratio));
    const context = canvas.getContext("2d"), style = getComputedStyle(canvas);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = "11px system-ui, sans-serif";
    return { context, width, height, ink: style.color, line: style.getPropertyValue("--ink") || "#2a6fc9" };
  };
  const text = value => Math.abs(value) >= 100 ? value.toFixed(0) : Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2);
  const newest = () => Math.max(...[...strips.values()].map(strip => strip.points.length ? strip.points[strip.points.length - 1][0] : -Infinity));
  const drawStrip = strip => {
    const { context, width, height, ink, line } = sized(strip.canvas), all = known[strip.name] || [];
    const end = length || newest(), span = length || shownSeconds;
    const shown = strip.points.filter(([seconds]) => seconds > end - span || length);
    if (!shown.length) return;
    const values = [...shown, ...all].map(([, value]) => value).concat(strip.reference === undefined ? [] : [strip.reference]);
    let [low, high] = [Math.min(...values), Math.max(...values)];
    const margin = Math.max((high - low) * 0.1, 0.01);
    [low, high] = [low - margin, high + margin];
    const x = seconds => width - (end - seconds) / span * width, y = value => height - 3 - (value - low) / (high - low) * (height - 6);
    context.strokeStyle = ink;
    context.globalAlpha = 0.4;
    if (strip.reference !== undefined) {
      context.setLineDash([4, 4]);
      context.strokeRect(-1, y(strip.reference), width + 2, 0);
      context.setLineDash([]);
    }
    if (length) context.strokeRect(x(now), -1, 0, height + 2);
    context.strokeStyle = line;
    context.lineWidth = 1.5;
    for (const [alpha, points] of [[0.35, all], [1, shown]]) {
      context.globalAlpha = alpha;
      context.beginPath();
      points.forEach(([seconds, value], index) => {
        // What is missing is no line.
        const gap = index && seconds - points[index - 1][0] > (points === all ? 2 + length / 100 : 1.5);
        context[index && !gap ? "lineTo" : "moveTo"](x(seconds), y(value));
      });
      context.stroke();
    }
    context.fillStyle = ink;
    context.fillText(text(high - margin), 2, 11);
    context.fillText(text(low + margin), 2, height - 3);
    strip.now.textContent = `${text(strip.value)} ${strip.unit}`;
  };
  // On a plane that touches the Earth at the first fix.
  const onPlan = (latitude, longitude) => {
    origin = origin || [latitude, longitude];
    const metres = 111_320, east = (longitude - origin[1]) * metres * Math.cos(origin[0] * Math.PI / 180);
    return { east, north: (latitude - origin[0]) * metres };
  };
  const drawPlan = () => {
    const last = fixes[fixes.length - 1] || allFixes[0], every = [...fixes, ...allFixes];
    if (!last) return;
    const { context, width, height, ink, line } = sized($("plan"));
    const east = every.map(fix => fix.east), north = every.map(fix => fix.north);
    const middle = [east, north].map(list => (Math.min(...list) + Math.max(...list)) / 2);
    const span = Math.max(10, 2.4 * last.error || 0, ...[east, north].map(list => 1.2 * (Math.max(...list) - Math.min(...list))));
    const pixels = Math.min(width, height) / span, power = 10 ** Math.floor(Math.log10(span / 3));
    const grid = power * (span / 3 / power >= 5 ? 5 : span / 3 / power >= 2 ? 2 : 1);
    const x = value => width / 2 + (value - middle[0]) * pixels, y = value => height / 2 - (value - middle[1]) * pixels;
    context.strokeStyle = ink;
    context.globalAlpha = 0.2;
    const first = value => Math.ceil(value / grid) * grid;
    for (let at = first(middle[0] - width / 2 / pixels); x(at) < width; at += grid) context.strokeRect(x(at), -1, 0, height + 2);
    for (let at = first(middle[1] - height / 2 / pixels); y(at) > 0; at += grid) context.strokeRect(-1, y(at), width + 2, 0);
    context.strokeStyle = context.fillStyle = line;
    context.lineWidth = 2;
    for (const [alpha, list] of [[0.35, allFixes], [1, fixes]]) {
      context.globalAlpha = alpha;
      context.beginPath();
      for (const fix of list) context[fix.jumps ? "moveTo" : "lineTo"](x(fix.east), y(fix.north));
      context.stroke();
    }
    context.beginPath();
    context.arc(x(last.east), y(last.north), 4, 0, 7);
    context.fill();
    if (last.error > 0) {
      context.lineWidth = 1;
      context.beginPath();
      context.arc(x(last.east), y(last.north), last.error * pixels, 0, 7);
      context.stroke();
    }
    context.fillStyle = ink;
    context.fillText(`grid ${grid} m, north is up`, 6, height - 6);
  };
  return {
    picture(topic, frame, blob, degrees) {
      const made = figure(topic, "picture"), old = made.image.src;
      made.image.src = URL.createObjectURL(blob);
      made.image.alt = "Image of " + frame;
      made.image.onload = () => shape(made, made.image.naturalWidth, made.image.naturalHeight, degrees);
      if (old.startsWith("blob:")) setTimeout(() => URL.revokeObjectURL(old), 500);
    },
    raster(topic, frame, form, data, degrees) {
      const { width, height, encoding, step } = form, view = new DataView(data.buffer, data.byteOffset, data.byteLength);
      const size = { "32FC1": 4, "16UC1": 2, mono16: 2, mono8: 1, "8UC1": 1, rgb8: 3, bgr8: 3 }[encoding];
      if (!size || form.big || step < width * size || data.length < height * step) throw new RangeError(`encoding ${encoding.slice(0, 20)}`);
      const at = index => Math.floor(index / width) * step + index % width * size;
      const levels = [pixel(230, 90, 77), pixel(242, 191, 51), pixel(61, 199, 156)];
      const colour = {
        "32FC1": index => depthColour(view.getFloat32(at(index), true)),
        "16UC1": index => depthColour(view.getUint16(at(index), true) / 1000),
        mono16: index => pixel(...Array(3).fill(data[at(index) + 1])),
        rgb8: index => pixel(data[at(index)], data[at(index) + 1], data[at(index) + 2]),
        bgr8: index => pixel(data[at(index) + 2], data[at(index) + 1], data[at(index)]),
      }[encoding] || (index => {
        const value = data[at(index)];
        return /confidence/.test(topic) && value < 3 ? levels[value] : pixel(value, value, value);
      });
      paint(topic, width, height, colour, size === 4 || encoding === "16UC1" ? "depth" : "values", degrees);
    },
    /// Millimetres as PNG, behind a header of 12 bytes (compressed_depth_image_transport).
    packedDepth(topic, frame, bytes) {
      const degrees = upright(place(frame));
      unpackedPNG(bytes.subarray(12)).then(({ width, height, samples }) => {
        if (figures.has(topic) || panels.isOn(topic)) paint(topic, width, height, index => depthColour(samples[index] / 1000), "depth", degrees);
      }).catch(error => panels.problem(topic, error));
    },
    strip(topic, name, unit, seconds, value, reference) {
      const key = name + topic;
      let strip = strips.get(key);
      if (!strip) {
        const now = element("output"), canvas = element("canvas");
        canvas.setAttribute("aria-hidden", "true");
        const whole = element("div", { className: "strip" }, element("p", {}, element("span", { textContent: name, title: topic }), now), canvas);
        strip = { topic, name, unit, now, canvas, whole, reference, points: [] };
        strips.set(key, strip);
        // In one order, whichever comes first.
        const rank = one => [order.indexOf(one.name), one.topic], isBefore = (a, b) => a[0] - b[0] || (a[1] < b[1] ? -1 : 1);
        const next = [...strips.values()].filter(one => isBefore(rank(strip), rank(one)) < 0);
        const after = next.sort((a, b) => isBefore(rank(a), rank(b)))[0];
        $("strips").insertBefore(whole, after ? after.whole : null);
        $("numbers").hidden = false;
      }
      if (!isFinite(value)) return;
      [now, strip.value] = [seconds, value];
      const { points } = strip, last = points[points.length - 1], least = Math.max(0.03, length / 1500);
      if (!length && last && (seconds < last[0] || seconds - last[0] > 600)) points.length = 0;
      // As many as are pixels; those of all places stay, in the order of time.
      let index = points.length;
      while (index && points[index - 1][0] > seconds) index--;
      const isNear = one => one && Math.abs(one[0] - seconds) < least;
      if (!isNear(points[index - 1]) && !isNear(points[index])) points.splice(index, 0, [seconds, value]);
      if (points.length > 3000) points.splice(0, 1500);
      later();
    },
    fix(topic, seconds, latitude, longitude, error) {
      if (!isFinite(latitude + longitude)) return;
      fixes.push({ ...onPlan(latitude, longitude), error, jumps: jumps || !fixes.length });
      jumps = false;
      if (fixes.length > 5000) fixes = fixes.filter((_, index) => index % 2 === 0);
      $("gps").hidden = false;
      $("fix").textContent = `${latitude.toFixed(6)}, ${longitude.toFixed(6)}` + (error > 0 ? ` \u00b1 ${text(error)} m` : "");
      later();
    },
    /// Marks tags on the first image.
    tags(topic, list) {
      $("tagged").hidden = false;
      $("tags").textContent = list.length ? list.map(tag => tag.id).join(", ") : "none now";
      const made = [...figures.values()].find(one => one.kind === "picture");
      if (!made || !made.image.naturalWidth) return;
      made.marks.setAttribute("viewBox", `0 0 ${made.image.naturalWidth} ${made.image.naturalHeight}`);
      made.marks.replaceChildren(...list.flatMap(tag => {
        const mark = (name, attributes, inner = "") => {
          const one = document.createElementNS("http://www.w3.org/2000/svg", name);
          for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
          one.textContent = inner;
          return one;
        };
        const [x, y] = tag.corners[0];
        return [mark("polygon", { points: tag.corners.map(corner => corner.join(",")).join(" ") }), mark("text", { x, y }, tag.id)];
      }));
    },
    remove(topic) {
      const made = figures.get(topic);
      if (made) made.whole.remove();
      figures.delete(topic);
      for (const [key, strip] of strips) {
        if (strip.topic !== topic) continue;
        strip.whole.remove();
        strips.delete(key);
      }
      $("noimage").hidden = figures.size > 0;
      $("numbers").hidden = !strips.size;
    },
    /// Another place of the recording comes: what was there before stays.
    jump() { jumps = true; },
    /// How long a recording is of which any place may come.
    span(seconds) {
      length = seconds;
      $("numbers").querySelector("h2").textContent = length ? "The whole recording" : `Last ${shownSeconds} seconds`;
    },
    /// What is known of the whole recording: fixes, and the way as pairs of seconds and place.
    whole(list, way) {
      allFixes = list.map(([latitude, longitude, error]) => ({ ...onPlan(latitude, longitude), error }));
      if (list.length) $("gps").hidden = false;
      known.height = way.map(([seconds, at]) => [seconds, at[2]]);
      known.speed = [];
      for (let index = 1, from = 0; index < way.length; index++) {
        const took = way[index][0] - way[from][0];
        if (took < 0.25) continue;
        const metres = Math.hypot(...way[index][1].map((value, axis) => value - way[from][1][axis]));
        if (took < 2 + length / 100) known.speed.push([way[index][0], metres / took]);
        from = index;
      }
      later();
    },
    clear() {
      for (const topic of [...figures.keys(), ...[...strips.values()].map(strip => strip.topic)]) panels.remove(topic);
      [origin, fixes, allFixes, known.height, known.speed] = [null, [], [], [], []];
      for (const name of ["gps", "tagged"]) $(name).hidden = true;
    },
    later,
  };
})();
