// What mouse, fingers and keys do to a viewer, and its buttons. A mouse turns about the point under it; with shift, or by another
// button, it moves the scene. Two fingers come nearer and turn, three move; one finger turns where the page has nothing to scroll.
"use strict";

const addHands = (canvas, viewer, options) => {
  const { view, change } = viewer;
  let last = null, pivot = null, spread = 0;
  const begin = (x, y) => {
    last = [x, y];
    pivot = viewer.pick(x, y) || view.at;
  };
  const drag = (x, y, moves) => {
    const [right, down] = [x - last[0], y - last[1]];
    last = [x, y];
    if (moves) view.pan(right / canvas.clientHeight, down / canvas.clientHeight, pivot);
    else view.orbit(right * 0.006, down * 0.006, pivot);
    change();
  };
  const place = event => {
    const corner = canvas.getBoundingClientRect();
    return [event.clientX - corner.left, event.clientY - corner.top];
  };
  canvas.addEventListener("pointerdown", event => {
    if (event.pointerType === "touch") return;
    canvas.setPointerCapture(event.pointerId);
    begin(...place(event));
  });
  canvas.addEventListener("pointermove", event => {
    if (event.pointerType !== "touch" && event.buttons && last) drag(...place(event), event.shiftKey || event.buttons > 1);
  });
  canvas.addEventListener("pointerup", () => { last = null; });
  canvas.addEventListener("contextmenu", event => event.preventDefault());
  canvas.addEventListener("wheel", event => {
    if (options.scrolls && document.activeElement !== canvas && !event.ctrlKey) return;
    event.preventDefault();
    view.zoom(Math.exp(event.deltaY * (event.deltaMode ? 0.03 : 0.001)), viewer.pick(...place(event)) || view.at);
    change();
  }, { passive: false });
  // Touches and not pointers: only these can leave one finger to the page and keep two from it.
  const middle = touches => {
    const places = [...touches].map(place);
    return [0, 1].map(axis => places.reduce((sum, one) => sum + one[axis], 0) / places.length);
  };
  const apart = touches => touches.length < 2 ? 0 : Math.hypot(
    touches[0].clientX - touches[1].clientX, touches[0].clientY - touches[1].clientY);
  const fingers = event => {
    const isOurs = event.touches.length > (options.scrolls ? 1 : 0);
    if (isOurs && event.cancelable) event.preventDefault();
    return isOurs;
  };
  for (const name of ["touchstart", "touchend", "touchcancel"]) {
    canvas.addEventListener(name, event => {
      last = null;
      if (!event.touches.length || !fingers(event)) return;
      begin(...middle(event.touches));
      spread = apart(event.touches);
    }, { passive: false });
  }
  canvas.addEventListener("touchmove", event => {
    if (!fingers(event) || !last) return;
    const now = apart(event.touches);
    if (spread && now) view.zoom(spread / now, pivot);
    spread = now;
    drag(...middle(event.touches), event.touches.length > 2);
  }, { passive: false });
  const doing = action => () => {
    action();
    change();
  };
  const keys = {
    ArrowLeft: doing(() => view.orbit(-0.1, 0)),
    ArrowRight: doing(() => view.orbit(0.1, 0)),
    ArrowUp: doing(() => view.orbit(0, 0.1)),
    ArrowDown: doing(() => view.orbit(0, -0.1)),
    "+": doing(() => view.zoom(0.85)),
    "=": doing(() => view.zoom(0.85)),
    "-": doing(() => view.zoom(1.18)),
    "0": viewer.home,
    t: viewer.top,
    ...options.keys,
  };
  canvas.addEventListener("keydown", event => {
    const key = event.ctrlKey || event.metaKey || event.altKey ? null : keys[event.key];
    if (!key) return;
    event.preventDefault();
    key();
  });
};

/// Buttons of a viewer, into an element that is a toolbar.
const addTools = (element, viewer, colours) => {
  const button = (text, name, action) => {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.title = name;
    if (text.length < 2) made.setAttribute("aria-label", name);
    made.addEventListener("click", action);
    element.append(made);
  };
  button("Fit", "Everything in view", viewer.fit);
  button("Top", "From above", viewer.top);
  button("Front", "From the side", viewer.front);
  button("\u2212", "Smaller points", () => viewer.size(1 / 1.4));
  button("+", "Larger points", () => viewer.size(1.4));
  const label = document.createElement("label"), select = document.createElement("select");
  for (const colour of colours) select.add(new Option(colour, colour));
  select.addEventListener("change", () => viewer.colour(select.value));
  label.append("Colour ", select);
  const scale = document.createElement("span");
  scale.className = "scale";
  viewer.scaled = metres => { scale.textContent = `grid ${metres >= 1000 ? metres / 1000 + " km" : metres + " m"}`; };
  element.append(label, scale);
};
