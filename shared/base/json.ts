import type { Check, Checked } from './compile.ts';

/** Present wherever the product runs; not in the language's own library. */
declare const TextDecoder: new (
  label: string,
  options: { readonly fatal: boolean; readonly ignoreBOM: boolean },
) => { decode(bytes: Uint8Array): string };

/** Levels of lists and objects inside each other; nothing that we read needs a tenth of it. */
const deepest = 500;

/**
 * Reads JSON (RFC 8259) from outside. Two readers may not think differently of it: an object that
 * names a field twice, a field named `__proto__` and bytes that are not UTF-8 are refused, where
 * `JSON.parse` takes the last, trusts the second and cannot see the third. The sentence says the line.
 */
export function parseJson(input: string | Uint8Array): Checked<unknown> {
  const text = typeof input === 'string' ? input : decoded(input);
  if (text === null) return wrong('It is not UTF-8 text.');
  if (text.trim() === '') return wrong('It is empty.');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The walk says where; the words and places of the platform's own messages differ by version.
    const found = trouble(text);
    return wrong(`It is not valid JSON: ${found ?? 'it cannot be read'}.`);
  }
  const found = trouble(text);
  return found === null ? { ok: true, value } : wrong(`It is not clear JSON: ${found}.`);
}

/**
 * Reads and checks JSON from outside in one step. What is wrong with a value is said with its line
 * where the text has more than one.
 */
export function readJson<T>(check: Check<T>, input: string | Uint8Array): Checked<T> {
  const parsed = parseJson(input);
  if (!parsed.ok) return parsed;
  const checked = check(parsed.value);
  if (checked.ok) return checked;
  const text = typeof input === 'string' ? input : (decoded(input) ?? '');
  return { ...checked, error: withLine(checked, text) };
}

/** The sentence of a failed check, with the line of its place in the text that was checked. */
export function withLine(
  { error, path }: { readonly error: string; readonly path: string },
  text: string,
): string {
  const line = text.trim().includes('\n') ? lineOf(text, path) : null;
  return line === null ? error : `${error.replace(/\.$/, '')} (line ${line}).`;
}

/**
 * The line, from 1, on which the value begins that a JSON pointer names in valid JSON; null where
 * there is none.
 */
export function lineOf(text: string, pointer: string): number | null {
  let found: number | null = null;
  const walk = new Walk(text, (path, at) => {
    if (found === null && path() === pointer) found = lineAt(text, at);
  });
  return walk.run() === null ? found : null;
}

function wrong(error: string): { ok: false; error: string; path: string } {
  return { ok: false, error, path: '' };
}

function decoded(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function trouble(text: string): string | null {
  return new Walk(text).run();
}

function lineAt(text: string, at: number): number {
  let line = 1;
  for (let end = text.indexOf('\n'); end !== -1 && end < at; end = text.indexOf('\n', end + 1))
    line += 1;
  return line;
}

/** Thrown inside a walk and caught by it. */
class Trouble extends Error {}

const plain = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const space = /[ \t\n\r]*/y;

/**
 * One walk over a text: what is wrong with it and where, or null. `visit` is told of every value, and
 * of the name before it, in the order of the text.
 */
class Walk {
  readonly #text: string;
  readonly #visit: ((path: () => string, at: number) => void) | undefined;
  readonly #path: (string | number)[] = [];
  #at = 0;

  constructor(text: string, visit?: (path: () => string, at: number) => void) {
    this.#text = text;
    this.#visit = visit;
  }

  run(): string | null {
    try {
      this.#value(true);
      this.#skip();
      if (this.#at < this.#text.length) this.#unexpected();
      return null;
    } catch (error) {
      if (error instanceof Trouble) return error.message;
      throw error;
    }
  }

  #value(tell: boolean): void {
    this.#skip();
    if (tell) this.#tell(this.#at);
    const sign = this.#text[this.#at];
    if (sign === '{') this.#object();
    else if (sign === '[') this.#array();
    else if (sign === '"') this.#string();
    else {
      plain.lastIndex = this.#at;
      if (!plain.test(this.#text)) this.#unexpected();
      this.#at = plain.lastIndex;
    }
  }

  #object(): void {
    const seen = new Set<string>();
    this.#entries('}', () => {
      this.#skip();
      if (this.#text[this.#at] !== '"') this.#unexpected();
      const start = this.#at;
      const name = this.#string();
      if (seen.has(name))
        this.#fail(`the field ${JSON.stringify(name)} stands there twice, again`, start);
      if (name === '__proto__') this.#fail('a field is named "__proto__"', start);
      seen.add(name);
      this.#expect(':');
      this.#path.push(name);
      this.#tell(start);
      this.#value(false);
      this.#path.pop();
    });
  }

  #array(): void {
    let index = 0;
    this.#entries(']', () => {
      this.#path.push(index);
      this.#value(true);
      this.#path.pop();
      index += 1;
    });
  }

  /** Reads what stands between two brackets, separated by commas. */
  #entries(close: string, entry: () => void): void {
    if (this.#path.length >= deepest)
      this.#fail('lists and objects stand too deep inside each other');
    this.#at += 1;
    this.#skip();
    if (this.#text[this.#at] === close) {
      this.#at += 1;
      return;
    }
    for (;;) {
      entry();
      this.#skip();
      if (this.#text[this.#at] === close) break;
      this.#expect(',');
    }
    this.#at += 1;
  }

  #string(): string {
    const start = this.#at;
    const end = endOfString(this.#text, start);
    if (end === -1) this.#fail('a text does not end', start);
    this.#at = end + 1;
    const inner = this.#text.slice(start + 1, end);
    // Neither an escape nor a control character: it stands for itself.
    if (!/[^\u0020-\u005b\u005d-\uffff]/.test(inner)) return inner;
    try {
      return JSON.parse(this.#text.slice(start, this.#at)) as string;
    } catch {
      return this.#fail('a text has a character that must be escaped, or a wrong escape', start);
    }
  }

  #tell(at: number): void {
    this.#visit?.(
      () =>
        this.#path
          .map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`)
          .join(''),
      at,
    );
  }

  #skip(): void {
    space.lastIndex = this.#at;
    space.test(this.#text);
    this.#at = space.lastIndex;
  }

  #expect(sign: string): void {
    this.#skip();
    if (this.#text[this.#at] !== sign) this.#unexpected();
    this.#at += 1;
  }

  #unexpected(): never {
    return this.#at >= this.#text.length
      ? this.#fail('it ends too early')
      : this.#fail(`${JSON.stringify(this.#text[this.#at])} is out of place`);
  }

  #fail(what: string, where = this.#at): never {
    throw new Trouble(`${what} on line ${lineAt(this.#text, where)}`);
  }
}

/** Where the string that begins at `start` has its closing mark, or -1. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text[end - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return -1;
}
