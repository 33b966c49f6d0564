// Where a viewer looks from: at a point `at`, turned about the vertical by `turn` and up from the ground by `up`, from the
// distance `far`; metres and radians, z is up. Every change keeps the scene in view: while all of its box is seen, all of it
// stays so, and after coming nearer the middle of the view is a place within the box.
"use strict";

/// The focal length in heights of the view, and the share of the view that a fitted box fills.
const FOCAL = 1.1, FILLED = 0.94;

/// A vector turned by a quaternion (x, y, z, w).
const turned = (q, p) => {
  const [x, y, z, w] = q, [a, b, c] = p;
  const i = 2 * (y * c - z * b), j = 2 * (z * a - x * c), k = 2 * (x * b - y * a);
  return [a + w * i + y * k - z * j, b + w * j + z * i - x * k, c + w * k + x * j - y * i];
};

// `start` has turn and up, `box` gives {low, high} of what is there or null, `aspect` the width of the view by its height.
const makeView = (start, box, aspect) => {
  const view = { turn: start.turn, up: start.up, far: 5, at: [0, 0, 0], whole: true, touched: false };
  const clamp = (value, low, high) => Math.max(low, Math.min(high, value));
  // To the right, up and ahead of the point in the middle, and back.
  view.seen = p => {
    const x = p[0] - view.at[0], y = p[1] - view.at[1], z = p[2] - view.at[2];
    const ahead = x * Math.sin(view.turn) + y * Math.cos(view.turn), su = Math.sin(view.up), cu = Math.cos(view.up);
    return [x * Math.cos(view.turn) - y * Math.sin(view.turn), z * cu + ahead * su, ahead * cu - z * su];
  };
  view.offset = ([right, high, ahead]) => {
    const su = Math.sin(view.up), cu = Math.cos(view.up), level = high * su + ahead * cu;
    const st = Math.sin(view.turn), ct = Math.cos(view.turn);
    return [right * ct + level * st, level * ct - right * st, high * cu - ahead * su];
  };
  const shift = by => { view.at = view.at.map((value, axis) => value + by[axis]); };
  // What holds the box: the least distance, and between which places along both sides of the view its middle may be then.
  const room = () => {
    const { low, high } = box(), scale = [2 * FOCAL / aspect(), 2 * FOCAL];
    const most = [-Infinity, -Infinity], least = [-Infinity, -Infinity];
    let nearest = Infinity;
    for (let corner = 0; corner < 8; corner++) {
      const place = view.seen([0, 1, 2].map(axis => (corner >> axis & 1 ? high : low)[axis]));
      for (const side of [0, 1]) {
        most[side] = Math.max(most[side], place[side] * scale[side] - FILLED * place[2]);
        least[side] = Math.max(least[side], -place[side] * scale[side] - FILLED * place[2]);
      }
      nearest = Math.min(nearest, place[2]);
    }
    const needed = [0, 1].map(side => (most[side] + least[side]) / (2 * FILLED));
    return {
      far: Math.max(...needed, 0.1 - nearest),
      middle: side => (most[side] - least[side]) / (2 * scale[side]),
      from: side => (most[side] - FILLED * view.far) / scale[side],
      to: side => (FILLED * view.far - least[side]) / scale[side],
    };
  };
  view.fit = () => {
    if (!box()) return;
    const { low, high } = box();
    view.at = low.map((value, axis) => (value + high[axis]) / 2);
    const held = room();
    view.far = held.far;
    shift(view.offset([held.middle(0), held.middle(1), 0]));
    view.whole = true;
  };
  view.keep = () => {
    if (!box()) return;
    if (view.whole) {
      // The distance is that of the middle of the box, wherever hands have brought the point that was looked at.
      const { low, high } = box(), ahead = view.seen(low.map((value, axis) => (value + high[axis]) / 2))[2];
      shift(view.offset([0, 0, ahead]));
      view.far += ahead;
      const held = room();
      view.far = clamp(view.far, held.far, 3 * held.far);
      shift(view.offset([...[0, 1].map(side => clamp(0, held.from(side), held.to(side))), 0]));
    } else {
      const { low, high } = box();
      view.at = view.at.map((value, axis) => clamp(value, low[axis], high[axis]));
    }
  };
  /// Turns about a place, which stays where it is on the screen as far as the scene stays in view.
  view.orbit = (about, above, pivot = view.at) => {
    const there = view.seen(pivot);
    view.turn += about;
    view.up = clamp(view.up + above, -1.57, 1.57);
    view.at = view.offset(there).map((value, axis) => pivot[axis] - value);
    view.touched = true;
    view.keep();
  };
  view.zoom = (factor, pivot = view.at) => {
    const now = clamp(view.far * factor, 0.1, 1e5);
    view.at = view.at.map((value, axis) => pivot[axis] + (value - pivot[axis]) * now / view.far);
    view.far = now;
    if (box()) view.whole = now >= room().far;
    view.touched = true;
    view.keep();
  };
  /// Moves what is at a place by parts of the height of the view.
  view.pan = (right, down, pivot = view.at) => {
    const metres = Math.max(0.05, view.far + view.seen(pivot)[2]) / FOCAL;
    shift(view.offset([-right * metres, down * metres, 0]));
    view.touched = true;
    view.keep();
  };
  /// Looks from an angle, at everything.
  view.look = (turn, up) => {
    [view.turn, view.up, view.touched] = [turn, up, false];
    view.fit();
  };
  return view;
};
