import { spawnSync } from 'node:child_process';
import { compile, compileBelow } from '../../../../shared/engine/programs/compile.ts';
import type { Entry, Table } from '../../../../shared/engine/programs/compile.ts';
import { recordOf } from '../../../../shared/engine/programs/list.ts';
import type { Use } from '../../../../shared/engine/programs/types.ts';
import type { Random } from '../../../fuzz/random.ts';
import { givens } from './givens.ts';
import type { Given } from './givens.ts';
import { isPattern, pathWord, plainWord } from './values.ts';
import { searchPath } from './run.ts';

/** A command line, whose folder is still open. */
export interface Line {
  readonly program: string;
  readonly given: Given;
  readonly words: readonly string[];
}

export interface Source {
  readonly program: string;
  readonly given: Given;
  readonly table: Table;
}

/** The programs that this machine has, each with the grammar that its words are made by. */
export function sources(): readonly Source[] {
  const names = [...new Set(givens.map(([name]) => name))];
  const { stdout } = spawnSync('sh', ['-c', names.map((one) => `command -v ${one};`).join('')], {
    encoding: 'utf8',
    env: { PATH: searchPath },
  });
  const here = new Set(stdout.split('\n').map((path) => path.slice(path.lastIndexOf('/') + 1)));
  return givens.flatMap(([program, given]) => {
    const record = recordOf(program);
    if (record === null || !here.has(program)) return [];
    let table = compile(record.grammar);
    for (const word of given.command ?? []) {
      const commands = Object.entries(table.grammar.commands ?? {});
      const [, command] = commands.find(([key]) => key.split(' ').includes(word)) ?? [];
      if (command !== undefined) table = compileBelow(table, word, command);
    }
    return [{ program, given, table }];
  });
}

const pathKinds: ReadonlySet<Use['kind']> = new Set([
  'reads',
  'writes',
  'edits',
  'deletes',
  'into',
]);

function valueFor(use: Use, given: Given, random: Random): string {
  if (pathKinds.has(use.kind)) return random.chance(90) ? pathWord(random) : plainWord(random);
  if (use.kind === 'starts' || use.kind === 'shell') return 'canary';
  return plainWord(random, given.values);
}

/** One option, in one of the ways that its parser takes it. */
function written(entry: Entry, source: Source, random: Random): readonly string[] {
  const { table, given } = source;
  const { syntax } = table;
  const { use } = entry;
  const value = valueFor(use, given, random);
  if (syntax.keyValue === true) return [`${entry.name}${value}`];
  if (entry.name.startsWith('--') || entry.name.length > 2) {
    const name = shortened(negated(entry.name, source, random), source, random);
    if (use.arity === 'none') return [name];
    if (syntax.equals && (use.arity !== 'required' || random.chance(60))) {
      return use.arity !== 'required' && random.chance(30) ? [name] : [`${name}=${value}`];
    }
    return use.arity === 'optional' ? [name] : [name, value];
  }
  const letters = clustered(source, random);
  const word = `-${letters}${entry.name.slice(1)}`;
  if (use.arity === 'none') return [word];
  if (use.arity !== 'required') return random.chance(40) ? [word] : [`${word}${value}`];
  return random.chance(50) && value !== '' ? [`${word}${value}`] : [word, value];
}

function negated(name: string, { table }: Source, random: Random): string {
  if (table.syntax.negates !== true || !random.chance(8)) return name;
  return name.startsWith('--no-') ? `--${name.slice(5)}` : name.replace(/^--/, '--no-');
}

function shortened(name: string, { table }: Source, random: Random): string {
  if (!table.syntax.abbreviates || !random.chance(35) || name.length < 5) return name;
  return name.slice(0, 4 + random.below(name.length - 4));
}

/** Letters without a value that stand in front of another. */
function clustered({ table }: Source, random: Random): string {
  if (!table.syntax.clusters || !random.chance(35)) return '';
  const flags = [...table.letters].filter(([, { use }]) => use.arity === 'none');
  if (flags.length === 0) return '';
  return Array.from({ length: 1 + random.below(2) }, () => random.pick(flags)[0]).join('');
}

function operandsOf({ given, table }: Source, random: Random): readonly string[] {
  if (given.operands !== undefined) return given.operands(random);
  const { operands } = table.grammar;
  if (operands === undefined) return [];
  const { first = [], rest, last } = operands;
  const uses = [
    ...first,
    ...(rest === undefined ? [] : Array.from({ length: random.below(3) }, () => rest)),
    ...(last === undefined ? [] : [last]),
  ];
  return uses.map((use) => valueFor(use, given, random));
}

/**
 * The words as other parsers have them, which this program may take otherwise or not at all: what a
 * grammar says of a parser is then tried, too, not only what it says of the options.
 */
function strayed(words: readonly string[], { table }: Source, random: Random): readonly string[] {
  const letters = [...table.letters.keys()];
  const places = words.flatMap((word, at) => (/^--?\w/.test(word) ? [at] : []));
  const at = places.length > 0 ? random.pick(places) : random.below(words.length + 1);
  const word = words[at] ?? '';
  const [name = '', ...value] = word.split('=');
  const instead = (...others: readonly string[]): readonly string[] =>
    words.toSpliced(at, 1, ...others);
  const between = (other: string): readonly string[] =>
    words.toSpliced(random.below(words.length + 1), 0, other);
  switch (random.below(10)) {
    case 0:
      return word.startsWith('--') && value.length > 0
        ? instead(name, value.join('='))
        : instead(word.replace(/^(-\w)(?==?)/, '$1='));
    case 1:
      return /^--?\w/.test(word) && value.length === 0 && words[at + 1] !== undefined
        ? words.toSpliced(at, 2, `${word}=${words[at + 1] ?? ''}`)
        : instead(`${word}=`);
    case 2:
      return instead(word.replace(/^-(-\w)/, '$1'));
    case 3:
      return instead(word.startsWith('--') ? word.slice(0, 3 + random.below(3)) : `-${word}`);
    case 4:
      return letters.length === 0
        ? between('-')
        : instead(`-${random.pick(letters)}${random.pick(letters)}`, pathWord(random));
    case 5:
      return instead(`${word}${random.pick(['-', '+', '0', '='])}`);
    case 6:
      return instead(word.replace(/^--?/, '+'));
    case 7:
      return /^-\w\w+$/.test(word)
        ? instead(
            ...word
              .slice(1)
              .split('')
              .map((one) => `-${one}`),
          )
        : between('');
    case 8:
      return between(random.pick(['-', '--', '@', '+', '@f', '=', '-1', '-2k', '+1']));
    default:
      return words.toSpliced(at, 1).toSpliced(random.below(words.length), 0, word);
  }
}

/** One line: options in any place, sometimes a `--`, values of all kinds. */
export function makeLine(from: readonly Source[], random: Random): Line {
  const source = random.pick(from);
  const { program, given, table } = source;
  const entries = [...table.letters.values(), ...table.names.values()];
  const calm = entries.filter(({ use }) => isCalm(use));
  const options = Array.from({ length: entries.length === 0 ? 0 : random.below(4) }, () =>
    // What pins the line by itself is tried, too, but shows nothing.
    written(random.pick(calm.length > 0 && random.chance(90) ? calm : entries), source, random),
  );
  const operands = operandsOf(source, random).map((one) => [one]);
  if (given.expressions !== undefined) {
    const shown = Array.from({ length: 1 + random.below(3) }, () =>
      random.pick(given.expressions ?? ['']).split('|'),
    );
    return { program, given, words: [...operands, ...shown].flat() };
  }
  const parts: (readonly string[])[] = [...operands];
  const mixes = table.syntax.permutes && random.chance(40);
  for (const option of options) parts.splice(mixes ? random.below(parts.length + 1) : 0, 0, option);
  if (random.chance(4)) parts.splice(random.below(parts.length + 1), 0, ['--']);
  const words = random.chance(25) ? strayed(parts.flat(), source, random) : parts.flat();
  return { program, given, words: [...(given.command ?? []), ...words] };
}

function isCalm({ level, kind }: Use): boolean {
  return level === undefined && !['starts', 'shell', 'code', 'loads'].includes(kind);
}

/** The line as a shell gets it, in its folder. Patterns are left to the shell. */
export function textOf({ program, words }: Line, place: string): string {
  const quoted = (word: string): string => {
    const full = word.replaceAll('{R}', place);
    return isPattern(word) || /^[\w./=,:@%+-]+$/.test(full)
      ? full
      : `'${full.replaceAll("'", `'\\''`)}'`;
  };
  return [program, ...words.map(quoted)].join(' ');
}
