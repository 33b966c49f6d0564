// Points and ways as both pages get them from the program, in base64, little endian.
"use strict";

const decoded = text => {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const characters = atob(text), bytes = new Uint8Array(characters.length);
  for (let index = 0; index < bytes.length; index++) bytes[index] = characters.charCodeAt(index);
  return bytes;
};

/// The places of a way: 20 bytes each are the time, x, y and z as floats, and what turns optical axes into those of the map.
const unpackedWay = text => {
  const bytes = decoded(text), data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), way = [];
  for (let at = 0; at + 20 <= bytes.length; at += 20) {
    const q = [16, 17, 18, 19].map(place => data.getInt8(at + place)), size = Math.hypot(...q) || 1;
    way.push({
      time: data.getFloat32(at, true), t: [4, 8, 12].map(place => data.getFloat32(at + place, true)), q: q.map(part => part / size),
    });
  }
  return way;
};

/// Vertices of a viewer: eight bytes a point are x, y and z in parts of a cube, and the colour in 5, 6 and 5 bits; then a byte of
/// each has its confidence in two bits and its time in six, in parts of `seconds`.
const unpackedPoints = (text, { count, centre, size, seconds }) => {
  const bytes = decoded(text), packed = new Uint16Array(bytes.buffer, bytes.byteOffset, 4 * count);
  const places = new Float32Array(5 * count), colours = new Uint8Array(places.buffer);
  let isConfident = false;
  for (let index = 0; index < count; index++) {
    for (let axis = 0; axis < 3; axis++) {
      places[5 * index + axis] = (packed[4 * index + axis] / 65535 - 0.5) * size + centre[axis];
    }
    const colour = packed[4 * index + 3], tag = bytes[8 * count + index];
    colours[20 * index + 12] = (colour >> 11) * 255 / 31;
    colours[20 * index + 13] = (colour >> 5 & 63) * 255 / 63;
    colours[20 * index + 14] = (colour & 31) * 255 / 31;
    colours[20 * index + 15] = tag >> 6 === 3 ? 255 : tag >> 6;
    isConfident = isConfident || tag >> 6 < 3;
    places[5 * index + 4] = ((tag & 63) + 0.5) / 64 * seconds;
  }
  return { buffer: places.buffer, isConfident };
};
