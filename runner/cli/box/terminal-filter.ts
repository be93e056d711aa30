/** Left out are questions whose answers hold what somebody chose or what the screen shows. */
const finals = new Set('@ABCDEFGHIJKLMPSTXZ`abcdefghlmnrsu');
/** Wheel and mouse, pasting, focus, the other screen, the cursor, and when to draw. */
const modes = new Set(
  '1 6 7 12 25 45 47 66 1000 1002 1003 1004 1005 1006 1007 1015 1047 1048 1049 2004 2026'.split(
    ' ',
  ),
);
/** On in a terminal that nobody changed. */
const usuallyOn = new Set(['7', '25']);
/** Cursor kept and fetched, lines up and down, tabs, keypad. */
const escapes = new Set('78DEMH=>');
const charsets = new Set('()*+');
const longest = 128;

type State = 'text' | 'escape' | 'charset' | 'control' | 'string' | 'string-escape' | 'ignored';

/**
 * What a program of a box may do with the terminal of a person: draw, and nothing else. The terminal's
 * programs are the box's, tmux among them, so all of what comes is as hostile as the box is. Sequences
 * are those of ECMA-48 and of xterm's `ctlseqs`; what is not known here to be harmless is left out.
 * A filter is for one terminal, from its first byte on.
 */
export class TerminalFilter {
  /** What takes back each way in which the terminal differs from before. */
  readonly #changed = new Map<string, string>();
  #state: State = 'text';
  /** A sequence, as far as it has come. */
  #held = '';
  /** A character of several bytes, as far as it has come. */
  #begun: number[] = [];
  #out: number[] = [];

  /** What of this may be shown. A sequence that is cut is kept until its rest comes. */
  take(chunk: Uint8Array): Buffer {
    this.#out = [];
    for (const byte of chunk) this.#step(byte);
    return Buffer.from(this.#out);
  }

  /** What takes back the ways in which the terminal still differs from before. */
  end(): string {
    return [...this.#changed.values()].join('');
  }

  #step(byte: number): void {
    switch (this.#state) {
      case 'text':
        return this.#text(byte);
      case 'escape':
        return this.#escape(byte);
      case 'charset':
        return this.#charset(byte);
      case 'control':
        return this.#control(byte);
      case 'ignored':
        if (byte >= 0x30) this.#state = 'text';
        else if (byte === 0x1b) this.#state = 'escape';
        return;
      case 'string':
        if (byte === 0x1b) this.#state = 'string-escape';
        else if (byte === 0x07 || byte === 0x18 || byte === 0x1a) this.#state = 'text';
        return;
      case 'string-escape':
        this.#state = 'text';
        // Anything but a backslash ends the string, too, and begins another sequence.
        if (byte !== 0x5c) this.#escape(byte);
    }
  }

  #text(byte: number): void {
    if (byte >= 0x80) return this.#character(byte);
    this.#begun = [];
    if (byte === 0x1b) this.#state = 'escape';
    else if (byte === 0x0e || byte === 0x0f) {
      this.#changed.set('shift', '\x0f');
      this.#out.push(byte);
    } else if ((byte >= 0x07 && byte <= 0x0d) || (byte >= 0x20 && byte < 0x7f))
      this.#out.push(byte);
  }

  #character(byte: number): void {
    if (byte >= 0xc0) this.#begun = [];
    else if (this.#begun.length === 0) return;
    this.#begun.push(byte);
    if (this.#begun.length < lengthOf(this.#begun[0] ?? 0)) return;
    if (isDrawn(this.#begun)) this.#out.push(...this.#begun);
    this.#begun = [];
  }

  #escape(byte: number): void {
    const sign = String.fromCharCode(byte);
    this.#state = 'text';
    this.#held = '';
    if (sign === '[') this.#state = 'control';
    else if (']PX^_k'.includes(sign)) this.#state = 'string';
    else if (byte >= 0x20 && byte < 0x30) {
      this.#held = sign;
      this.#state = charsets.has(sign) ? 'charset' : 'ignored';
    } else if (byte === 0x1b) this.#state = 'escape';
    else if (escapes.has(sign)) {
      if (sign === '=') this.#changed.set('keypad', '\x1b>');
      this.#put(`\x1b${sign}`);
    }
  }

  #charset(byte: number): void {
    const sign = String.fromCharCode(byte);
    this.#state = byte === 0x1b ? 'escape' : 'text';
    if (!'AB0'.includes(sign)) return;
    this.#changed.set(`charset ${this.#held}`, `\x1b${this.#held}B`);
    this.#put(`\x1b${this.#held}${sign}`);
  }

  #control(byte: number): void {
    if (byte === 0x1b) this.#state = 'escape';
    else if (byte === 0x18 || byte === 0x1a) this.#state = 'text';
    else if (byte >= 0x40 && byte < 0x7f) {
      this.#state = 'text';
      this.#put(allowed(this.#held, String.fromCharCode(byte), this.#changed));
      this.#held = '';
    } else if (byte >= 0x20 && this.#held.length < longest) this.#held += String.fromCharCode(byte);
  }

  #put(text: string): void {
    for (let at = 0; at < text.length; at++) this.#out.push(text.charCodeAt(at));
  }
}

/** One control sequence as it may be shown: whole, with fewer modes, or not at all. */
function allowed(held: string, final: string, changed: Map<string, string>): string {
  const [, prefix = '', params = '', between = ''] =
    /^([<=>?]?)([0-9;:]*)([ -/]*)$/.exec(held) ?? [];
  if (`${prefix}${params}${between}` !== held || held.length >= longest) return '';
  const whole = `\x1b[${held}${final}`;
  if (between !== '') {
    if (prefix !== '' || between !== ' ' || final !== 'q') return '';
    changed.set('shape', '\x1b[0 q');
    return whole;
  }
  if (final === 'h' || final === 'l') return moded(prefix, params, final, changed);
  if (prefix === '') {
    if (final === 'm') changed.set('look', '\x1b[m');
    if (final === 'r') changed.set('region', '\x1b7\x1b[r\x1b8');
    return finals.has(final) ? whole : '';
  }
  // What the terminal is, where the cursor is, and how keys are told.
  if (final === 'c' || (prefix === '?' && final === 'n')) return whole;
  if (prefix === '>' && final === 'm') {
    changed.set('keys', '\x1b[>4m');
    return whole;
  }
  return prefix === '?' && 'JK'.includes(final) ? whole : '';
}

function moded(
  prefix: string,
  params: string,
  final: 'h' | 'l',
  changed: Map<string, string>,
): string {
  if (prefix !== '?' && (prefix !== '' || params !== '4')) return '';
  const kept = prefix === '' ? ['4'] : params.split(';').filter((one) => modes.has(one));
  for (const mode of kept) {
    const isUsual = (final === 'h') === (prefix === '?' && usuallyOn.has(mode));
    if (isUsual) changed.delete(`mode ${prefix}${mode}`);
    else changed.set(`mode ${prefix}${mode}`, `\x1b[${prefix}${mode}${final === 'h' ? 'l' : 'h'}`);
  }
  return kept.length === 0 ? '' : `\x1b[${prefix}${kept.join(';')}${final}`;
}

function lengthOf(first: number): number {
  return first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
}

/** Whether bytes are one character, in its one form, that is not a control character: UTF-8, RFC 3629. */
function isDrawn(bytes: readonly number[]): boolean {
  const [drawn = ''] = new TextDecoder().decode(Uint8Array.from(bytes));
  const code = drawn.codePointAt(0) ?? 0;
  return code >= 0xa0 && code !== 0xfffd;
}
