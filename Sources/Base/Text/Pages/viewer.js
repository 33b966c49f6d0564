// A view of points, of a way and of cameras, shared by the report and the live page: WebGL 2, drawn only when something changes.
// Positions are in metres in one frame, z is up. A vertex has 20 bytes: x, y, z as floats; red, green, blue and the confidence
// (0, 1, 2; 255 where it is not known) as bytes; the time in seconds as a float.
//
// makeViewer(canvas, options), null without WebGL 2:
//   start       {turn, up}: the first view; it shows everything until a hand changes it
//   capacity    how many points there can be; the oldest make room
//   pointMetres how large a point is
//   cut         hides points above this height, in metres, until `toggleCut()`
//   scrolls     true where the page scrolls: it then has one finger, and the wheel until the canvas has the focus
//   partCount   how many points are drawn while the view moves
//   keys        more keys: a function of the viewer that gives name to function
//   drawn       is called after each picture, with true if only a part was drawn
//
// A viewer has:
//   add(bytes), clear(keepsWay), count()  points
//   mesh(name, bytes, indexes)            triangles by the name of their part, shaded; false where there is no room for them
//   clearMeshes(start), triangles()       without the parts whose names begin so; how many there are
//   step(place, jumps), way(list)         the way, one place after the other, with a gap where it jumps, or as a whole; wayLength()
//   whole(bytes, way, metres)             points of that size and a way that lie dimmed behind the others, instead of those before
//   cameras(list), camera(one or null)    frusta, and the current one: {t, q, tan: [half width, half height at 1 m]}, where q
//                                         turns optical axes (x right, y down, z ahead)
//   fit(), top(), front(), home(), follow(yes), face(turn), size(factor), colour("image" | "height" | "confidence" | "time")
//   box(), project(place), pick(x, y)     what is fitted; a place in pixels of the canvas; the point there or null
//   change()                              draws again
"use strict";

/// A linked program of a vertex and a fragment shader.
const makeProgram = (gl, vertex, fragment) => {
  const program = gl.createProgram();
  for (const [type, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  return program;
};

const makeViewer = (canvas, options) => {
  const gl = canvas.getContext("webgl2", { antialias: false, preserveDrawingBuffer: true });
  if (!gl) return null;
  const program = makeProgram(gl, `#version 300 es
    layout(location = 0) in vec3 p; layout(location = 1) in vec4 c; layout(location = 2) in float t;
    uniform float turn, up, far, aspect, size, least, most, cut, dim, behind; uniform vec3 at; uniform vec2 span, nudge;
    uniform int mode; out vec3 colour, seen;
    // Viridis, as a polynomial: readable in grey and for the colour-blind.
    vec3 ramp(float v) {
      v = clamp(v, 0., 1.);
      return vec3(.2777, .0054, .3341) + v * (vec3(.1051, 1.4046, 1.3846) + v * (vec3(-.3309, .2148, .0951)
        + v * (vec3(-4.6342, -5.7991, -19.3324) + v * (vec3(6.2283, 14.18, 56.6906)
        + v * (vec3(4.7764, -13.7451, -65.353) + v * vec3(-5.4355, 4.6459, 26.3124))))));
    }
    void main() {
      vec3 q = p - at;
      float st = sin(turn), ct = cos(turn), su = sin(up), cu = cos(up);
      float right = q.x * ct - q.y * st, ahead = q.x * st + q.y * ct;
      float high = q.z * cu + ahead * su, depth = far + ahead * cu - q.z * su;
      float near = max(.02, .01 * far);
      gl_Position = p.z > cut ? vec4(2, 2, 2, 1)
        : vec4(right * ${2 * FOCAL} / aspect, high * ${2 * FOCAL},
          depth - (behind > 0. ? near * depth / (max(depth, near) + behind) : near) * (1. - .03 * dim), depth) + vec4(nudge * depth, 0, 0);
      seen = vec3(right, high, depth);
      gl_PointSize = clamp(size / max(depth, near), least, most);
      float level = c.a * 255.;
      colour = mode == 0 ? c.rgb : mode == 1 ? ramp((p.z - span.x) / max(1e-3, span.y - span.x))
        : mode == 3 ? ramp((t - span.x) / max(1e-3, span.y - span.x))
        : level > 2.5 ? vec3(.55) : level > 1.5 ? vec3(.24, .78, .61) : level > .5 ? vec3(.95, .75, .2) : vec3(.9, .35, .3);
      // What is dimmed lies a little behind what it is the same surface of.
      if (dim > 0.) colour = .08 + .4 * mix(vec3(dot(colour, vec3(.3, .59, .11))), colour, .25);
    }`, `#version 300 es
    precision highp float; uniform bool lit; in vec3 colour, seen; out vec4 o;
    void main() {
      // The normal of the triangle itself, towards the eye; the light comes from behind the left shoulder.
      vec3 normal = normalize(cross(dFdx(seen), dFdy(seen)));
      normal *= -sign(dot(normal, seen));
      o = vec4(lit ? colour * (.4 + .6 * max(0., dot(normal, vec3(-.4, .5, -.77)))) : colour, 1.);
    }`);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) return null;
  gl.useProgram(program);
  const uniform = {};
  for (let index = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS) - 1; index >= 0; index--) {
    const { name } = gl.getActiveUniform(program, index);
    uniform[name] = gl.getUniformLocation(program, name);
  }
  const vertices = () => {
    const array = gl.createVertexArray(), buffer = gl.createBuffer();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    [[3, gl.FLOAT, false, 0], [4, gl.UNSIGNED_BYTE, true, 12], [1, gl.FLOAT, false, 16]].forEach((one, index) => {
      gl.enableVertexAttribArray(index);
      gl.vertexAttribPointer(index, one[0], one[1], one[2], 20, one[3]);
    });
    return { array, buffer };
  };
  const points = vertices(), lines = vertices(), dimmed = vertices(), meshes = makeMeshes(gl, vertices);
  gl.bindBuffer(gl.ARRAY_BUFFER, points.buffer);
  gl.bufferData(gl.ARRAY_BUFFER, 20 * options.capacity, gl.DYNAMIC_DRAW);
  gl.enable(gl.DEPTH_TEST);
  gl.clearColor(0.078, 0.094, 0.114, 1);

  // The points once more, for what is fitted and what is under a pointer.
  const held = new Float32Array(5 * options.capacity), heldBytes = new Uint8Array(held.buffer);
  let count = 0, next = 0, way = [], frusta = [], camera = null, place = null, follows = false;
  let waiting = false, rest = 0, mode = 0, larger = 1, isCut = true, known = null, drawnLines = null;
  let lineCount = 0, dimmedLines = 0, measuring = null;
  let whole = { held: new Float32Array(0), count: 0, way: [], metres: 0.05 };
  const cut = () => isCut && options.cut !== undefined ? options.cut : Infinity;

  // Gives every nth point and corner of lists, so that they are not many more than `most`: the list, and where it begins there.
  const sample = (lists, most, take) => {
    const all = lists.reduce((sum, list) => sum + list.length / 5, 0), every = 5 * Math.max(1, Math.floor(all / most));
    for (const list of lists) for (let at = 0; at < list.length; at += every) if (list[at + 2] <= cut()) take(list, at);
  };
  const played = () => [held.subarray(0, 5 * count), ...meshes.held()];
  // Where nearly all points and triangles are; without any, the way.
  const measured = (lists, way) => {
    const sides = [[], [], []], times = [];
    sample(lists, 8000, (list, at) => {
      for (let axis = 0; axis < 3; axis++) sides[axis].push(list[at + axis]);
      times.push(list[at + 4]);
    });
    for (const list of [...sides, times]) list.sort((a, b) => a - b);
    const rank = (list, share) => list[Math.round(share * (list.length - 1))];
    const steps = way.filter((_, index) => index % Math.max(1, Math.floor(way.length / 2000)) === 0);
    const low = [], high = [];
    for (let axis = 0; axis < 3; axis++) {
      const both = sides[axis].length ? [rank(sides[axis], 0.02), rank(sides[axis], 0.98)] : steps.map(step => step[axis]);
      if (!both.length) return null;
      const least = Math.min(...both), most = Math.max(...both), wider = Math.max(0, 0.2 - (most - least)) / 2;
      low.push(least - wider);
      high.push(most + wider);
    }
    return { low, high, times: [times[0] || 0, times[times.length - 1] || 0] };
  };
  const measure = () => {
    const boxes = [measured(played(), way), measured([whole.held], whole.way)].filter(Boolean);
    const ends = (name, choose) => boxes[0][name].map((_, axis) => choose(...boxes.map(one => one[name][axis])));
    return boxes.length ? { low: ends("low", Math.min), high: ends("high", Math.max),
      times: [ends("times", Math.min)[0], ends("times", Math.max)[1]] } : null;
  };
  const box = () => known || (known = measure());
  const aspect = () => Math.max(1, canvas.clientWidth) / Math.max(1, canvas.clientHeight);
  const view = makeView(options.start, box, aspect);

  // Lines of the scene: pairs of places with a colour (0xBBGGRR).
  const ends = pose => {
    const [x, y] = pose.tan, size = pose.metres || 0.25;
    return [[-x, -y], [x, -y], [x, y], [-x, y]].map(([a, b]) =>
      turned(pose.q, [a * size, b * size, size]).map((value, axis) => value + pose.t[axis]));
  };
  const frustum = (pose, colour, add) => ends(pose).forEach((corner, index, all) => {
    add(pose.t, corner, colour);
    add(corner, all[(index + 1) % 4], colour);
  });
  const spacing = metres => {
    const power = 10 ** Math.floor(Math.log10(metres));
    return +(power * (metres / power >= 5 ? 5 : metres / power >= 2 ? 2 : 1)).toPrecision(1);
  };
  const ground = add => {
    const { low, high } = box(), step = spacing(Math.max(high[0] - low[0], high[1] - low[1]) / 4);
    const [x0, y0, x1, y1] = [low[0], low[1]].map(v => Math.floor(v / step) * step).concat(
      [high[0], high[1]].map(v => Math.ceil(v / step) * step));
    for (let x = x0; x < x1 + step / 2; x += step) add([x, y0, low[2]], [x, y1, low[2]], 0x5a4d40);
    for (let y = y0; y < y1 + step / 2; y += step) add([x0, y, low[2]], [x1, y, low[2]], 0x5a4d40);
    // The axes of the frame: x red, y green, z blue, as long as a part of the grid.
    [0x5050ff, 0x50d050, 0xff8050].forEach((colour, axis) =>
      add([0, 0, 0], [0, 1, 2].map(other => other === axis ? Math.min(step, 1) : 0), colour));
    if (viewer.scaled) viewer.scaled(step);
  };
  const makeLines = () => {
    const list = [], add = (from, to, colour) => list.push([from, colour], [to, colour]);
    if (box()) ground(add);
    const addWay = (steps, every = Math.max(1, Math.ceil(steps.length / 4000))) => {
      for (let index = 1, last = 0; index < steps.length; index++) {
        if (steps[index].jumps) last = index;
        if (index - last < every) continue;
        add(steps[last], steps[index], 0xffcc33);
        last = index;
      }
    };
    addWay(way);
    for (const one of frusta) frustum(one, 0x9a8c7a, add);
    if (camera) frustum(camera, 0x3080ff, add);
    const bright = list.length;
    addWay(whole.way);
    dimmedLines = list.length - bright;
    const data = new DataView(new ArrayBuffer(20 * list.length + 20));
    const put = (index, position, colour) => {
      for (let axis = 0; axis < 3; axis++) data.setFloat32(20 * index + 4 * axis, position[axis], true);
      data.setUint32(20 * index + 12, colour, true);
    };
    list.forEach(([position, colour], index) => put(index, position, colour));
    // The last vertex is where the camera is.
    const now = camera ? camera.t : place;
    if (now) put(list.length, now, 0x3050ff);
    gl.bindBuffer(gl.ARRAY_BUFFER, lines.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
    lineCount = list.length;
    return { hasPlace: Boolean(now) };
  };
  const draw = isPart => {
    waiting = false;
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight].map(side => Math.round(side * ratio));
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    gl.viewport(0, 0, width, height);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    if (follows && place) view.at = [...place];
    else if (!view.touched) view.fit();
    else view.keep();
    if (!drawnLines) drawnLines = makeLines();
    for (const name of ["turn", "up", "far"]) gl.uniform1f(uniform[name], view[name]);
    gl.uniform3fv(uniform.at, view.at);
    gl.uniform1f(uniform.aspect, aspect());
    gl.uniform1f(uniform.cut, Math.min(cut(), 1e9));
    gl.uniform1i(uniform.mode, mode);
    gl.uniform2fv(uniform.nudge, [0, 0]);
    const { low, high, times } = box() || { low: [0, 0, 0], high: [0, 0, 1], times: [0, 1] };
    gl.uniform2fv(uniform.span, mode === 3 ? times : [low[2], high[2]]);
    gl.uniform1f(uniform.least, Math.max(1, larger) * ratio);
    gl.uniform1f(uniform.most, 24 * ratio);
    gl.uniform1i(uniform.lit, 1);
    meshes.draw();
    gl.uniform1i(uniform.lit, 0);
    // A surface covers the points of which it was made.
    gl.uniform1f(uniform.behind, meshes.count() ? 0.05 : 0);
    gl.uniform1f(uniform.dim, 1);
    gl.uniform1f(uniform.size, whole.metres * FOCAL * height);
    gl.bindVertexArray(dimmed.array);
    gl.drawArrays(gl.POINTS, 0, whole.count);
    gl.uniform1f(uniform.dim, 0);
    gl.uniform1f(uniform.size, options.pointMetres * larger * FOCAL * height);
    gl.bindVertexArray(points.array);
    gl.drawArrays(gl.POINTS, 0, isPart ? Math.min(count, Math.round(part)) : count);
    gl.bindVertexArray(lines.array);
    gl.uniform1f(uniform.behind, 0);
    gl.uniform1f(uniform.cut, 1e9);
    gl.uniform1i(uniform.mode, 0);
    // A line is one pixel wide, whatever is asked for: drawn four times it is two.
    for (const [x, y] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) {
      gl.uniform2fv(uniform.nudge, [x * 0.6 / width, y * 0.6 / height]);
      gl.drawArrays(gl.LINES, 0, lineCount - dimmedLines);
      gl.uniform1f(uniform.dim, 1);
      gl.drawArrays(gl.LINES, lineCount - dimmedLines, dimmedLines);
      gl.uniform1f(uniform.dim, 0);
    }
    if (drawnLines.hasPlace) {
      gl.uniform1f(uniform.least, 7 * ratio);
      gl.drawArrays(gl.POINTS, lineCount, 1);
    }
    if (options.drawn) options.drawn(isPart);
  };
  // Of a slow machine less is asked while the view moves.
  let part = options.partCount || Infinity, drawnAt = 0;
  const drawPart = now => {
    const took = now - drawnAt;
    if (took > 60 && took < 1000 && part < Infinity) part = Math.max(5000, part * 0.6);
    drawnAt = now;
    draw(true);
  };
  const change = () => {
    const isMany = count > part;
    if (!waiting) {
      waiting = true;
      requestAnimationFrame(isMany ? drawPart : () => draw(false));
    }
    if (!isMany) return;
    clearTimeout(rest);
    rest = setTimeout(() => draw(false), 120);
  };
  const lined = () => {
    drawnLines = null;
    change();
  };
  const grown = () => {
    known = drawnLines = null;
    change();
  };
  // Of points that come many times a second the box is measured now and then.
  const growing = () => {
    if (!measuring) {
      measuring = setTimeout(() => {
        measuring = null;
        grown();
      }, 300);
      known = null;
    }
    lined();
  };
  const stretch = position => {
    const now = count || whole.count || meshes.count() ? null : box();
    if (!now) return;
    position.forEach((value, axis) => {
      now.low[axis] = Math.min(now.low[axis], value);
      now.high[axis] = Math.max(now.high[axis], value);
    });
  };
  const looking = (turn, up) => {
    follows = false;
    view.look(turn, up);
    change();
  };
  const project = position => {
    const [right, high, ahead] = view.seen(position), depth = view.far + ahead, side = FOCAL * canvas.clientHeight;
    return [canvas.clientWidth / 2 + right / depth * side, canvas.clientHeight / 2 - high / depth * side, depth];
  };
  const viewer = {
    view, box, project, change,
    count: () => count,
    wayLength: () => way.length,
    add(bytes) {
      const added = Math.min(options.capacity, Math.floor(bytes.byteLength / 20));
      if (!added) return;
      const first = Math.min(added, options.capacity - next);
      gl.bindBuffer(gl.ARRAY_BUFFER, points.buffer);
      for (const [from, to, size] of [[0, next, first], [first, 0, added - first]]) {
        if (!size) continue;
        const part = new Uint8Array(bytes, 20 * from, 20 * size);
        gl.bufferSubData(gl.ARRAY_BUFFER, 20 * to, part);
        heldBytes.set(part, 20 * to);
      }
      next = (next + added) % options.capacity;
      count = Math.min(options.capacity, count + added);
      growing();
    },
    mesh(name, bytes, indexes) {
      const fits = meshes.set(name, bytes, indexes);
      growing();
      return fits;
    },
    clearMeshes(start) {
      meshes.clear(start);
      grown();
    },
    triangles: meshes.count,
    toggleBacks() {
      meshes.toggleBacks();
      change();
    },
    clear(keepsWay) {
      count = next = 0;
      if (!keepsWay) [way, camera, place] = [[], null, null];
      grown();
    },
    whole(bytes, steps, metres) {
      whole = { held: new Float32Array(bytes), count: Math.floor(bytes.byteLength / 20), way: steps, metres };
      gl.bindBuffer(gl.ARRAY_BUFFER, dimmed.buffer);
      gl.bufferData(gl.ARRAY_BUFFER, bytes, gl.STATIC_DRAW);
      grown();
    },
    way(list) {
      way = list;
      grown();
    },
    step(position, jumps) {
      const last = way[way.length - 1];
      place = position;
      if (jumps) way.push(Object.assign([...position], { jumps }));
      else if (!last || Math.hypot(...position.map((value, axis) => value - last[axis])) > 0.01) way.push(position);
      if (way.length > 200000) way = way.filter((step, index) => step.jumps || index % 2 === 0);
      stretch(position);
      lined();
    },
    cameras(list) {
      frusta = list;
      lined();
    },
    camera(pose) {
      camera = pose;
      lined();
    },
    fit: () => looking(view.turn, view.up),
    top: () => looking(0, 1.57),
    front: () => looking(options.start.turn, 0.05),
    home() {
      isCut = true;
      looking(options.start.turn, options.start.up);
    },
    isFollowing: () => follows,
    follow(yes = !follows) {
      follows = yes;
      change();
    },
    /// Turns the first view, and every one that begins anew.
    face(turn) { view.turn = options.start.turn = turn; },
    size(factor) {
      larger = Math.max(0.3, Math.min(8, larger * factor));
      change();
    },
    colour(name) {
      mode = Math.max(0, ["image", "height", "confidence", "time"].indexOf(name));
      change();
    },
    toggleCut() {
      isCut = !isCut;
      grown();
    },
    pick(x, y) {
      let best = null, nearest = Infinity;
      for (const lists of [played(), [whole.held]]) {
        sample(lists, 150000, (list, at) => {
          const position = list.subarray(at, at + 3), [px, py, depth] = project(position), off = Math.hypot(px - x, py - y);
          // What is in front wins over what is a little nearer to the pointer.
          if (depth < 0.05 || off > 24 || depth * (1 + off / 24) >= nearest) return;
          nearest = depth * (1 + off / 24);
          best = [...position];
        });
      }
      return best;
    },
  };
  addHands(canvas, viewer, { ...options, keys: options.keys ? options.keys(viewer) : {} });
  new ResizeObserver(() => draw(false)).observe(canvas);
  return viewer;
};
