// The cloud of a report, shown after everything else is on the screen.
requestAnimationFrame(() => setTimeout(() => {
  const view = document.getElementById("view"), canvas = document.getElementById("turn");
  const block = document.getElementById("points");
  if (!view || !canvas || !block) return;
  const decoded = text => {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    const characters = atob(text), bytes = new Uint8Array(characters.length);
    for (let index = 0; index < bytes.length; index++) bytes[index] = characters.charCodeAt(index);
    return bytes;
  };
  // Eight bytes a point: x, y and z in parts of a cube, and the colour in 5, 6 and 5 bits.
  const unpacked = (bytes, count, size) => {
    const values = new Uint16Array(bytes.buffer, bytes.byteOffset, 4 * count);
    const places = new Float32Array(5 * count), colours = new Uint8Array(places.buffer);
    for (let index = 0; index < count; index++) {
      for (let axis = 0; axis < 3; axis++) {
        places[5 * index + axis] = (values[4 * index + axis] / 65535 - 0.5) * size;
      }
      const colour = values[4 * index + 3];
      colours[20 * index + 12] = ((colour >> 11) * 255) / 31;
      colours[20 * index + 13] = ((colour >> 5 & 63) * 255) / 63;
      colours[20 * index + 14] = ((colour & 31) * 255) / 31;
      colours[20 * index + 15] = 255;
    }
    return places.buffer;
  };
  const data = canvas.dataset, count = +data.count;
  const viewer = makeViewer(canvas, {
    start: { turn: +data.turn, up: +data.up },
    capacity: count,
    pointMetres: 0.02,
    cut: +data.cut,
    scrolls: true,
    partCount: 60000,
    keys: made => ({ c: made.toggleCut }),
    drawn: isPart => { data.drawn = isPart ? "part" : "all"; },
  });
  if (!viewer) return;
  view.classList.add("live");
  viewer.add(unpacked(decoded(block.textContent), count, +data.size));
}));
