import { mayBeSecret } from '../disclosing.ts';
import { doubt, path } from '../forms.ts';
import type { Doubt, Effect, Yield } from '../types.ts';

const longest = 20_000;

/**
 * Reads an awk program word by word, as far as gawk, mawk, busybox and the original agree on its
 * words, and tells what it runs, reads and writes. A slash or a line end that they take in different
 * ways, and whatever is not awk, is a doubt.
 */
export function readAwkProgram(text: string, word: number): Yield {
  const reader = new AwkReader(text, word);
  reader.run();
  return { effects: reader.effects, doubts: reader.doubts };
}

/** What the last word was: a slash behind a value divides, elsewhere it begins a pattern. */
type Before = 'value' | 'operator' | 'unsure';

const statements: ReadonlySet<string> = new Set(
  `BEGIN END BEGINFILE ENDFILE function func if else while for do switch case default return in
  print printf delete exit`.split(/\s+/),
);
/** Behind these a slash is read in different ways. */
const bare: ReadonlySet<string> = new Set('getline length next nextfile break continue'.split(' '));
/** Names that reach what awk keeps about files, other variables and other code. */
const steering: ReadonlySet<string> = new Set('ARGV ARGC SYMTAB FUNCTAB extension'.split(' '));
const runs = 'an awk program can run commands';

class AwkReader {
  readonly effects: Effect[] = [];
  readonly doubts: Doubt[] = [];
  readonly #text: string;
  readonly #word: number;
  #at = 0;
  #before: Before = 'operator';
  /** The last word as written, for line ends and for what a parenthesis belongs to. */
  #last = '';
  /** For each open bracket, what closes it and whether a condition stands in it. */
  readonly #open: { readonly mark: string; readonly isHead: boolean }[] = [];
  /** How many brackets were open where a `print` began; -1 outside of one. */
  #printing = -1;
  /** The same for `getline`, whose `<` names a file. */
  #getting = -1;

  constructor(text: string, word: number) {
    this.#text = text;
    this.#word = word;
  }

  run(): void {
    if (this.#text.length > longest || this.#text.includes('\0')) return this.#doubt('is too long');
    while (this.#at < this.#text.length && this.doubts.length === 0) this.#next();
    if (this.#open.length > 0) this.#doubt('leaves a bracket open');
  }

  #doubt(what: string): void {
    if (this.doubts.length === 0) this.doubts.push(doubt(`the awk program ${what}`, this.#word));
  }

  #took(what: string, before: Before): void {
    this.#last = what;
    this.#before = before;
  }

  #match(what: RegExp): string | null {
    what.lastIndex = this.#at;
    const found = what.exec(this.#text)?.[0] ?? null;
    if (found !== null) this.#at += found.length;
    return found;
  }

  #next(): void {
    const letter = this.#text[this.#at] ?? '';
    if (this.#match(/[ \t\r]+|\\\r?\n/y) !== null) return;
    if (letter === '\n') return this.#lineEnd();
    if (letter === '#') return void this.#match(/[^\n]*/y);
    if (letter === '"') return this.#string();
    if (letter === '/') return this.#slash();
    const number = this.#match(/(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![\w.])/y);
    if (number !== null) return this.#took(number, 'value');
    const name = this.#match(/[A-Za-z_]\w*/y);
    if (name !== null) return this.#name(name);
    const mark = this.#match(
      /&&|\|\||\|&|\+\+|--|\*\*=|\*\*|[-+*%^=!<>]=|!~|>>|[-+*%^=!<>|?:;,~$(){}[\]]/y,
    );
    if (mark === null) return this.#doubt(`holds ${letter}, which is not understood`);
    this.#mark(mark);
  }

  #lineEnd(): void {
    this.#at++;
    if (/^(?:[,{]|&&|\|\||do|else|;|)$/.test(this.#last)) return;
    const inner = this.#open.at(-1);
    // Behind the head of a loop the statement goes on, and a statement cannot end inside brackets.
    if (inner !== undefined && inner.mark !== '}') return this.#doubt('has a line end in brackets');
    this.#ends();
    this.#took('\n', 'operator');
    this.#last = '';
  }

  #string(): void {
    const found = this.#match(/"(?:[^"\\\n]|\\[^])*"/y);
    if (found === null) return this.#doubt('has a text without an end');
    this.#took(found, 'value');
  }

  #slash(): void {
    if (this.#before === 'unsure') return this.#doubt('has a slash that awks take in two ways');
    if (this.#before === 'value') {
      this.#at += this.#text[this.#at + 1] === '=' ? 2 : 1;
      return this.#took('/', 'operator');
    }
    const found = this.#match(/\/(?:[^/\\\n]|\\[^\n])*\//y);
    if (found === null) return this.#doubt('has a pattern without an end');
    // Some awks end a pattern at a slash inside brackets.
    if (
      /\[[^\]]*$/.test(
        found
          .slice(1, -1)
          .replaceAll(/\\[^]/g, '')
          .replaceAll(/\[\^?\]/g, '['),
      )
    )
      return this.#doubt('has a slash in brackets of a pattern');
    this.#took(found, 'value');
  }

  #name(name: string): void {
    if (this.#text.startsWith('::', this.#at)) return this.#doubt('uses a namespace');
    if (name === 'system') {
      const text = this.#literalIn(/\s*\(\s*("(?:[^"\\\n]|\\[^])*")\s*\)/y);
      return this.#shell(text, name);
    }
    if (name === 'print' || name === 'printf') this.#printing = this.#open.length;
    if (steering.has(name)) return this.#doubt(`uses ${name}, which decides what it reads or runs`);
    if (name === 'ENVIRON') this.#variable();
    if (name === 'getline') this.#getline();
    if (bare.has(name)) return this.#took(name, 'unsure');
    this.#took(name, statements.has(name) ? 'operator' : 'value');
  }

  /** One plain variable by its name; any other way shows all of them. */
  #variable(): void {
    const named = /\s*\[\s*"(\w+)"\s*\]/y;
    named.lastIndex = this.#at;
    const variable = named.exec(this.#text)?.[1];
    if (variable === undefined || mayBeSecret(variable)) this.#doubt('prints variables');
  }

  /** `getline < "file"`; a command that is read from stands before it. */
  #getline(): void {
    this.#getting = this.#open.length;
    const ahead = /(?:[ \t]+[$\w]+(?:\[[^\]]*\])?)?[ \t]*<[ \t]*("(?:[^"\\\n]|\\[^])*")?/y;
    ahead.lastIndex = this.#at;
    const found = ahead.exec(this.#text);
    if (found === null) return;
    const name = found[1];
    if (name !== undefined && !name.includes('\\'))
      this.effects.push(path('reads', name.slice(1, -1), this.#word));
    this.#doubt('reads a file');
  }

  #literalIn(what: RegExp): string {
    what.lastIndex = this.#at;
    const found = what.exec(this.#text)?.[1];
    return found === undefined ? '' : found.slice(1, -1).replaceAll(/\\([^])/g, '$1');
  }

  #shell(text: string, mark: string): void {
    this.effects.push({ kind: 'shell', text, why: runs, word: this.#word });
    this.#took(mark, 'operator');
  }

  #mark(mark: string): void {
    if (mark === '|' || mark === '|&') {
      const before = this.#last.startsWith('"') ? this.#last.slice(1, -1) : '';
      const after = this.#literalIn(/\s*("(?:[^"\\\n]|\\[^])*")/y);
      return this.#shell(after === '' ? before.replaceAll(/\\([^])/g, '$1') : after, mark);
    }
    if ((mark === '>' || mark === '>>') && this.#printing === this.#open.length)
      return this.#writes();
    if (mark === '<' && this.#getting === this.#open.length) return this.#doubt('reads a file');
    if (mark === '>>') return this.#doubt('holds >>, which is not understood');
    if ('([{'.includes(mark)) return this.#opens(mark);
    if (')]}'.includes(mark)) return this.#closes(mark);
    if (mark === ';') this.#ends();
    // `x++ / 2` divides, `x = ++ /re/` is refused by some and understood by others.
    const isStep = mark === '++' || mark === '--' || mark === '$';
    this.#took(mark, isStep ? 'unsure' : 'operator');
  }

  #writes(): void {
    const name = this.#literalIn(/\s*("(?:[^"\\\n]|\\[^])*")/y);
    if (/^\/dev\/(?:stdout|stderr)$/.test(name)) {
      const more = /\s*"[^"]*"\s*(?:[;}\n]|$)/y;
      more.lastIndex = this.#at;
      if (more.test(this.#text)) return this.#took('>', 'operator');
    }
    if (name !== '') this.effects.push(path('writes', name, this.#word));
    this.#doubt('writes a file');
  }

  #ends(): void {
    this.#printing = -1;
    this.#getting = -1;
  }

  #opens(mark: string): void {
    const close = mark === '(' ? ')' : mark === '[' ? ']' : '}';
    const isHead = mark === '(' && /^(?:if|while|for|switch)$/.test(this.#last);
    if (mark === '{') this.#ends();
    this.#open.push({ mark: close, isHead });
    this.#took(mark, 'operator');
  }

  #closes(mark: string): void {
    const opened = this.#open.pop();
    if (opened?.mark !== mark) return this.#doubt('closes a bracket that is not open');
    if (this.#getting > this.#open.length) this.#getting = -1;
    if (mark === '}') {
      this.#ends();
      this.#took(';', 'operator');
    } else this.#took(mark, opened.isHead ? 'unsure' : 'value');
  }
}
