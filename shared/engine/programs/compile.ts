import type { Syntax } from './syntax.ts';
import type { Grammar, Use } from './types.ts';

/** One spelling of an option. */
export interface Entry {
  readonly name: string;
  readonly use: Use;
  /** All spellings of the same option. */
  readonly key: string;
}

/** Looked up by what the parser sees: a letter, or a name without its dashes. */
export interface Table {
  readonly syntax: Syntax;
  readonly grammar: Grammar;
  readonly letters: ReadonlyMap<string, Entry>;
  readonly names: ReadonlyMap<string, Entry>;
}

const tables = new WeakMap<Grammar, Table>();
const below = new WeakMap<Table, Map<string, Table>>();

/** The lookup table of a grammar, made once on first use. */
export function compile(grammar: Grammar): Table {
  const made = tables.get(grammar);
  if (made !== undefined) return made;
  const table = build(grammar, []);
  tables.set(grammar, table);
  return table;
}

/** The same for a subcommand, with the options of its parent where the syntax hands them down. */
export function compileBelow(parent: Table, name: string, grammar: Grammar): Table {
  if (grammar.syntax.inherits !== true) return compile(grammar);
  const children = below.get(parent) ?? new Map<string, Table>();
  below.set(parent, children);
  const made = children.get(name);
  if (made !== undefined) return made;
  const table = build(grammar, [...parent.letters.values(), ...parent.names.values()]);
  children.set(name, table);
  return table;
}

function build(grammar: Grammar, inherited: readonly Entry[]): Table {
  const { syntax } = grammar;
  const letters = new Map<string, Entry>();
  const names = new Map<string, Entry>();
  const put = (entry: Entry): void => {
    const { name } = entry;
    if (syntax.keyValue === true) names.set(name.slice(0, -1), entry);
    else if (name.startsWith('--')) names.set(cased(syntax, name.slice(2)), entry);
    else if (syntax.singleDash === true) names.set(name.slice(1), entry);
    else if (name.length === 2) letters.set(name.slice(1), entry);
    else names.set(name, entry);
  };
  inherited.forEach(put);
  for (const [spellings, use] of Object.entries(grammar.options ?? {}))
    for (const name of spellings.split(' ')) put({ name, use, key: spellings });
  return { syntax, grammar, letters, names };
}

function cased(syntax: Syntax, name: string): string {
  return syntax.ignoresCase === true ? name.toLowerCase() : name;
}

/** The option that a long name means, or why it means none. */
type Found =
  | { readonly kind: 'found'; readonly entry: Entry; readonly negated: boolean }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'ambiguous' };

const unknown: Found = { kind: 'unknown' };

/** Resolves a long name as the parser of this syntax does; a whole name wins over abbreviations. */
export function findLong({ syntax, names }: Table, written: string): Found {
  const name = cased(syntax, written);
  const exact = names.get(name);
  if (exact !== undefined) return { kind: 'found', entry: exact, negated: false };
  const opposite = syntax.negates === true ? exactOpposite(names, name) : undefined;
  if (opposite !== undefined) return { kind: 'found', entry: opposite, negated: true };
  if (!syntax.abbreviates || name === '') return unknown;
  let found: Found = unknown;
  for (const [candidate, entry] of names)
    for (const [spelling, negated] of forms(syntax, candidate)) {
      if (!spelling.startsWith(name)) continue;
      // Spellings of one option are no rivals.
      if (found.kind === 'found' && (found.entry.key !== entry.key || found.negated !== negated))
        return { kind: 'ambiguous' };
      if (found.kind !== 'found') found = { kind: 'found', entry, negated };
    }
  return found;
}

/** `no-foo` where there is `foo`, and `foo` where there is only `no-foo`. */
function exactOpposite(names: ReadonlyMap<string, Entry>, name: string): Entry | undefined {
  return name.startsWith('no-') ? names.get(name.slice(3)) : names.get(`no-${name}`);
}

function forms(syntax: Syntax, name: string): readonly (readonly [string, boolean])[] {
  if (syntax.negates !== true) return [[name, false]];
  const other = name.startsWith('no-') ? name.slice(3) : `no-${name}`;
  return [
    [name, false],
    [other, true],
  ];
}
