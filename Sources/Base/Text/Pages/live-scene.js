// The map of the live page: layers of clouds without what was there before, the way, and the camera with its image.
"use strict";

const $ = id => document.getElementById(id);

/// Which places are filled, in cubes of 2 cm: a cloud adds only what is new, so that a room stays as dense as it is seen.
const makeFilled = most => {
  const cells = new Uint32Array(1 << 22);
  let count = 0;
  return {
    clear() {
      cells.fill(0);
      count = 0;
    },
    /// True for a place that was empty; it is filled then.
    fill(x, y, z) {
      let key = Math.imul(Math.floor(x * 50), 0x9e3779b1);
      key = Math.imul(key ^ key >>> 15 ^ Math.floor(y * 50), 0x85ebca77);
      key = Math.imul(key ^ key >>> 13 ^ Math.floor(z * 50), 0xc2b2ae3d);
      key = (key ^ key >>> 16) >>> 0 || 1;
      let at = key & cells.length - 1;
      while (cells[at]) {
        if (cells[at] === key) return false;
        at = at + 1 & cells.length - 1;
      }
      // The viewer has forgotten the oldest points by now.
      if (++count > most) {
        cells.fill(0);
        count = 1;
      }
      cells[at] = key;
      return true;
    },
  };
};

/// How far the points of a cloud are from the next one, for most of them.
const spacing = values => {
  const list = [], every = 5 * Math.max(1, Math.floor(values.length / 5 / 200));
  for (let at = 0; at + 7 < values.length; at += every) {
    list.push(Math.hypot(values[at] - values[at + 5], values[at + 1] - values[at + 6], values[at + 2] - values[at + 7]));
  }
  return list.sort((a, b) => a - b)[list.length >> 1] || 0;
};

/// Draws an image between four corners (lower left, upper left, lower right, upper right) into the picture of a viewer; what is clear
/// in it is left out.
const makePicture = (canvas, isSharp) => {
  const gl = canvas.getContext("webgl2");
  const program = makeProgram(gl, `#version 300 es
    layout(location = 0) in vec4 p; layout(location = 1) in vec2 u; out vec2 place;
    void main() { gl_Position = p; place = u; }`, `#version 300 es
    precision mediump float; uniform sampler2D image; in vec2 place; out vec4 o;
    void main() {
      o = texture(image, place);
      if (o.a < .5) discard;
    }`);
  const array = gl.createVertexArray(), buffer = gl.createBuffer(), texture = gl.createTexture();
  gl.bindVertexArray(array);
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  [[4, 0], [2, 16]].forEach(([size, offset], index) => {
    gl.enableVertexAttribArray(index);
    gl.vertexAttribPointer(index, size, gl.FLOAT, false, 24, offset);
  });
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, isSharp ? gl.NEAREST : gl.LINEAR);
  for (const side of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, side, gl.CLAMP_TO_EDGE);
  let corners = null;
  return {
    set(image, places) {
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, image);
      corners = places;
    },
    clear() { corners = null; },
    draw(view) {
      if (!corners) return;
      const aspect = canvas.clientWidth / Math.max(1, canvas.clientHeight), near = Math.max(0.02, 0.01 * view.far);
      const list = corners.flatMap((corner, index) => {
        const [right, high, ahead] = view.seen(corner), depth = view.far + ahead;
        return [right * 2 * FOCAL / aspect, high * 2 * FOCAL, depth - near, depth, index >> 1, index & 1];
      });
      const before = gl.getParameter(gl.CURRENT_PROGRAM);
      gl.useProgram(program);
      gl.bindVertexArray(array);
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(list), gl.DYNAMIC_DRAW);
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
      gl.useProgram(before);
    },
  };
};

/// The map: `works` is false where the browser has no WebGL 2.
const scene = (canvas => {
  const capacity = 1500000, colours = ["image", "height", "time", "confidence"];
  let picture = null;
  const plans = new Map();
  const options = {
    start: { turn: 0.7, up: 0.5 },
    capacity,
    pointMetres: 0.025,
    partCount: 300000,
    // A narrow page scrolls, and keeps one finger for that.
    scrolls: matchMedia("(max-width: 700px)").matches,
    keys: () => ({ f: () => made.follow(), x: () => made.clear(), c: () => made.nextColour(), b: () => viewer.toggleBacks() }),
    drawn() {
      for (const plan of plans.values()) plan.draw(viewer.view);
      if (picture) picture.draw(viewer.view);
      canvas.dataset.points = made.count();
      canvas.dataset.triangles = made.triangles();
      canvas.dataset.way = made.wayLength();
    },
  };
  const viewer = makeViewer(canvas, options);
  const nothing = () => {};
  const made = { works: false, count: () => 0, triangles: () => 0, hasPlan: () => false, wayLength: () => 0 };
  const calls = ["add", "plan", "mesh", "removeMesh", "remove", "step", "clear", "face", "camera", "follow", "nextColour", "whole"];
  for (const name of calls) made[name] = nothing;
  if (!viewer) return made;
  const filled = makeFilled(capacity), layers = new Map(), sparseness = new Map(), meshes = new Set();
  let shown = 0;
  picture = makePicture(canvas);
  const tools = $("tools"), follow = document.createElement("button");
  addTools(tools, viewer, colours);
  follow.type = "button";
  follow.textContent = "Follow";
  follow.title = "Keep the camera in the middle (f)";
  follow.setAttribute("aria-pressed", "false");
  follow.addEventListener("click", () => made.follow());
  tools.prepend(follow);
  const clear = document.createElement("button");
  clear.type = "button";
  clear.textContent = "Clear";
  clear.title = "Forget what was played (x)";
  clear.addEventListener("click", () => made.clear());
  follow.after(clear);
  tools.addEventListener("click", () => follow.setAttribute("aria-pressed", String(viewer.isFollowing())));
  tools.hidden = false;
  const tell = () => {
    canvas.dataset.clouds = layers.size + meshes.size;
    canvas.dataset.plans = plans.size;
  };
  // What has no colours shows its form by height.
  const showForm = words => {
    const select = tools.querySelector("select");
    if (layers.size + meshes.size || select.selectedIndex !== 0 || words.some((value, at) => at % 5 === 3 && value !== words[3])) return;
    select.value = "height";
    select.dispatchEvent(new Event("change"));
  };
  Object.assign(made, {
    works: true,
    count: viewer.count,
    triangles: viewer.triangles,
    hasPlan: () => plans.size > 0,
    wayLength: viewer.wayLength,
    face: viewer.face,
    step: viewer.step,
    whole: viewer.whole,
    box: viewer.box,
    project: viewer.project,
    /// Adds points of a topic: a buffer of vertices, of which only those in empty places are taken.
    add(topic, buffer) {
      const from = new Float32Array(buffer), whole = new Uint32Array(buffer), kept = new Uint32Array(whole.length);
      let size = 0, news = 0;
      for (let at = 0; at < from.length; at += 5) {
        const isNew = filled.fill(from[at], from[at + 1], from[at + 2]);
        if (isNew) news++;
        // The first one of a topic is taken as it is.
        else if (layers.has(topic)) continue;
        for (let index = 0; index < 5; index++) kept[size + index] = whole[at + index];
        size += 5;
      }
      if (!size) return;
      const bytes = kept.slice(0, size).buffer;
      // The sparsest cloud decides: the same for all, whichever comes last.
      sparseness.set(topic, spacing(from));
      // A single cloud of many points in each place is of something small.
      const least = !layers.size && 20 * news < size ? 0.001 : 0.02;
      options.pointMetres = Math.max(least, Math.min(0.08, 0.7 * Math.max(...sparseness.values())));
      showForm(whole);
      if (!layers.has(topic)) layers.set(topic, []);
      layers.get(topic).push(bytes);
      viewer.add(bytes);
      tell();
    },
    /// Sets a part of a topic's triangles, whose corners are in a buffer of vertices.
    mesh(topic, part, buffer) {
      showForm(new Uint32Array(buffer));
      meshes.add(topic);
      if (!viewer.mesh(`${topic} ${part};`, buffer)) throw new RangeError("there are more triangles than this page shows");
      tell();
    },
    /// Sets the plan of a topic: an image between four corners.
    plan(topic, image, corners) {
      if (!plans.has(topic)) plans.set(topic, makePicture(canvas, true));
      plans.get(topic).set(image, corners);
      // Corners without triangles: they are what the view fits.
      const places = new DataView(new ArrayBuffer(80));
      corners.forEach((corner, index) => corner.forEach((value, axis) => places.setFloat32(20 * index + 4 * axis, value, true)));
      viewer.mesh(topic + " plan;", places.buffer, new Uint32Array(0));
      tell();
    },
    removeMesh(topic, part) { viewer.clearMeshes(`${topic} ${part};`); },
    /// Takes a topic's points and triangles away again.
    remove(topic) {
      if (meshes.delete(topic) + plans.delete(topic)) viewer.clearMeshes(topic + " ");
      if (!layers.delete(topic)) return tell();
      sparseness.delete(topic);
      const rest = [...layers];
      layers.clear();
      filled.clear();
      viewer.clear(true);
      for (const [name, buffers] of rest) for (const bytes of buffers) made.add(name, bytes);
      tell();
    },
    clear() {
      layers.clear();
      sparseness.clear();
      filled.clear();
      shown++;
      picture.clear();
      meshes.clear();
      plans.clear();
      viewer.clearMeshes();
      viewer.clear();
    },
    /// Where an image was taken, and the image: a frustum with it.
    async camera(pose, blob) {
      const number = ++shown;
      const image = await createImageBitmap(blob, { resizeWidth: 320, resizeQuality: "medium" }).catch(() => null);
      // Another one has come meanwhile, or all was cleared.
      if (number !== shown) return;
      const whole = { metres: 0.5, ...pose };
      if (image) picture.set(image, [[-1, -1], [-1, 1], [1, -1], [1, 1]].map(([a, b]) => turned(whole.q,
        [a * whole.tan[0] * whole.metres, b * whole.tan[1] * whole.metres, whole.metres]).map((value, axis) => value + whole.t[axis])));
      else picture.clear();
      if (image) image.close();
      viewer.camera(whole);
    },
    follow() {
      viewer.follow();
      follow.setAttribute("aria-pressed", String(viewer.isFollowing()));
    },
    nextColour() {
      const select = tools.querySelector("select");
      select.selectedIndex = (select.selectedIndex + 1) % select.options.length;
      select.dispatchEvent(new Event("change"));
    },
  });
  return made;
})($("map"));
