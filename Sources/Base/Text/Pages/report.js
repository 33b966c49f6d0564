// One time for the whole page of a report: strips, map, images and cloud show the same moment, set by any of them, by the bar at
// the bottom or by the keys left and right. A page of two recordings has everything twice, marked by data-of 0 and 1.
(() => {
  for (const copy of document.querySelectorAll(".copy")) {
    if (!navigator.clipboard) break;
    copy.hidden = false;
    copy.onclick = () => navigator.clipboard.writeText(copy.parentNode.querySelector("code").textContent)
      .then(() => { copy.textContent = "Copied"; }, () => { copy.textContent = "Not allowed"; });
  }
  const bar = document.getElementById("bar");
  if (!bar) return;
  const element = id => document.getElementById(id), all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const numbers = text => text.split(",").map(Number), seconds = +bar.dataset.seconds, begins = +bar.dataset.begins;
  const of = one => +(one.closest("[data-of]") || bar).dataset.of || 0;
  // The last of a sorted list that is not later, or the nearer neighbour.
  const nearest = (list, time) => {
    let low = 0, high = list.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (list[middle].time <= time) low = middle;
      else high = middle - 1;
    }
    const next = list[low + 1];
    return next && next.time - time < time - list[low].time ? low + 1 : low;
  };

  const tan = numbers(bar.dataset.view);
  const ways = [0, 1].map(which => {
    const block = element("way" + which);
    return block ? unpackedWay(block.textContent).map(place => ({ ...place, tan })) : [];
  });
  const images = [0, 1].map(which => all(".tile[data-seconds]").filter(tile => of(tile) === which).map(tile =>
    ({ time: +tile.dataset.seconds, tile, pictures: all("img", tile), label: tile.textContent })));
  // What the keys step through: frames with a pose, else images, else a thousandth of the time.
  const steps = ways[0].length ? ways[0] : images[0].length > 1 ? images[0] :
    Array.from({ length: 1001 }, (_, index) => ({ time: seconds * index / 1000 }));

  // Strips: the values of each column, where one is asked for.
  const values = all("[data-values]").map(one => ({ one, name: one.textContent, runs: one.dataset.values, of: of(one) }));
  const unpack = entry => {
    const list = [];
    for (const run of entry.runs.split(",")) {
      const [text, count] = run.split("*");
      for (let index = 0; index < (+count || 1); index++) list.push(text);
    }
    entry.names = entry.one.dataset.names && entry.one.dataset.names.split(",");
    return list;
  };
  const showValue = (entry, time) => {
    const list = entry.list || (entry.list = unpack(entry)), reach = +entry.one.dataset.reach;
    const length = +entry.one.dataset.seconds;
    const at = Math.min(list.length - 1, Math.floor(time / length * list.length));
    let text = "";
    for (let off = 0; off <= reach && !text && time <= length * 1.001; off++) {
      text = list[at - off] || (entry.names ? "" : list[at + off]) || "";
    }
    const shown = entry.names ? entry.names[+text] : text;
    entry.one.textContent = text === "" ? entry.name && entry.name + " \u2013" : entry.names ? shown : `${text} ${entry.name}`;
  };
  const strips = all(".strips");

  // Maps: a camera at its place.
  const maps = all("svg[data-plan]").map(svg => {
    const [scale, x, y, left, bottom] = numbers(svg.dataset.plan), which = of(svg);
    const pixel = place => [left + (place[0] - x) * scale, bottom - (place[1] - y) * scale];
    const mark = document.createElementNS("http://www.w3.org/2000/svg", "path");
    mark.setAttribute("class", "here");
    svg.append(mark);
    return { svg, which, pixel, mark };
  });
  const showPlace = (map, place) => {
    const at = map.pixel(place.t);
    const far = [-1, 1].map(side => {
      const ahead = turned(place.q, [side * tan[0], 0, 1]), size = Math.hypot(ahead[0], ahead[1]);
      return size < 0.2 ? at : [at[0] + ahead[0] / size * 46, at[1] - ahead[1] / size * 46];
    });
    map.mark.setAttribute("d", `M${at}L${far[0]}L${far[1]}ZM${at[0] - 5} ${at[1]}a5 5 0 1 0 10 0a5 5 0 1 0 -10 0`);
  };

  const panels = all(".now"), dialog = element("large");
  const showImage = (into, image) => {
    const shown = image.pictures.map((picture, place) => {
      const copy = all("img", into)[place] || into.appendChild(document.createElement("img"));
      if (copy.src !== picture.src) [copy.src, copy.alt] = [picture.src, picture.alt];
      return copy;
    });
    for (const other of all("img", into)) if (!shown.includes(other)) other.remove();
  };
  let now = 0, waiting = false, cloud = null, current = 0;
  const clock = time => {
    const date = begins ? new Date(begins + time * 1000).toISOString().slice(11, 21) + " UTC" : "";
    return `${time.toFixed(2)} s` + (date ? `, ${date}` : "");
  };
  const show = () => {
    waiting = false;
    const step = nearest(steps, now);
    element("when").value = step;
    element("clock").value = clock(now);
    element("when").setAttribute("aria-valuetext", clock(now));
    document.body.dataset.now = now.toFixed(3);
    for (const strip of strips) strip.style.setProperty("--now", Math.min(1, now / +strip.dataset.seconds));
    for (const entry of values) showValue(entry, now);
    ways.forEach((way, which) => {
      if (!way.length) return;
      const place = way[nearest(way, now)];
      for (const map of maps) if (map.which === which) showPlace(map, place);
      if (cloud && which === 0) cloud.camera({ ...place, metres: cloud.frustum * 2 });
    });
    images.forEach((list, which) => {
      if (!list.length) return;
      const image = list[nearest(list, now)];
      for (const other of list) other.tile.classList.toggle("current", other === image);
      for (const panel of panels) {
        if (of(panel) !== which) continue;
        showImage(panel.querySelector(".shown"), image);
        panel.querySelector("p").textContent = `${image.label} (nearest image)`;
      }
      if (dialog.open && which === current) {
        showImage(dialog.querySelector("p"), image);
      }
    });
  };
  const set = time => {
    now = Math.max(0, Math.min(seconds, time));
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(show);
  };
  const stepBy = count => {
    const next = Math.max(0, Math.min(steps.length - 1, nearest(steps, now) + count));
    set(steps[next].time);
  };

  bar.hidden = false;
  element("when").max = steps.length - 1;
  element("when").addEventListener("input", event => set(steps[+event.target.value].time));
  element("back").addEventListener("click", () => stepBy(-1));
  element("ahead").addEventListener("click", () => stepBy(1));
  document.addEventListener("keydown", event => {
    const count = { ArrowLeft: -1, ArrowRight: 1, ",": -1, ".": 1 }[event.key];
    if (!count || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.target.closest("input, select, textarea, canvas, .scroll") && event.key.length > 1) return;
    event.preventDefault();
    stepBy(count);
  });
  const hover = (target, time) => {
    for (const name of ["pointermove", "pointerdown"]) {
      target.addEventListener(name, event => {
        if (name === "pointermove" && event.pointerType === "touch" && !event.buttons) return;
        const found = time(event);
        if (found !== null) set(found);
      });
    }
  };
  for (const strip of strips) {
    const plot = strip.querySelector(".plot");
    if (!plot) continue;
    hover(strip, event => {
      const area = plot.getBoundingClientRect(), share = (event.clientX - area.left) / area.width;
      return share >= 0 && share <= 1 ? share * +strip.dataset.seconds : null;
    });
  }
  for (const map of maps) {
    hover(map.svg, event => {
      const area = map.svg.getBoundingClientRect(), scale = area.width / map.svg.viewBox.baseVal.width;
      let best = null, least = event.pointerType === "touch" ? 44 : 24;
      for (const place of ways[map.which]) {
        const at = map.pixel(place.t);
        const off = Math.hypot(at[0] * scale - event.clientX + area.left, at[1] * scale - event.clientY + area.top);
        if (off < least) [best, least] = [place.time, off];
      }
      return best;
    });
  }
  const enlarge = which => {
    current = which;
    dialog.showModal();
    show();
  };
  for (const { time, tile } of images.flat()) {
    tile.addEventListener("pointerenter", event => { if (event.pointerType !== "touch") set(time); });
    tile.addEventListener("click", () => {
      set(time);
      now = time;
      enlarge(of(tile));
    });
  }
  for (const panel of panels) {
    panel.hidden = !images[of(panel)].length;
    panel.querySelector(".shown").addEventListener("click", () => enlarge(of(panel)));
  }
  // What is folded is on paper all the same.
  addEventListener("beforeprint", () => { for (const one of all("details")) one.open = true; });
  show();

  // The cloud, after everything else is on the screen.
  const showCloud = () => {
    const view = element("view"), canvas = element("turn"), block = element("points");
    if (!view || !canvas || !block) return;
    const data = canvas.dataset, count = +data.count, centre = numbers(data.centre), size = +data.size;
    view.classList.add("live");
    const viewer = makeViewer(canvas, {
      start: { turn: +data.turn, up: +data.up },
      capacity: count,
      pointMetres: +data.metres,
      cut: +data.cut,
      scrolls: true,
      partCount: 60000,
      keys: made => ({ c: made.toggleCut }),
      drawn: isPart => { data.drawn = isPart ? "part" : "all"; },
    });
    if (!viewer) return view.classList.remove("live");
    const { buffer, isConfident } = unpackedPoints(block.textContent, { count, centre, size, seconds });
    const tools = element("tools");
    tools.hidden = false;
    // Where no image showed anything the colours of the points are heights.
    addTools(tools, viewer, [...data.heights ? [] : ["image"], "height", ...isConfident ? ["confidence"] : [], "time"]);
    viewer.add(buffer);
    viewer.way(ways[0].map(place => place.t));
    // Frusta every few seconds, as large as suits the scene.
    const box = viewer.box(), side = box ? Math.hypot(...box.high.map((value, axis) => value - box.low[axis])) : 5;
    viewer.frustum = Math.max(0.03, Math.min(0.5, side / 40));
    const every = Math.max(1, seconds / 40), shown = [];
    for (const place of ways[0]) {
      if (!shown.length || place.time - shown[shown.length - 1].time >= every) shown.push({ ...place, metres: viewer.frustum });
    }
    viewer.cameras(shown);
    cloud = window.cloud = viewer;
    show();
  };
  requestAnimationFrame(() => setTimeout(showCloud));
})();
