/** One setting of a file as git reads it; the key in full, section and name in lower case. */
export interface Setting {
  readonly key: string;
  readonly value: string;
}

/**
 * The settings in a git configuration file, or null where git itself would not read it to the end.
 * Git takes several headers on one line, values that go on behind a backslash, and quotes; all of
 * it is read here the same way, because a setting that is overlooked may name a program.
 */
export function readSettings(text: string): readonly Setting[] | null {
  const settings: Setting[] = [];
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text;
  let section: string | null = null;
  let at = 0;
  while (at < source.length) {
    const rest = source.slice(at, at + 4096);
    const skipped = /^(?:\s+|[#;][^\n]*)/.exec(rest)?.[0];
    if (skipped !== undefined) {
      at += skipped.length;
      continue;
    }
    const header = /^\[([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\\n]|\\.)*)")?\]/.exec(rest);
    if (header !== null) {
      const [whole, name = '', sub] = header;
      section =
        sub === undefined
          ? name.toLowerCase()
          : `${name.toLowerCase()}.${sub.replaceAll(/\\(.)/g, '$1')}`;
      at += whole.length;
      continue;
    }
    const name = /^[A-Za-z][A-Za-z0-9-]*/.exec(rest)?.[0];
    if (name === undefined || section === null) return null;
    at += name.length;
    const value = readValue(source, at);
    if (value === null) return null;
    settings.push({ key: `${section}.${name.toLowerCase()}`, value: value.text });
    at = value.end;
  }
  return settings;
}

/** What stands behind a name up to the end of the line; a name alone means true. */
function readValue(source: string, start: number): { text: string; end: number } | null {
  let at = start;
  while (source[at] === ' ' || source[at] === '\t') at++;
  if (at >= source.length) return { text: 'true', end: at };
  if (source[at] === '\n' || source[at] === '\r') return { text: 'true', end: at };
  if (source[at] !== '=') return null;
  let text = '';
  let quoted = false;
  for (at++; at < source.length; at++) {
    const char = source[at] ?? '';
    if (char === '\n') break;
    if (char === '\\') {
      at++;
      if (source[at] === '\r' && source[at + 1] === '\n') at++;
      else if (source[at] !== '\n') text += source[at] ?? '';
    } else if (char === '"') quoted = !quoted;
    else if (!quoted && (char === '#' || char === ';')) {
      const line = source.indexOf('\n', at);
      at = line === -1 ? source.length : line;
      break;
    } else text += char;
  }
  return quoted ? null : { text: text.trim(), end: at };
}
