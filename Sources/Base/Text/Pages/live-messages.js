// The messages that the live page shows: `show` has a function for each type, `reader` reads CDR.
"use strict";

const TYPES = {
  transforms: "tf2_msgs/msg/TFMessage",
  pose: "geometry_msgs/msg/PoseStamped",
  odometry: "nav_msgs/msg/Odometry",
  cloud: "sensor_msgs/msg/PointCloud2",
  picture: "sensor_msgs/msg/CompressedImage",
  raster: "sensor_msgs/msg/Image",
  camera: "sensor_msgs/msg/CameraInfo",
  imu: "sensor_msgs/msg/Imu",
  fix: "sensor_msgs/msg/NavSatFix",
  tags: "apriltag_msgs/msg/AprilTagDetectionArray",
  markers: "visualization_msgs/msg/MarkerArray",
  grid: "nav_msgs/msg/OccupancyGrid",
};

// CDR, little endian (OMG DDS-XTypes 7.4.3): alignment counts from behind the four bytes of its header.
const reader = data => {
  let at = 4;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const aligned = size => {
    at += (size - (at - 4) % size) % size + size;
    return at - size;
  };
  const numbers = (Kind, group) => {
    const count = group * r.u32(), size = Kind.BYTES_PER_ELEMENT;
    if (!count) return new Kind(0);
    const from = aligned(size);
    if (count * size > data.length - from) throw new RangeError("it is shorter than it says");
    at = from + count * size;
    return new Kind(data.slice(from, at).buffer);
  };
  const r = {
    u8: () => view.getUint8(at++),
    u16: () => view.getUint16(aligned(2), true),
    i32: () => view.getInt32(aligned(4), true),
    u32: () => view.getUint32(aligned(4), true),
    f32: () => view.getFloat32(aligned(4), true),
    f64: () => view.getFloat64(aligned(8), true),
    many: (count, one) => Array.from({ length: count }, one),
    /// A list of groups of so many numbers, one after the other.
    f64s: group => numbers(Float64Array, group),
    f32s: group => numbers(Float32Array, group),
    bytes() {
      const count = r.u32();
      if (count > data.length - at) throw new RangeError("it is shorter than it says");
      at += count;
      return data.subarray(at - count, at);
    },
    text: () => new TextDecoder().decode(r.bytes().slice(0, -1)),
    /// The frame; the stamp is that of the message.
    header() {
      r.u32();
      r.u32();
      return r.text();
    },
    vector: () => r.many(3, r.f64),
    quaternion: () => r.many(4, r.f64),
  };
  return r;
};

const times = (q, p) => [
  q[3] * p[0] + q[0] * p[3] + q[1] * p[2] - q[2] * p[1],
  q[3] * p[1] - q[0] * p[2] + q[1] * p[3] + q[2] * p[0],
  q[3] * p[2] + q[0] * p[1] - q[1] * p[0] + q[2] * p[3],
  q[3] * p[3] - q[0] * p[0] - q[1] * p[1] - q[2] * p[2],
];

/// 0xRRGGBB of parts of 1.
const rgb = (parts, at) => [0, 1, 2].reduce((sum, index) => sum * 256 + Math.round(255 * Math.max(0, Math.min(1, parts[at + index] || 0))), 0);

/// What is known of frames and cameras; `jumps` is true until a pose comes from another place.
const world = { tree: new Map(), fixed: "map", jumps: true, isFaced: false, wayTopic: null, before: null, unseen: null,
  cameras: new Map() };

// From a frame into the fixed one; null where the tree does not lead there.
const place = frame => {
  let t = [0, 0, 0], q = [0, 0, 0, 1], name = frame;
  for (let count = 0; count < 50; count++) {
    if (name === world.fixed) return { t, q };
    const up = world.tree.get(name);
    if (!up) return null;
    t = turned(up.q, t).map((value, axis) => value + up.t[axis]);
    q = times(up.q, q);
    name = up.parent;
  }
  return null;
};

/// Vertices of the viewer, from a function that gives each point to `put(x, y, z, 0xRRGGBB, confidence)`.
const vertices = (most, at, seconds, fill) => {
  const out = new DataView(new ArrayBuffer(20 * most)), [x, y, z, w] = at.q;
  const m = [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), 2 * (x * y + z * w), 1 - 2 * (x * x + z * z),
    2 * (y * z - x * w), 2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)];
  let count = 0;
  fill((a, b, c, rgb, confidence) => {
    if (!isFinite(a + b + c) || count >= most) return;
    const offset = 20 * count++;
    for (let axis = 0; axis < 3; axis++) {
      out.setFloat32(offset + 4 * axis, m[3 * axis] * a + m[3 * axis + 1] * b + m[3 * axis + 2] * c + at.t[axis], true);
    }
    // Red, green, blue, confidence.
    out.setUint32(offset + 12, (rgb & 0xffffff) * 256 + confidence);
    out.setFloat32(offset + 16, seconds, true);
  });
  return out.buffer.slice(0, 20 * count);
};

/// The image of a plan, from its least y: free is light, occupied is dark, unknown is clear. No side is longer than 4096 pixels:
/// several cells are one pixel then, occupied where one of them is.
const floorImage = (cells, width, height) => {
  const every = Math.ceil(Math.max(width, height) / 4096), image = new ImageData(Math.ceil(width / every), Math.ceil(height / every));
  const most = new Int8Array(image.width * image.height).fill(-1), values = new Int8Array(cells.buffer, cells.byteOffset, cells.length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = Math.floor(y / every) * image.width + Math.floor(x / every);
      most[at] = Math.max(most[at], values[y * width + x]);
    }
  }
  most.forEach((value, at) => {
    if (value < 0) return;
    const part = Math.min(1, value / 100);
    image.data.set([[222, 40], [226, 44], [230, 92]].map(([free, occupied]) => free + (occupied - free) * part).concat(255), 4 * at);
  });
  return image;
};

/// What to do with a message: the reader behind its header, its topic, its time in seconds.
const show = {
  [TYPES.transforms](r) {
    for (let count = r.u32(); count > 0; count--) {
      const parent = r.header(), child = r.text();
      world.tree.set(child, { parent, t: r.vector(), q: r.quaternion() });
    }
    fix();
  },
  [TYPES.pose](r, topic, seconds) { walk(topic, seconds, r.header(), r.vector(), r.quaternion()); },
  [TYPES.odometry](r, topic, seconds) {
    const frame = r.header();
    r.text();
    walk(topic, seconds, frame, r.vector(), r.quaternion());
  },
  [TYPES.camera](r) {
    const frame = r.header(), height = r.u32(), width = r.u32();
    r.text();
    r.many(r.u32(), r.f64);
    const k = r.many(9, r.f64);
    if (!(k[0] > 0 && k[4] > 0)) return;
    world.cameras.set(frame, [width / 2 / k[0], height / 2 / k[4]]);
    if (world.unseen?.frame === frame) look(frame, world.unseen.at, world.unseen.blob);
  },
  [TYPES.picture](r, topic) {
    const frame = r.header(), format = r.text(), bytes = r.bytes();
    if (/compressedDepth/.test(format)) return panels.packedDepth(topic, frame, bytes);
    const blob = new Blob([bytes]), at = place(frame);
    panels.picture(topic, frame, blob, upright(at));
    if (at) look(frame, at, blob);
  },
  [TYPES.raster](r, topic) {
    const frame = r.header(), height = r.u32(), width = r.u32(), encoding = r.text(), big = r.u8(), step = r.u32();
    panels.raster(topic, frame, { width, height, encoding, step, big }, r.bytes(), upright(place(frame)));
  },
  [TYPES.cloud](r, topic, seconds) {
    const at = place(r.header());
    if (!at) return;
    const count = r.u32() * r.u32(), fields = {};
    for (let left = r.u32(); left > 0; left--) {
      const name = r.text(), offset = r.u32(), type = r.u8();
      r.u32();
      fields[name] = { offset, type };
    }
    const big = r.u8(), step = r.u32();
    r.u32();
    const data = r.bytes(), { x, y, z, rgb, confidence } = fields;
    if (big || ![x, y, z].every(field => field && field.type === 7 && field.offset + 4 <= step)) return;
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength), most = Math.min(count, Math.floor(data.length / step));
    const sure = confidence && confidence.type === 7 && confidence.offset + 4 <= step;
    scene.add(topic, vertices(most, at, seconds, put => {
      for (let offset = 0; offset < most * step; offset += step) {
        put(view.getFloat32(offset + x.offset, true), view.getFloat32(offset + y.offset, true),
          view.getFloat32(offset + z.offset, true), rgb ? view.getUint32(offset + rgb.offset, true) : 0xb0b0b0,
          sure ? Math.round(2 * Math.min(1, view.getFloat32(offset + confidence.offset, true))) : 255);
      }
    }));
  },
  // Triangles of a map that grows: a list replaces the one of the same id.
  [TYPES.markers](r, topic, seconds) {
    for (let left = r.u32(); left > 0; left--) {
      const frame = r.header(), space = r.text(), id = r.i32();
      const type = r.i32(), action = r.i32(), own = { t: r.vector(), q: r.quaternion() };
      r.vector();
      const colour = r.many(4, r.f32);
      r.i32();
      r.u32();
      r.u8();
      const points = r.f64s(3), colours = r.f32s(4), count = points.length / 3;
      r.text();
      // Compressed textures, their coordinates, a text and a mesh of its own: none in a map.
      r.header();
      r.text();
      r.bytes();
      r.many(r.u32(), () => [r.f32(), r.f32()]);
      r.text();
      r.text();
      r.text();
      r.bytes();
      r.u8();
      const at = place(frame);
      const part = `${space} ${id}`;
      if (action === 3) scene.remove(topic);
      if (action === 2) scene.removeMesh(topic, part);
      if (!at || action !== 0 || type !== 11) continue;
      const whole = { t: turned(at.q, own.t).map((value, axis) => value + at.t[axis]), q: times(at.q, own.q) };
      const tints = colours.length >= 4 * count ? colours : null, one = rgb(colour, 0);
      scene.mesh(topic, part, vertices(count, whole, seconds, put => {
        for (let first = 0; first + 2 < count; first += 3) {
          if (!points.subarray(3 * first, 3 * first + 9).every(isFinite)) continue;
          for (let index = first; index < first + 3; index++) {
            put(points[3 * index], points[3 * index + 1], points[3 * index + 2], tints ? rgb(tints, 4 * index) : one, 255);
          }
        }
      }));
    }
  },
  // A map of the floor: 0 is free, 100 is occupied, -1 is not known.
  [TYPES.grid](r, topic) {
    const at = place(r.header());
    r.u32();
    r.u32();
    const metres = r.f32(), width = r.u32(), height = r.u32(), own = { t: r.vector(), q: r.quaternion() }, cells = r.bytes();
    if (cells.length !== width * height) throw new RangeError("it has other cells than it says");
    if (!at || !cells.length) return;
    const corner = [[0, 0], [0, 1], [1, 0], [1, 1]].map(([x, y]) => {
      const inner = turned(own.q, [x * width * metres, y * height * metres, 0]).map((value, axis) => value + own.t[axis]);
      return turned(at.q, inner).map((value, axis) => value + at.t[axis]);
    });
    scene.plan(topic, floorImage(cells, width, height), corner);
  },
  [TYPES.imu](r, topic, seconds) {
    r.header();
    r.many(13, r.f64);
    const rate = Math.hypot(...r.vector());
    r.many(9, r.f64);
    panels.strip(topic, "|f|", "m/s\u00b2", seconds, Math.hypot(...r.vector()), 9.81);
    panels.strip(topic, "turn rate", "rad/s", seconds, rate);
  },
  [TYPES.fix](r, topic, seconds) {
    r.header();
    const status = r.u8();
    r.u16();
    const [latitude, longitude] = [r.f64(), r.f64()];
    r.f64();
    const error = Math.sqrt(r.f64());
    if (status < 128) panels.fix(topic, seconds, latitude, longitude, error);
  },
  [TYPES.tags](r, topic) {
    r.header();
    panels.tags(topic, r.many(r.u32(), () => {
      const family = r.text(), id = r.i32();
      r.i32();
      r.f32();
      r.f32();
      r.many(2, r.f64);
      const corners = r.many(4, () => [r.f64(), r.f64()]);
      r.many(9, r.f64);
      return { family, id, corners };
    }));
  },
};

// All is shown in `map` where the tree has it, as the Earth is too large; else in what is above all else.
const fix = () => {
  const before = world.fixed;
  for (let count = 0; count < 50 && world.fixed !== "map" && world.tree.has(world.fixed); count++) {
    world.fixed = world.tree.get(world.fixed).parent;
  }
  if (world.fixed !== before) scene.clear();
};

// An image may come before the camera that took it is described.
const look = (frame, at, blob) => {
  const tan = world.cameras.get(frame);
  world.unseen = tan ? null : { frame, at, blob };
  if (tan) scene.camera({ ...at, tan }, blob);
};

// A camera is turned upright by gravity: the world's up as it lies in the optical frame. In degrees.
const upright = at => {
  if (!at) return 0;
  const [x, y] = turned([-at.q[0], -at.q[1], -at.q[2], at.q[3]], [0, 0, 1]);
  return Math.abs(y) >= Math.abs(x) ? y < 0 ? 0 : 180 : x > 0 ? -90 : 90;
};

// One topic is the way; others give only strips.
const walk = (topic, seconds, frame, t, q) => {
  if (topic !== world.wayTopic) return;
  if (!world.tree.size) world.fixed = frame;
  const at = place(frame);
  if (!at) return;
  // A body looks along its x axis (REP-103).
  const ahead = turned(times(at.q, q), [1, 0, 0]);
  if (!world.isFaced) scene.face(Math.atan2(ahead[0], ahead[1]));
  world.isFaced = true;
  const now = turned(at.q, t).map((value, axis) => value + at.t[axis]);
  scene.step(now, world.jumps);
  panels.strip(topic, "height", "m", seconds, now[2]);
  // Over a quarter of a second, so that the jitter of a place does not count as speed.
  const since = world.before ? seconds - world.before.seconds : 0;
  if (since >= 0.25 && since < 2) {
    panels.strip(topic, "speed", "m/s", seconds, Math.hypot(...now.map((value, axis) => value - world.before.now[axis])) / since);
  }
  if (!world.before || since >= 0.25 || since < 0) world.before = { seconds, now };
  world.jumps = false;
};
