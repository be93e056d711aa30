/** Bytes as text: UTF-8, or one character a byte where they are none. */
export function textOf(bytes: Uint8Array): string {
  let escaped = '';
  let plain = '';
  for (const byte of bytes) {
    escaped += `%${byte.toString(16).padStart(2, '0')}`;
    plain += String.fromCharCode(byte);
  }
  try {
    return decodeURIComponent(escaped);
  } catch {
    return plain;
  }
}
