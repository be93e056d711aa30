import { doubt, path } from '../forms.ts';
import type { Doubt, Effect, Yield } from '../types.ts';

const why = 'a sed script can run commands';

/**
 * Reads a sed script by the grammar of GNU sed (`compile.c`), and tells what it reads, writes and
 * runs. Where versions of sed differ, and where the script is not understood, there is a doubt.
 */
export function readSedScript(script: string, word: number): Yield {
  const parser = new SedParser(script, word);
  parser.run();
  return { effects: parser.effects, doubts: parser.doubts };
}

const longest = 10_000;

class SedParser {
  readonly effects: Effect[] = [];
  readonly doubts: Doubt[] = [];
  readonly #text: string;
  readonly #word: number;
  #at = 0;
  #depth = 0;

  constructor(text: string, word: number) {
    this.#text = text;
    this.#word = word;
  }

  run(): void {
    if (this.#text.length > longest || this.#text.includes('\0')) return this.#doubt('is too long');
    while (this.doubts.length === 0) {
      this.#skip(/[\s;]/);
      if (this.#at >= this.#text.length) break;
      if (!this.#addresses()) return this.#doubt('has an address that is not understood');
      this.#command();
    }
    if (this.#depth !== 0) this.#doubt('leaves a brace open');
  }

  #doubt(what: string): void {
    if (this.doubts.length === 0) this.doubts.push(doubt(`the sed script ${what}`, this.#word));
  }

  #skip(what: RegExp): void {
    while (this.#at < this.#text.length && what.test(this.#text[this.#at] ?? '')) this.#at++;
  }

  #take(what: RegExp): string | null {
    what.lastIndex = this.#at;
    const found = what.exec(this.#text)?.[0] ?? null;
    if (found !== null) this.#at += found.length;
    return found;
  }

  #addresses(): boolean {
    const first = this.#address(false);
    if (first === 'wrong') return false;
    this.#skip(/[ \t]/);
    if (first === 'address' && this.#text[this.#at] === ',') {
      this.#at++;
      this.#skip(/[ \t]/);
      if (this.#address(true) !== 'address') return false;
      this.#skip(/[ \t]/);
    }
    if (this.#text[this.#at] === '!') this.#at++;
    this.#skip(/[ \t]/);
    return true;
  }

  #address(second: boolean): 'none' | 'address' | 'wrong' {
    if (this.#take(second ? /\$|[+~]?[0-9]+/y : /\$|[0-9]+(?:~[0-9]+)?/y) !== null)
      return 'address';
    const mark = this.#text[this.#at];
    if (mark !== '/' && mark !== '\\') return 'none';
    this.#at += mark === '/' ? 0 : 1;
    if (this.#delimited(true) === null) return 'wrong';
    this.#take(/[IM]*/y);
    return 'address';
  }

  /** Text between two marks; leaves the position behind the second. Null where there is none. */
  #delimited(isPattern: boolean, mark = this.#text[this.#at++] ?? ''): string | null {
    if (mark === '' || mark === '\n' || mark === '\\') return null;
    const start = this.#at;
    for (; this.#at < this.#text.length; this.#at++) {
      const letter = this.#text[this.#at];
      if (letter === '\\') this.#at++;
      else if (letter === '\n') return null;
      else if (letter === mark) {
        const inner = this.#text.slice(start, this.#at);
        // GNU sed ends the pattern at a mark inside brackets, others do not.
        if (isPattern && /\[[^\]]*$/.test(inner.replaceAll(/\\[^]/g, ''))) return null;
        this.#at++;
        return inner;
      }
    }
    return null;
  }

  #command(): void {
    const letter = this.#text[this.#at++] ?? '';
    switch (letter) {
      case '#':
        this.#line();
        return;
      case '{':
        this.#depth++;
        return;
      case '}':
        this.#depth--;
        return this.#depth < 0 ? this.#doubt('closes a brace too many') : this.#end();
      case ':':
      case 'b':
      case 't':
      case 'T':
      case 'v':
        this.#skip(/[ \t]/);
        this.#take(/[A-Za-z0-9_.]*/y);
        return this.#end();
      case 'a':
      case 'i':
      case 'c':
        return this.#insert();
      case 'e':
        this.#skip(/[ \t]/);
        return this.#runs(this.#line());
      case 'r':
      case 'R':
        return this.#file('reads');
      case 'w':
      case 'W':
        return this.#file('writes');
      case 's':
        return this.#substitute();
      case 'y': {
        const mark = this.#text[this.#at++] ?? '';
        const both = this.#delimited(false, mark) !== null && this.#delimited(false, mark) !== null;
        return both ? this.#end() : this.#doubt('has a command y that is not understood');
      }
      case 'q':
      case 'Q':
      case 'l':
      case 'L':
        this.#skip(/[ \t]/);
        this.#take(/[0-9]*/y);
        return this.#end();
      default:
        if (letter !== '' && '=dDFgGhHnNpPxz'.includes(letter)) return this.#end();
        return this.#doubt(`has a command ${letter} that is not known`);
    }
  }

  #end(): void {
    this.#skip(/[ \t]/);
    const next = this.#text[this.#at];
    if (next === undefined || next === '}' || next === '#') return;
    if (next === ';' || next === '\n') this.#at++;
    else this.#doubt('has more behind a command than is understood');
  }

  /** What is left of the line. */
  #line(): string {
    const end = this.#text.indexOf('\n', this.#at);
    const text = this.#text.slice(this.#at, end === -1 ? undefined : end);
    this.#at = end === -1 ? this.#text.length : end + 1;
    return text;
  }

  /** Text of `a`, `i` and `c`: up to a line that does not end in a backslash. */
  #insert(): void {
    let line = this.#line();
    const first = line;
    while (/(?:^|[^\\])\\$/.test(line) && this.#at < this.#text.length) line = this.#line();
    // Whether two backslashes are one escaped depends on what stands before, and on the version.
    if (line.endsWith('\\\\') || first.endsWith('\\\\') || /^\s*\\\s*\\/.test(first))
      this.#doubt('ends a line of text with several backslashes');
  }

  #runs(text: string): void {
    this.effects.push({ kind: 'shell', text, why, word: this.#word });
  }

  #file(use: 'reads' | 'writes'): void {
    this.#skip(/[ \t]/);
    const name = this.#line();
    if (name === '') return this.#doubt('names no file behind a command');
    if (/^\/dev\/(?:stdout|stderr|stdin)$/.test(name)) return;
    const reason = use === 'reads' ? 'a sed script reads a file' : 'a sed script writes a file';
    this.effects.push(path(use, name, this.#word));
    this.doubts.push(doubt(reason, this.#word));
  }

  #substitute(): void {
    const mark = this.#text[this.#at++] ?? '';
    if (this.#delimited(true, mark) === null || this.#delimited(false, mark) === null)
      return this.#doubt('has a command s that is not understood');
    const flags = this.#take(/[gpiImMe0-9]*/y) ?? '';
    // What runs is made of what the input holds.
    if (flags.includes('e')) this.#runs('');
    if (this.#text[this.#at] !== 'w') return this.#end();
    this.#at++;
    return this.#file('writes');
  }
}
