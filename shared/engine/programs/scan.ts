import { findLong, type Entry, type Table } from './compile.ts';
import { doubt, flag } from './forms.ts';
import type { Argument, Doubt, Operand, Taken, Use } from './types.ts';

interface Scan {
  readonly taken: readonly Taken[];
  readonly operands: readonly Operand[];
  readonly doubts: Doubt[];
  /** Index of the first operand, or of the end. */
  readonly end: number;
}

/** A word that a pattern may become cannot begin with a dash, nor be an operator. */
const safeStart = /^[A-Za-z0-9_./~,:%=\u0080-\uffff]/;

/** Goes through the words of one grammar, as the parser that its syntax stands for. */
export class Scanner {
  readonly #args: readonly Argument[];
  readonly #table: Table;
  readonly #label: string;
  readonly #taken: Taken[] = [];
  readonly #operands: Operand[] = [];
  readonly #doubts: Doubt[] = [];

  constructor(args: readonly Argument[], table: Table, label: string) {
    this.#args = args;
    this.#table = table;
    this.#label = label;
  }

  /** Starts at a word; a grammar with subcommands ends at the first operand. */
  run(start: number): Scan {
    const { syntax, grammar } = this.#table;
    const stops = grammar.commands !== undefined || !syntax.permutes;
    let onlyOperands = false;
    let end = -1;
    let at = start;
    while (at < this.#args.length) {
      const arg = this.#args[at];
      if (arg === undefined) break;
      if (onlyOperands || !this.#isOption(arg, at)) {
        if (end === -1) end = at;
        if (grammar.commands !== undefined && grammar.operands === undefined) break;
        if (grammar.commands !== undefined && this.#namesCommand(arg)) break;
        this.#operands.push({ text: arg.text, live: arg.live, word: at });
        onlyOperands ||= stops;
        at++;
      } else if (arg.text === '--' && syntax.keyValue !== true && syntax.endless !== true) {
        onlyOperands = true;
        at++;
      } else {
        at += this.#option(arg, at);
        onlyOperands ||= syntax.endsAt?.includes(this.#taken.at(-1)?.name ?? '') === true;
      }
    }
    return {
      taken: this.#taken,
      operands: this.#operands,
      doubts: this.#doubts,
      end: end === -1 ? this.#args.length : end,
    };
  }

  #namesCommand({ text, live }: Argument): boolean {
    const { commands = {} } = this.#table.grammar;
    return (
      this.#operands.length === 0 &&
      live === null &&
      Object.keys(commands).some((key) => key.split(' ').includes(text))
    );
  }

  #isOption(arg: Argument, at: number): boolean {
    const { text, live } = arg;
    if (this.#table.syntax.keyValue === true) return true;
    if (live === 'pattern' && !safeStart.test(text) && !text.startsWith('-'))
      this.#doubt('the name of a file could be taken for an option', at);
    return text.startsWith('-') && text !== '-';
  }

  /** Takes one option, and tells how many words that were. */
  #option(arg: Argument, at: number): number {
    const { syntax, grammar } = this.#table;
    const { text } = arg;
    if (arg.live === null && grammar.numeric?.test(text) === true) {
      this.#take({ name: text, use: flag }, null, { at });
      return 1;
    }
    if (syntax.keyValue === true) return this.#long(arg, at, text);
    if (text.startsWith('--')) return this.#long(arg, at, text.slice(2));
    if (syntax.singleDash === true) return this.#long(arg, at, text.slice(1));
    if (!syntax.clusters) {
      const entry = this.#table.names.get(text) ?? this.#table.letters.get(text.slice(1));
      if (entry === undefined) return this.#refuse(`has no option ${text}`, at);
      if (arg.live !== null) return this.#refuse('has an option that is still a pattern', at);
      return this.#withValue(entry, null, arg, at);
    }
    return this.#cluster(arg, at);
  }

  #long(arg: Argument, at: number, body: string): number {
    const { syntax } = this.#table;
    const equals = syntax.equals || syntax.keyValue === true ? body.indexOf('=') : -1;
    const name = equals === -1 ? body : body.slice(0, equals);
    const attached = equals === -1 ? null : body.slice(equals + 1);
    if (
      arg.live !== null &&
      (attached === null || literalLength(arg) < arg.text.length - attached.length)
    )
      return this.#refuse('has an option that is still a pattern', at);
    const found = findLong(this.#table, name);
    if (found.kind !== 'found')
      return this.#refuse(
        found.kind === 'unknown'
          ? `has no option ${arg.text.split('=', 1)[0]}`
          : `has several options that ${arg.text.split('=', 1)[0]} could mean`,
        at,
      );
    const { entry, negated } = found;
    if (negated) {
      if (attached !== null) return this.#refuse(`takes no value with ${name}`, at);
      const base = entry.name.startsWith('--no-')
        ? `--${entry.name.slice(5)}`
        : `--no-${entry.name.slice(2)}`;
      this.#take({ name: base, use: flag }, null, { at, negated: true });
      return 1;
    }
    return this.#withValue(entry, attached, arg, at);
  }

  #withValue(entry: Entry, attached: string | null, arg: Argument, at: number): number {
    const { syntax } = this.#table;
    const { arity } = entry.use;
    if (attached !== null) {
      if (
        arity === 'none' &&
        !(syntax.flagEquals === true && /^(?:true|false|0|1|t|f)$/i.test(attached))
      )
        return this.#refuse(`takes no value with ${entry.name}`, at);
      const off = arity === 'none' && /^(?:false|0|f)$/i.test(attached);
      if (!off)
        this.#take(entry, arity === 'none' ? null : attached, { at, live: arg.live !== null });
      return 1;
    }
    if (arity === 'none' || arity === 'optional') {
      this.#take(entry, null, { at });
      return 1;
    }
    return this.#next(entry, at);
  }

  /** The value in the next word. */
  #next(entry: Entry, at: number): number {
    const value = this.#args[at + 1];
    if (value === undefined) {
      if (entry.use.arity === 'maybe') this.#take(entry, null, { at });
      else return this.#refuse(`needs a value after ${entry.name}`, at);
      return 1;
    }
    if (value.live === 'pattern')
      this.#doubt(`the value of ${entry.name} is a pattern that may become several words`, at + 1);
    if (this.#table.syntax.refusesDashValues === true && /^-[^0-9]/.test(value.text))
      return this.#refuse(`needs a value after ${entry.name}`, at);
    this.#take(entry, value.text, { at, valueAt: at + 1, live: value.live !== null });
    return 2 + this.#listed(entry, at + 2);
  }

  /** How many more words belong to a list of values that begins before this one. */
  #listed({ name }: Entry, from: number): number {
    if (this.#table.syntax.lists?.includes(name) !== true) return 0;
    let at = from;
    for (; at < this.#args.length; at++) {
      const { text = '', live = null } = this.#args[at] ?? {};
      if (live === 'pattern')
        this.#doubt(`a value of ${name} is a pattern that may end the list`, at);
      if (text === '@') return at + 1 - from;
      if (text.startsWith('-')) break;
    }
    return at - from;
  }

  #cluster(arg: Argument, at: number): number {
    const { syntax, letters, names } = this.#table;
    const { text } = arg;
    const known = literalLength(arg);
    for (let place = 1; place < text.length; place++) {
      const pair =
        syntax.pairs === true ? names.get(`-${text.slice(place, place + 2)}`) : undefined;
      const letter = text[place] ?? '';
      const entry = pair ?? letters.get(letter);
      if (pair !== undefined) place++;
      if (place >= known) return this.#refuse('has an option that is still a pattern', at);
      if (entry === undefined) return this.#refuse(`has no option -${letter}`, at);
      if (entry.use.arity === 'none') {
        this.#take(entry, null, { at });
        continue;
      }
      let rest = text.slice(place + 1);
      if (rest === '' && arg.live !== null)
        return this.#refuse('has an option that is still a pattern', at);
      if (syntax.shortEquals === true && rest.startsWith('=')) rest = rest.slice(1);
      else if (rest === '') {
        if (entry.use.arity !== 'optional') return this.#next(entry, at);
        this.#take(entry, null, { at });
        return 1;
      } else if (rest.startsWith('=') && !isPlain(entry.use.kind))
        return this.#refuse(`has an = behind -${letter}, which parsers read differently`, at);
      this.#take(entry, rest, { at, live: arg.live !== null });
      return 1;
    }
    return 1;
  }

  #take(
    { name, use }: Pick<Entry, 'name' | 'use'>,
    value: string | null,
    {
      at,
      valueAt = at,
      live = false,
      negated = false,
    }: { at: number; valueAt?: number; live?: boolean; negated?: boolean },
  ): void {
    this.#taken.push({ name, value, live, negated, use, word: at, valueWord: valueAt });
  }

  #refuse(what: string, at: number): number {
    this.#doubt(`${this.#label} ${what}`, at);
    return 1;
  }

  #doubt(why: string, at: number): void {
    this.#doubts.push(doubt(why, at));
  }
}

/** A value that leads nowhere, so that a sign more or less makes no difference. */
function isPlain(kind: Use['kind']): boolean {
  return kind === 'inert' || kind === 'secret';
}

/** How much of a word stands fast: all before the first character that a pattern may replace. */
function literalLength({ text, live }: Argument): number {
  if (live === null) return text.length;
  const at = text.search(live === 'pattern' ? /[*?[\\!+@(]/ : /\$/);
  return at === -1 ? 0 : at;
}

/**
 * `tar xzf a.tgz -C b` as `tar -x -z -f a.tgz -C b`: each letter of a first word without a dash is
 * an option, and the words after it are their values in this order.
 */
export function bundled(args: readonly Argument[], { letters }: Table): Bundled {
  const [first, ...others] = args;
  const same = { words: args, from: null };
  if (first === undefined || first.text.startsWith('-') || first.text === '') return same;
  const words: Argument[] = [];
  const from: number[] = [];
  let next = 0;
  for (const letter of first.text) {
    words.push({ text: `-${letter}`, live: first.live });
    from.push(0);
    if (letters.get(letter)?.use.arity === 'required') {
      const value = others[next];
      if (value !== undefined) {
        words.push(value);
        from.push(next + 1);
      }
      next++;
    }
  }
  others.slice(next).forEach((word, index) => {
    words.push(word);
    from.push(next + 1 + index);
  });
  return { words, from };
}

interface Bundled {
  readonly words: readonly Argument[];
  /** Which of the given words each of these comes from; null where they are the same. */
  readonly from: readonly number[] | null;
}
