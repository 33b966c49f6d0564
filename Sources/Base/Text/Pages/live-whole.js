// The whole of what is played, dimmed behind what was played so far: its way, its fixes and points of it, as the server tells when it
// has made more of them.
"use strict";

const SCENE = "/mapeverything/scene";

const whole = (() => {
  const none = { t: [0, 0, 0], q: [0, 0, 0, 1] };
  let told = null, steps = [], shownIn = null, problem = "";
  const moved = (buffer, at) => {
    const list = new Float32Array(buffer);
    for (let index = 0; index < list.length; index += 5) {
      list.set(turned(at.q, [...list.subarray(index, index + 3)]).map((value, axis) => value + at.t[axis]), index);
    }
  };
  const show = () => {
    const at = place(told.frame), from = at || none, whole = { t: from.t, q: times(from.q, told.turn || none.q) };
    shownIn = at && world.fixed;
    const { buffer } = unpackedPoints(told.points, told), isMoved = Math.hypot(...whole.t, ...whole.q.slice(0, 3)) > 1e-6;
    if (isMoved) moved(buffer, whole);
    const way = steps.map(step => turned(whole.q, step.t).map((value, axis) => value + whole.t[axis]));
    scene.whole(buffer, way, Math.min(0.3, told.metres));
    panels.whole(told.fixes, steps.map((step, index) => [step.time + told.offset, way[index]]));
    Object.assign($("map").dataset, { whole: told.count, wholeway: way.length });
  };
  return {
    take(value) {
      if (value.problem) return void (problem = `Only what was played is shown: ${value.problem}`);
      told = value;
      steps = unpackedWay(told.way);
      show();
    },
    /// Where transforms have come since that say where it lies.
    place() { if (told && shownIn !== world.fixed && place(told.frame)) show(); },
    problem: () => problem,
    clear() {
      [told, steps, problem] = [null, [], ""];
      scene.whole(new ArrayBuffer(0), [], 0.05);
    },
  };
})();
