import { path } from '../forms.ts';
import type { Effect, PathUse } from '../types.ts';
import { pythonTokens } from './python-tokens.ts';
import type { PythonToken } from './python-tokens.ts';
import { attributes, builtins, modules, named, statements } from './python-words.ts';

/**
 * Code of Python that computes, prints, and reads and writes files that it names: which files those
 * are. Null for all other code. Everything that stands in it has to be known to be harmless: names that
 * Python gives a meaning, what is taken of a module and of a value, and the ways to a file. A name of
 * which nothing is known is an error when the code runs; an attribute of which nothing is known may be
 * anything, so such code is not understood.
 */
export function readPythonCode(code: string, word: number): readonly Effect[] | null {
  const tokens = pythonTokens(code);
  if (tokens === null) return null;
  const reader = new PythonReader(tokens, word);
  return reader.run() ? reader.effects : null;
}

const nothing: PythonToken = { kind: 'end', text: '', value: null };
const assigns = /^(?:[-+*/%@&|^]|\*\*|\/\/|<<|>>|:)?=$/;

/** What a name of the code was given to be, where that is one text, or some. */
interface Known {
  readonly texts: readonly string[];
  readonly isPath: boolean;
}

class PythonReader {
  readonly effects: Effect[] = [];
  readonly #tokens: readonly PythonToken[];
  readonly #word: number;
  /** Names that stand for modules, and those of single things taken of them. */
  readonly #modules = new Map<string, string>();
  readonly #taken = new Map<string, string>();
  /** Where the words of imports stand, which are read by themselves. */
  readonly #imported = new Set<number>();
  readonly #known = new Map<string, Known | null>();
  #lastImport = -1;
  #firstWrite = Infinity;

  constructor(tokens: readonly PythonToken[], word: number) {
    this.#tokens = tokens;
    this.#word = word;
  }

  run(): boolean {
    return (
      this.#imports() &&
      this.#tokens.every(
        (token, at) => token.kind !== 'name' || this.#isHarmless(token.text, at),
      ) &&
      // What it writes could be what it imports afterwards.
      this.#lastImport < this.#firstWrite
    );
  }

  #at(at: number): PythonToken {
    return this.#tokens[at] ?? nothing;
  }

  #is(at: number, ...texts: readonly string[]): boolean {
    const { kind, text } = this.#at(at);
    return kind !== 'string' && texts.includes(text);
  }

  #startsStatement(at: number): boolean {
    const isOutside = (this.#at(at).depth ?? 0) === 0;
    return isOutside && (at === 0 || this.#is(at - 1, '\n', ';', ':'));
  }

  #imports(): boolean {
    return this.#tokens.every((token, at) => {
      if (token.kind !== 'name' || this.#imported.has(at)) return true;
      const starts = this.#startsStatement(at);
      if (token.text === 'import') return starts && this.#importList(at);
      return token.text !== 'from' || !starts || this.#importFrom(at);
    });
  }

  /** `a.b.c`, and where it ends. */
  #dotted(start: number): { readonly name: string; readonly end: number } {
    let name = this.#at(start).text;
    let end = start + 1;
    for (; this.#is(end, '.') && this.#at(end + 1).kind === 'name'; end += 2)
      name += `.${this.#at(end + 1).text}`;
    return { name, end };
  }

  #as(at: number): { readonly alias: string | null; readonly end: number } {
    if (!this.#is(at, 'as')) return { alias: null, end: at };
    return { alias: this.#at(at + 1).text, end: at + 2 };
  }

  #importList(start: number): boolean {
    for (let at = start + 1; ;) {
      const { name, end } = this.#dotted(at);
      if (!Object.hasOwn(modules, name)) return false;
      const { alias, end: after } = this.#as(end);
      const [first = ''] = name.split('.');
      if (!this.#bind(this.#modules, alias ?? first, alias === null ? first : name)) return false;
      if (this.#is(after, ',')) {
        at = after + 1;
        continue;
      }
      return this.#ends(start, after);
    }
  }

  #importFrom(start: number): boolean {
    const { name, end } = this.#dotted(start + 1);
    const some = Object.hasOwn(modules, name) ? modules[name] : undefined;
    if (some === undefined || !this.#is(end, 'import')) return false;
    const inBrackets = this.#is(end + 1, '(');
    for (let at = end + (inBrackets ? 2 : 1); ;) {
      if (inBrackets && this.#is(at, ')')) return this.#ends(start, at + 1);
      const { text } = this.#at(at);
      const { alias, end: after } = this.#as(at + 1);
      const whole = `${name}.${text}`;
      const isModule = some.has(whole);
      if (!isModule && !some.has(text)) return false;
      const bound = isModule ? this.#modules : this.#taken;
      if (!this.#bind(bound, alias ?? text, whole)) return false;
      at = after;
      if (this.#is(at, ',')) at += 1;
      else if (!inBrackets) return this.#ends(start, at);
      else if (!this.#is(at, ')')) return false;
    }
  }

  #bind(where: Map<string, string>, name: string, what: string): boolean {
    const other = where === this.#modules ? this.#taken : this.#modules;
    if (other.has(name) || (where.get(name) ?? what) !== what) return false;
    if (!/^[A-Za-z]\w*$/.test(name) || named.has(name) || statements.has(name)) return false;
    where.set(name, what);
    return true;
  }

  #ends(start: number, end: number): boolean {
    for (let at = start; at < end; at += 1) this.#imported.add(at);
    this.#lastImport = Math.max(this.#lastImport, start);
    return this.#is(end, '\n', ';');
  }

  #isHarmless(name: string, at: number): boolean {
    if (this.#imported.has(at)) return true;
    if (this.#is(at - 1, '.')) return this.#isAttribute(name, at);
    if (statements.has(name)) return name !== 'import';
    if (name.startsWith('__')) return name === '__name__';
    const module = this.#modules.get(name);
    if (module !== undefined) return this.#is(at + 1, '.');
    if (name === 'open') return this.#is(at + 1, '(') && this.#opens(at + 1);
    const taken = this.#taken.get(name);
    // What reads and writes files is only ever called: it may stand for nothing else.
    if (taken === 'pathlib.Path') return this.#is(at + 1, '(') && !this.#is(at - 1, 'def');
    if (taken !== undefined) return !this.#isBound(at);
    const isKeyword = this.#is(at + 1, '=') && this.#is(at - 1, '(', ',');
    if (name === 'type' && !isKeyword) return this.#asksForName(at);
    return isKeyword || !named.has(name) || builtins.has(name);
  }

  /** `type(x).__name__`: the type itself could be called, and that of a file opens another one. */
  #asksForName(at: number): boolean {
    const outer = this.#at(at).depth ?? 0;
    if (!this.#is(at + 1, '(')) return false;
    const end = this.#tokens.findIndex((one, index) => index > at + 1 && one.depth === outer);
    return end !== -1 && this.#is(end + 1, '.') && this.#is(end + 2, '__name__');
  }

  /** Whether a name is given another meaning here, or anywhere that cannot be told from that. */
  #isBound(at: number): boolean {
    return (
      assigns.test(this.#at(at + 1).text) || this.#is(at - 1, 'for', 'as', 'def', 'lambda', 'del')
    );
  }

  #isAttribute(name: string, at: number): boolean {
    if (assigns.test(this.#at(at + 1).text)) return false;
    const module = this.#moduleBefore(at);
    if (module !== null) {
      if (module === 'xml.etree.ElementTree' && name === 'parse')
        return this.#is(at + 1, '(') && this.#readsNamed(at + 2);
      // Taken as a value it is a class, whose functions take the path as an argument: `Path.replace(a, b)`.
      if (module === 'pathlib' && name === 'Path' && !this.#is(at + 1, '(')) return false;
      const some = modules[module] ?? new Set<string>();
      return some.has(`${module}.${name}`) ? this.#is(at + 1, '.') : some.has(name);
    }
    if (name === '__name__') return true;
    if (!attributes.has(name)) return false;
    return this.#isCalledWell(name, at);
  }

  /** The module of which something is taken (`os.`, `os.path.`), or null. */
  #moduleBefore(at: number): string | null {
    const { kind, text } = this.#at(at - 2);
    if (kind !== 'name') return null;
    if (!this.#is(at - 3, '.')) return this.#modules.get(text) ?? null;
    const outer = this.#is(at - 5, '.') ? null : this.#modules.get(this.#at(at - 4).text);
    const inner = `${outer ?? ''}.${text}`;
    return typeof outer === 'string' && modules[outer]?.has(inner) === true ? inner : null;
  }

  /** Methods that mean one thing of a text and another of a path, and those that go to a file. */
  #isCalledWell(name: string, at: number): boolean {
    if (name === 'copy') return this.#is(at + 1, '(') && this.#is(at + 2, ')');
    if (name === 'replace') return this.#is(at + 1, '(') && this.#hasTwo(at + 1);
    if (name === 'format') return this.#fills(at);
    // A tree of XML is written to a file by this name.
    if (name === 'write') return ![...this.#modules.values()].some((one) => one.startsWith('xml'));
    if (!/^(?:read|write)_(?:text|bytes)$/.test(name)) return true;
    if (!this.#is(at + 1, '(')) return false;
    const receiver = this.#pathBefore(at - 1);
    return (
      receiver !== null && this.#reaches(receiver, name.startsWith('read') ? 'reads' : 'writes', at)
    );
  }

  /** Two arguments or more, none of them by name or out of a list: a path would take one. */
  #hasTwo(open: number): boolean {
    let depth = 0;
    let filled = 0;
    let isEmpty = true;
    for (let at = open; at < this.#tokens.length; at += 1) {
      const { kind, text } = this.#at(at);
      if (kind === 'mark' && '([{'.includes(text)) depth += 1;
      else if (kind === 'mark' && ')]}'.includes(text)) depth -= 1;
      if (depth === 0) return filled + (isEmpty ? 0 : 1) >= 2;
      if (depth === 1 && at > open) {
        if (this.#is(at, '=') || (isEmpty && this.#is(at, '*', '**'))) return false;
        if (this.#is(at, ',')) {
          filled += isEmpty ? 0 : 1;
          isEmpty = true;
          continue;
        }
      }
      if (at > open && kind !== 'end') isEmpty = false;
    }
    return false;
  }

  /** `'{} of {}'.format(…)` whose fields take nothing of what they are given. */
  #fills(at: number): boolean {
    const { kind, value } = this.#at(at - 2);
    if (kind !== 'string' || value === null) return false;
    return !/\{[^{}]*[.[]/.test(value.replaceAll(/\{\{|\}\}/g, ''));
  }

  /** The texts that a value in this place may be; null where they are not all known. */
  #textsAt(at: number): Known | null {
    const { kind, value, text } = this.#at(at);
    if (kind === 'string') return value === null ? null : { texts: [value], isPath: false };
    return kind === 'name' ? this.#knownOf(text) : null;
  }

  /** `Path('x')`, or a name for it, that ends right before a dot. */
  #pathBefore(dot: number): Known | null {
    if (this.#at(dot - 1).kind === 'name' && !this.#is(dot - 2, '.')) {
      const known = this.#knownOf(this.#at(dot - 1).text);
      return known?.isPath === true ? known : null;
    }
    const made = this.#pathMade(dot - 4);
    return made !== null && made.end === dot ? made.known : null;
  }

  /** `Path('x')` or `pathlib.Path('x')` that has its `Path` here. */
  #pathMade(at: number): { readonly known: Known; readonly end: number } | null {
    const isPath =
      this.#taken.get(this.#at(at).text) === 'pathlib.Path' ||
      (this.#is(at, 'Path') && this.#moduleBefore(at) === 'pathlib' && this.#is(at - 1, '.'));
    if (!isPath || !this.#is(at + 1, '(') || !this.#is(at + 3, ')')) return null;
    const texts = this.#textsAt(at + 2);
    return texts === null ? null : { known: { ...texts, isPath: true }, end: at + 4 };
  }

  #knownOf(name: string): Known | null {
    const found = this.#known.get(name);
    if (found !== undefined) return found;
    this.#known.set(name, null);
    const known = this.#lookUp(name);
    this.#known.set(name, known);
    return known;
  }

  /** One place gives the name its value, and in all others it is surely only used. */
  #lookUp(name: string): Known | null {
    if (this.#modules.has(name) || this.#taken.has(name) || named.has(name)) return null;
    const places = this.#tokens.flatMap((token, at) =>
      token.kind === 'name' && token.text === name && !this.#is(at - 1, '.') ? [at] : [],
    );
    const [first, ...others] = places.filter((at) => !this.#isUsed(at));
    if (first === undefined || others.length > 0) return null;
    if (this.#is(first + 1, '=') && this.#startsStatement(first)) return this.#given(first + 2);
    return this.#is(first - 1, 'for') && this.#is(first + 1, 'in') ? this.#listed(first + 2) : null;
  }

  /** Something is taken of it, or it is the first that a call is given, or it is looked through. */
  #isUsed(at: number): boolean {
    if (this.#is(at + 1, '.')) return true;
    if (!this.#is(at + 1, ')', ',', '}', '\n', ':')) return false;
    if (this.#is(at - 1, '{') && this.#is(at + 1, '}')) return true;
    if (this.#is(at - 1, 'in', 'not', 'return', '+', '%', '==')) return true;
    return this.#is(at - 1, '(') && this.#isCall(at - 1);
  }

  /** Whether this bracket opens the arguments of a call, and not those of a function that is made. */
  #isCall(bracket: number): boolean {
    const { kind, text } = this.#at(bracket - 1);
    if (!this.#is(bracket, '(')) return false;
    return kind === 'name' && !statements.has(text) && !this.#is(bracket - 2, 'def');
  }

  #given(at: number): Known | null {
    const { kind, value } = this.#at(at);
    if (kind === 'string')
      return value !== null && this.#is(at + 1, '\n', ';')
        ? { texts: [value], isPath: false }
        : null;
    const start = this.#is(at + 1, '.') ? at + 2 : at;
    const made = this.#pathMade(start);
    return made !== null && this.#is(made.end, '\n', ';') ? made.known : null;
  }

  /** `in ['a', 'b']:` */
  #listed(start: number): Known | null {
    if (!this.#is(start, '[', '(')) return null;
    const texts: string[] = [];
    for (let at = start + 1; ; at += 2) {
      const { kind, value } = this.#at(at);
      if (kind !== 'string' || value === null) return null;
      texts.push(value);
      const end = this.#is(at + 1, ',') && this.#is(at + 2, ']', ')') ? at + 2 : at + 1;
      // One text in round brackets is no list, and something may be added behind them.
      if (this.#is(end, ']', ')')) {
        const isList = texts.length > 1 || this.#is(start, '[');
        return isList && this.#is(end + 1, ':', ']', ')', '}') ? { texts, isPath: false } : null;
      }
      if (!this.#is(at + 1, ',')) return null;
    }
  }

  /** The one argument is a file that is named. */
  #readsNamed(at: number): boolean {
    const known = this.#is(at + 1, ')') ? this.#textsAt(at) : null;
    return known !== null && this.#reaches(known, 'reads', at);
  }

  /** `open('x', 'w', encoding='utf-8')`: the file is named, and so is what is done with it. */
  #opens(bracket: number): boolean {
    const known = this.#textsAt(bracket + 1);
    if (known === null) return false;
    let mode = 'r';
    for (let at = bracket + 2; !this.#is(at, ')');) {
      if (!this.#is(at, ',')) return false;
      at += 1;
      if (this.#is(at, ')')) break;
      const isNamed = this.#is(at + 1, '=');
      const key = isNamed ? this.#at(at).text : 'mode';
      if (!isNamed && at !== bracket + 3) return false;
      if (!/^(?:mode|encoding|errors|newline)$/.test(key)) return false;
      if (isNamed) at += 2;
      const { kind, value, text } = this.#at(at);
      if (key === 'mode') {
        if (kind !== 'string' || value === null || !/^[rwaxbt+]{1,4}$/.test(value)) return false;
        mode = value;
      } else if (kind !== 'string' && text !== 'None') return false;
      at += 1;
    }
    const use = !/[wax+]/.test(mode) ? 'reads' : /[r+]/.test(mode) ? 'edits' : 'writes';
    return this.#reaches(known, use, bracket);
  }

  #reaches({ texts }: Known, use: PathUse, at: number): boolean {
    if (use !== 'reads') {
      // A module beside the code would be imported by what comes after it.
      if (texts.some((text) => isImportable(text))) return false;
      this.#firstWrite = Math.min(this.#firstWrite, at);
    }
    if (texts.some((text) => text === '' || text.includes('\0'))) return false;
    // Python knows no home folder in names.
    for (const text of texts)
      this.effects.push(path(use, text.startsWith('~') ? `./${text}` : text, this.#word));
    return true;
  }
}

function isImportable(text: string): boolean {
  const parts = text.split('/').filter((part) => part !== '' && part !== '.');
  const name = parts.at(-1) ?? '';
  const isBeside = parts.length < 2 || parts.includes('..') || text.startsWith('/');
  return /\.(?:pyc?|pyd|so|pth)$/i.test(name) && (isBeside || name.startsWith('__init__'));
}
