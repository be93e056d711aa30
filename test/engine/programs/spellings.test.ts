import { expect, it } from 'vitest';
import { compile, compileBelow } from '../../../shared/engine/programs/compile.ts';
import type { Table } from '../../../shared/engine/programs/compile.ts';
import { judge } from '../../../shared/engine/programs/judge.ts';
import { everyRecord } from '../../../shared/engine/programs/list.ts';
import { readArguments } from '../../../shared/engine/programs/read.ts';
import type { ProgramRecord } from '../../../shared/engine/programs/types.ts';

interface Spelled {
  readonly words: readonly string[];
  readonly spellings: readonly string[];
}

/** Each option that has several spellings, with the words in front of it. */
function spelledOf(record: ProgramRecord): readonly Spelled[] {
  const found: Spelled[] = [];
  const look = ({ grammar }: Table, words: readonly string[]): void => {
    for (const key of Object.keys(grammar.options ?? {})) {
      // Letters that do nothing may share a line; only names of one option count here.
      const spellings = key.split(' ');
      const letters = spellings.filter((one) => /^-[^-]$/.test(one));
      const names = spellings.filter((one) => one.startsWith('--'));
      if (letters.length === 1 && names.length === 1) found.push({ words, spellings });
    }
    for (const [names, command] of Object.entries(grammar.commands ?? {})) {
      const [name = ''] = names.split(' ');
      look(compileBelow(compile(grammar), name, command), [...words, name]);
    }
  };
  look(compile(record.grammar), []);
  return found;
}

/** All that is known of the words, without what tells where they stand and how they are written. */
function known(record: ProgramRecord, words: readonly string[], spelling: string): string {
  const args = words.map((text) => ({ text, live: null }));
  const reading = readArguments(record, args);
  const { level } = judge(reading).trust;
  const effects = reading.effects.map((one) => ({ ...one, word: 0, why: '', words: [] }));
  const risks = reading.risks.map(({ code, level: high }) => [code, high]);
  const manner = record.walks?.(reading, record.names[0] ?? '') ?? null;
  const walks =
    manner === null
      ? null
      : Object.entries(manner).map(([key, value]) => [
          key,
          typeof value === 'function' ? 'f' : value,
        ]);
  const found = { level, effects, risks, walks, doubts: reading.doubts.length };
  return JSON.stringify(found).replaceAll(`"${spelling}"`, '""');
}

/** They only print the version or help, or one of them stands for a number as well. */
const told: ReadonlySet<string> = new Set([
  'git checkout -2 --ours',
  'git checkout -3 --theirs',
  'git stash list -a --text',
  'git stash show -a --text',
  'npx -n --no',
  'zstd -H --help',
  'pnpx -c --shell-mode',
  'psql -V --version',
  'psql -? --help',
  'mysql -? --help',
  'mysql -V --version',
  'pg_dump -V --version',
  'pg_dump -? --help',
  'apt -v --version',
  'apt -h --help',
]);

it('an option does the same in each of its spellings', () => {
  const differing = everyRecord().flatMap((record) =>
    spelledOf(record).flatMap(({ words, spellings }) => {
      const differ = [[], ['a'], ['a', 'b'], ['x', 'a', 'b']].some((operands) => {
        const [first, ...others] = spellings.map((one) =>
          known(record, [...words, one, ...operands], one),
        );
        return others.some((one) => one !== first);
      });
      return differ ? [`${record.names[0] ?? ''} ${[...words, ...spellings].join(' ')}`] : [];
    }),
  );
  expect(differing.filter((one) => !told.has(one))).toEqual([]);
  // Each of them still differs.
  expect(differing.filter((one) => told.has(one))).toHaveLength(told.size);
});
