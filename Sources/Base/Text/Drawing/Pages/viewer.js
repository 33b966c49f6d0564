// A view of points, of a way and of a camera that is turned, moved and zoomed: WebGL 2, drawn only when something
// changes. Positions are in metres, z is up; a vertex has 16 bytes: x, y, z as floats, then red, green, blue, unused.
//
// Options:
//   start       {turn, up, far, at}: radians, metres from the point `at`
//   capacity    how many points there can be; the oldest make room
//   pointSize   at a distance of 1 m, in heights of the canvas
//   far         [least, most] distance
//   cut         hides points above this height, in metres, while `state.cut` is true
//   wheelNeedsFocus  leaves the wheel to the page until the canvas has the focus
//   partCount   how many points are drawn while the view moves
//   keys        more keys: name to function
//   drawn       is called after each picture, with true if only a part was drawn
"use strict";

const makeViewer = (canvas, options) => {
  const gl = canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true });
  if (!gl) return null;
  const shader = (type, source) => {
    const made = gl.createShader(type);
    gl.shaderSource(made, source);
    gl.compileShader(made);
    return made;
  };
  const program = gl.createProgram();
  gl.attachShader(program, shader(gl.VERTEX_SHADER, `#version 300 es
    in vec3 p; in vec4 c;
    uniform float turn, up, far, aspect, size, cut; uniform vec3 at;
    out vec4 colour;
    void main() {
      vec3 q = p - at;
      float st = sin(turn), ct = cos(turn), su = sin(up), cu = cos(up);
      float right = q.x * ct - q.y * st, ahead = q.x * st + q.y * ct;
      float high = q.z * cu + ahead * su, depth = far + ahead * cu - q.z * su;
      gl_Position = p.z > cut ? vec4(2, 2, 2, 1) : vec4(right * 2.2 / aspect, high * 2.2, depth - 0.05, depth);
      gl_PointSize = clamp(size / max(depth, 0.05), 1.0, 8.0);
      colour = c;
    }`));
  gl.attachShader(program, shader(gl.FRAGMENT_SHADER, `#version 300 es
    precision mediump float; in vec4 colour; out vec4 o;
    void main() { o = vec4(colour.rgb, 1.0); }`));
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) return null;
  gl.useProgram(program);
  const uniform = {};
  for (const name of ["turn", "up", "far", "aspect", "size", "cut", "at"]) {
    uniform[name] = gl.getUniformLocation(program, name);
  }
  const place = gl.getAttribLocation(program, "p"), colour = gl.getAttribLocation(program, "c");
  const vertices = byteCount => {
    const array = gl.createVertexArray(), buffer = gl.createBuffer();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, byteCount, gl.DYNAMIC_DRAW);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, 3, gl.FLOAT, false, 16, 0);
    gl.enableVertexAttribArray(colour);
    gl.vertexAttribPointer(colour, 4, gl.UNSIGNED_BYTE, true, 16, 12);
    return { array, buffer };
  };
  const mostSteps = 20000;
  const points = vertices(16 * options.capacity), lines = vertices(16 * mostSteps);
  gl.enable(gl.DEPTH_TEST);
  gl.clearColor(0.078, 0.094, 0.114, 1);

  let count = 0, next = 0, way = [], camera = null, waiting = false, rest = 0;
  const fresh = () => ({ ...options.start, at: [...options.start.at], cut: true, follows: true });
  let state = fresh();

  const vertex = (view, index, position, rgb) => {
    for (let axis = 0; axis < 3; axis++) view.setFloat32(16 * index + 4 * axis, position[axis], true);
    view.setUint32(16 * index + 12, rgb, true);
  };
  const drawWay = () => {
    const every = Math.max(1, Math.ceil(way.length / (mostSteps - 10)));
    const shown = way.filter((_, index) => index % every === 0 || index === way.length - 1);
    const view = new DataView(new ArrayBuffer(16 * Math.max(1, shown.length)));
    shown.forEach((position, index) => vertex(view, index, position, 0x33ccff));
    gl.bindVertexArray(lines.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, lines.buffer);
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, view);
    gl.drawArrays(gl.LINE_STRIP, 0, shown.length);
    if (!camera) return;
    const one = new DataView(new ArrayBuffer(16));
    vertex(one, 0, camera, 0x3050ff);
    gl.uniform1f(uniform.size, 0.2 * canvas.height);
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, one);
    gl.drawArrays(gl.POINTS, 0, 1);
  };
  const draw = isPart => {
    waiting = false;
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight].map(side => Math.round(side * ratio));
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    if (state.follows && camera) state.at = camera.slice();
    for (const name of ["turn", "up", "far"]) gl.uniform1f(uniform[name], state[name]);
    gl.uniform3fv(uniform.at, state.at);
    gl.uniform1f(uniform.aspect, canvas.width / Math.max(1, canvas.height));
    gl.uniform1f(uniform.size, options.pointSize * canvas.height);
    gl.uniform1f(uniform.cut, state.cut && options.cut !== undefined ? options.cut : 1e9);
    gl.bindVertexArray(points.array);
    gl.drawArrays(gl.POINTS, 0, isPart ? Math.min(count, options.partCount) : count);
    if (way.length) drawWay();
    if (options.drawn) options.drawn(isPart);
  };
  const change = () => {
    const isMany = count > (options.partCount || Infinity);
    if (!waiting) {
      waiting = true;
      requestAnimationFrame(() => draw(isMany));
    }
    if (!isMany) return;
    clearTimeout(rest);
    rest = setTimeout(() => draw(false), 120);
  };

  const turn = (about, above) => {
    state.turn += about;
    state.up = Math.max(-1.55, Math.min(1.55, state.up + above));
    change();
  };
  const zoom = factor => {
    state.far = Math.max(options.far[0], Math.min(options.far[1], state.far * factor));
    change();
  };
  const move = (right, down) => {
    const metres = state.far / 500;
    state.follows = false;
    state.at[0] -= right * Math.cos(state.turn) * metres;
    state.at[1] += right * Math.sin(state.turn) * metres;
    state.at[2] += down * metres;
    change();
  };
  const touches = new Map();
  let spread = 0;
  canvas.addEventListener("pointerdown", event => {
    canvas.setPointerCapture(event.pointerId);
    touches.set(event.pointerId, [event.clientX, event.clientY]);
    spread = 0;
  });
  for (const name of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(name, event => touches.delete(event.pointerId));
  }
  canvas.addEventListener("pointermove", event => {
    const last = touches.get(event.pointerId);
    if (!last) return;
    const [right, down] = [event.clientX - last[0], event.clientY - last[1]];
    touches.set(event.pointerId, [event.clientX, event.clientY]);
    if (touches.size === 2) {
      const [one, other] = [...touches.values()];
      const now = Math.hypot(one[0] - other[0], one[1] - other[1]);
      if (spread) zoom(spread / Math.max(1, now));
      spread = now;
    } else if (event.shiftKey || event.buttons === 4) move(right, down);
    else turn(right * 0.006, down * 0.006);
  });
  canvas.addEventListener("wheel", event => {
    if (options.wheelNeedsFocus && document.activeElement !== canvas && !event.ctrlKey) return;
    event.preventDefault();
    zoom(Math.exp(event.deltaY * 0.001));
  }, { passive: false });
  const viewer = {
    count: () => count,
    wayLength: () => way.length,
    change,
    toggle(name) {
      state[name] = !state[name];
      change();
    },
    /// Turns the first view, and every one that begins anew.
    face(radians) { state.turn = options.start.turn = radians; },
    clear() {
      count = next = 0;
      way = [];
      change();
    },
    add(bytes) {
      const added = Math.min(options.capacity, Math.floor(bytes.byteLength / 16));
      if (!added) return;
      gl.bindBuffer(gl.ARRAY_BUFFER, points.buffer);
      const first = Math.min(added, options.capacity - next);
      gl.bufferSubData(gl.ARRAY_BUFFER, 16 * next, new Uint8Array(bytes, 0, 16 * first));
      if (added > first) gl.bufferSubData(gl.ARRAY_BUFFER, 0, new Uint8Array(bytes, 16 * first, 16 * (added - first)));
      next = (next + added) % options.capacity;
      count = Math.min(options.capacity, count + added);
      change();
    },
    step(position, jumps) {
      if (jumps) way = [];
      const last = way[way.length - 1];
      camera = position;
      if (!last || Math.hypot(...position.map((value, axis) => value - last[axis])) > 0.01) way.push(position);
      if (way.length > 200000) way = way.filter((_, index) => index % 2 === 0);
      change();
    },
  };
  const keys = {
    ArrowLeft: () => turn(-0.1, 0),
    ArrowRight: () => turn(0.1, 0),
    ArrowUp: () => turn(0, 0.1),
    ArrowDown: () => turn(0, -0.1),
    "+": () => zoom(0.85),
    "=": () => zoom(0.85),
    "-": () => zoom(1.18),
    "0"() {
      state = fresh();
      change();
    },
    ...options.keys(viewer),
  };
  canvas.addEventListener("keydown", event => {
    const key = keys[event.key];
    if (!key) return;
    event.preventDefault();
    key();
  });
  new ResizeObserver(() => draw(false)).observe(canvas);
  return viewer;
};
