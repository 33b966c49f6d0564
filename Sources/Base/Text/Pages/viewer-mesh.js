// Triangles of a viewer, in parts that come, change and go by name. Corners are vertices as those of points; where there are no
// indexes, three after each other are a triangle. Sides are told by the order of corners: the back of a surface is what nobody saw,
// and is left out, so that one looks into a room from outside.
"use strict";

/// The most corners and indexes that all parts may have.
const MOST_CORNERS = 12000000;

// `vertices` makes an array of vertices and the buffer behind it.
const makeMeshes = (gl, vertices) => {
  const parts = new Map();
  let size = 0, backs = false;
  const remove = name => {
    const part = parts.get(name);
    if (!part) return;
    gl.deleteVertexArray(part.array);
    for (const buffer of [part.buffer, part.indexes]) if (buffer) gl.deleteBuffer(buffer);
    size -= part.size;
    parts.delete(name);
  };
  return {
    /// Sets a part from vertices and, if given, indexes (a Uint32Array, each of a vertex that is there); false where there is no
    /// room for it.
    set(name, bytes, indexes) {
      remove(name);
      const held = new Float32Array(bytes), added = held.length / 5 + (indexes ? indexes.length : 0);
      if (size + added > MOST_CORNERS || parts.size >= 20000) return false;
      const part = { ...vertices(), held, size: added, corners: indexes ? indexes.length : held.length / 5, indexes: null };
      gl.bufferData(gl.ARRAY_BUFFER, held, gl.STATIC_DRAW);
      if (indexes) {
        part.indexes = gl.createBuffer();
        gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, part.indexes);
        gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indexes, gl.STATIC_DRAW);
      }
      gl.bindVertexArray(null);
      parts.set(name, part);
      size += added;
      return true;
    },
    /// Removes all parts whose names begin like this.
    clear(start = "") { for (const name of [...parts.keys()]) if (name.startsWith(start)) remove(name); },
    toggleBacks() { backs = !backs; },
    count: () => [...parts.values()].reduce((sum, part) => sum + Math.floor(part.corners / 3), 0),
    /// The vertices of each part, five numbers each.
    held: () => [...parts.values()].map(part => part.held),
    draw() {
      if (!backs) gl.enable(gl.CULL_FACE);
      for (const part of parts.values()) {
        gl.bindVertexArray(part.array);
        if (part.indexes) gl.drawElements(gl.TRIANGLES, part.corners, gl.UNSIGNED_INT, 0);
        else gl.drawArrays(gl.TRIANGLES, 0, part.corners);
      }
      gl.disable(gl.CULL_FACE);
    },
  };
};
