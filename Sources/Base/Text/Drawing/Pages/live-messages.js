// The messages that the live page shows: `show` has a function for each type, `reader` reads CDR.
const $ = id => document.getElementById(id);
const scene = (canvas => {
  const viewer = makeViewer(canvas, {
    start: { turn: 0.7, up: 0.5 },
    capacity: 800000,
    pointMetres: 0.03,
    keys: made => ({ f: () => made.follow(), x: made.clear }),
    drawn() {
      canvas.dataset.points = scene.count();
      canvas.dataset.way = scene.wayLength();
    },
  });
  const nothing = { works: false, count: () => 0, wayLength: () => 0, add() {}, step() {}, clear() {}, face() {} };
  return viewer ? { works: true, ...viewer } : nothing;
})($("map"));
let isFaced = false;
const T = "tf2_msgs/msg/TFMessage",
  P = "geometry_msgs/msg/PoseStamped",
  O = "nav_msgs/msg/Odometry",
  C = "sensor_msgs/msg/PointCloud2",
  I = "sensor_msgs/msg/CompressedImage";
let tree = new Map(),
  fixed = "map",
  jumps = true;
// CDR, little endian (OMG DDS-XTypes 7.4.3): alignment counts from behind the four bytes of its header.
const reader = data => {
  let at = 4;
  const v = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const align = n => { at += (n - (at - 4) % n) % n; };
  const r = {
    u8: () => v.getUint8(at++),
    u32() {
      align(4);
      at += 4;
      return v.getUint32(at - 4, true);
    },
    f64() {
      align(8);
      at += 8;
      return v.getFloat64(at - 8, true);
    },
    bytes() {
      const n = r.u32();
      at += n;
      return data.subarray(at - n, at);
    },
    text: () => new TextDecoder().decode(r.bytes().slice(0, -1)),
    header() {
      r.u32();
      r.u32();
      return r.text();
    },
    vector: () => [r.f64(), r.f64(), r.f64()],
    quaternion: () => [r.f64(), r.f64(), r.f64(), r.f64()]
  };
  return r;
};
const times = (q, p) => [
  q[3] * p[0] + q[0] * p[3] + q[1] * p[2] - q[2] * p[1],
  q[3] * p[1] - q[0] * p[2] + q[1] * p[3] + q[2] * p[0],
  q[3] * p[2] + q[0] * p[1] - q[1] * p[0] + q[2] * p[3],
  q[3] * p[3] - q[0] * p[0] - q[1] * p[1] - q[2] * p[2],
];
// From a frame into the fixed one; null where the tree does not lead there.
const place = frame => {
  let t = [0, 0, 0],
    q = [0, 0, 0, 1],
    name = frame;
  for (let n = 0; n < 50; n++) {
    if (name === fixed) return { t, q };
    const up = tree.get(name);
    if (!up) return null;
    t = turned(up.q, t).map((x, i) => x + up.t[i]);
    q = times(up.q, q);
    name = up.parent;
  }
  return null;
};
const show = {
  [T](r) {
    for (let n = r.u32(); n > 0; n--) {
      const parent = r.header(), child = r.text();
      tree.set(child, { parent, t: r.vector(), q: r.quaternion() });
    }
  },
  [P](r) { step(r.header(), r); },
  [O](r) {
    const frame = r.header();
    r.text();
    step(frame, r);
  },
  [I](r) {
    const frame = r.header(), kind = r.text();
    if (/compressedDepth/.test(kind)) return;
    const image = $("image"), old = image.src;
    image.src = URL.createObjectURL(new Blob([r.bytes()]));
    image.alt = "Image of " + frame;
    image.hidden = false;
    $("noimage").hidden = true;
    if (old.startsWith("blob:")) setTimeout(() => URL.revokeObjectURL(old), 500);
    // Upright by gravity: the world's up as it lies in the optical frame.
    const at = place(frame);
    let turn = 0;
    if (at) {
      const [x, y] = turned([-at.q[0], -at.q[1], -at.q[2], at.q[3]], [0, 0, 1]);
      turn = Math.abs(y) >= Math.abs(x) ? (y < 0 ? 0 : 180) : (x > 0 ? -90 : 90);
    }
    image.style.transform = turn ? `rotate(${turn}deg)` : "";
  },
  [C](r) {
    const at = place(r.header());
    if (!at) return;
    const n = r.u32() * r.u32(), f = {};
    for (let k = r.u32(); k > 0; k--) {
      const name = r.text(), offset = r.u32(), type = r.u8();
      r.u32();
      f[name] = { offset, type };
    }
    const big = r.u8(), step = r.u32();
    r.u32();
    const data = r.bytes();
    if (big || !f.x || !f.y || !f.z || f.x.type !== 7 || step < 12) return;
    const v = new DataView(data.buffer, data.byteOffset, data.byteLength), every = Math.max(1, Math.ceil(n / 60000));
    const out = new DataView(new ArrayBuffer(20 * Math.ceil(n / every)));
    let m = 0;
    for (let i = 0; i < n; i += every) {
      const o = i * step;
      if (o + step > data.byteLength) break;
      const p = [f.x, f.y, f.z].map(field => v.getFloat32(o + field.offset, true));
      if (!isFinite(p[0] + p[1] + p[2])) continue;
      const w = turned(at.q, p);
      for (let k = 0; k < 3; k++) out.setFloat32(20 * m + 4 * k, w[k] + at.t[k], true);
      const rgb = f.rgb ? v.getUint32(o + f.rgb.offset, true) : 0xb0b0b0;
      out.setUint8(20 * m + 12, rgb >> 16 & 255);
      out.setUint8(20 * m + 13, rgb >> 8 & 255);
      out.setUint8(20 * m + 14, rgb & 255);
      out.setUint8(20 * m + 15, 255);
      m++;
    }
    scene.add(out.buffer.slice(0, 20 * m));
  }
};
const step = (frame, r) => {
  const p = r.vector(), q = r.quaternion();
  if (!tree.size) fixed = frame;
  const at = place(frame);
  // A body looks along its x axis (REP-103).
  if (!at) return;
  const ahead = turned(times(at.q, q), [1, 0, 0]);
  if (!isFaced) scene.face(Math.atan2(ahead[0], ahead[1]));
  isFaced = true;
  scene.step(turned(at.q, p).map((x, i) => x + at.t[i]), jumps);
  jumps = false;
};
