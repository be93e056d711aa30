/** The types of an Apple icon that hold PNG, with their size in pixels; several are "@2x" of another. */
const types = [
  ['ic11', 32],
  ['ic12', 64],
  ['ic07', 128],
  ['ic13', 256],
  ['ic08', 256],
  ['ic14', 512],
  ['ic09', 512],
  ['ic10', 1024],
];

/** An Apple icon from pictures by size: `icns`, the whole length, then type, length and PNG of each. */
export function icns(pictures) {
  const parts = types.map(([type, size]) => {
    const bytes = pictures.get(size);
    return Buffer.concat([Buffer.from(type, 'ascii'), length(bytes.length + 8), bytes]);
  });
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from('icns', 'ascii'), length(body.length + 8), body]);
}

function length(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
