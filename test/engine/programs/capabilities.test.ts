import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { compile, compileBelow } from '../../../shared/engine/programs/compile.ts';
import type { Entry, Table } from '../../../shared/engine/programs/compile.ts';
import { everyRecord } from '../../../shared/engine/programs/list.ts';
import { readArguments } from '../../../shared/engine/programs/read.ts';
import type { Effect, ProgramRecord } from '../../../shared/engine/programs/types.ts';
import { table as tableOf } from '../../support/table.ts';

const capabilities = [
  'reads',
  'writes',
  'deletes',
  'starts programs',
  'takes code',
  'reaches the network',
  'changes settings',
] as const;
type Capability = (typeof capabilities)[number];

/** What can be seen only in a language of its own, or in an order of its own. */
const languages: readonly (readonly string[])[] = [
  ['1e id', 'f'],
  ['w f', 'f'],
  ['BEGIN{system("id")}'],
  ['{print > "f"}'],
  ['.', '-delete'],
  ['.', '-exec', 'id', ';'],
  ['.', '-fprint', 'f'],
  ['xf', 'a.tar'],
  ['cf', 'a.tar', 'x'],
  ['x', 'a.7z'],
  ['if=a', 'of=b'],
  ['id'],
  ['id', 'x'],
  ['-i', 'p', 'f'],
];

/** Words that try an option by itself and with operands, each with a value of a plain kind. */
function tries({ syntax, grammar }: Table, { name, use }: Entry): readonly (readonly string[])[] {
  if (syntax.keyValue === true) return [[`${name}x`]];
  const operands = grammar.operands === undefined ? [[]] : [[], ['a'], ['a', 'b']];
  const value = 'x';
  return operands.map((behind) => {
    if (use.arity === 'none') return [name, ...behind];
    if (use.arity === 'required') return [name, value, ...behind];
    return [name.startsWith('--') ? `${name}=${value}` : `${name}${value}`, ...behind];
  });
}

/** All words that a record is tried with: each option of the program and of its commands. */
function probesOf(record: ProgramRecord): readonly (readonly string[])[] {
  const found: (readonly string[])[] = [...languages];
  const look = (table: Table, before: readonly string[]): void => {
    found.push(before, [...before, 'a'], [...before, 'a', 'b']);
    for (const entry of [...table.letters.values(), ...table.names.values()])
      found.push(...tries(table, entry).map((words) => [...before, ...words]));
    for (const [names, command] of Object.entries(table.grammar.commands ?? {})) {
      const [name = ''] = names.split(' ');
      look(compileBelow(table, name, command), [...before, name]);
    }
  };
  look(compile(record.grammar), []);
  return found;
}

const ofEffect: Readonly<Record<Exclude<Effect['kind'], 'path'>, Capability>> = {
  starts: 'starts programs',
  command: 'starts programs',
  shell: 'starts programs',
  code: 'takes code',
  loads: 'takes code',
  sets: 'changes settings',
  reaches: 'reaches the network',
};

/** What a program can do with some arguments, as far as its record tells. */
function capabilitiesOf(record: ProgramRecord): ReadonlySet<Capability> {
  const found = new Set<Capability>();
  if (record.runs === 'code') found.add('takes code');
  if (record.runs === 'commands') found.add('starts programs');
  if (record.sends === true || record.elsewhere !== undefined || record.project?.network === true)
    found.add('reaches the network');
  if (record.held?.starts !== undefined) found.add('starts programs');
  if (record.project !== undefined)
    for (const one of ['reads', 'writes', 'starts programs'] as const) found.add(one);
  for (const words of probesOf(record)) {
    if (found.size === capabilities.length) break;
    const args = words.map((text) => ({ text, live: null }));
    const { effects, doubts } = readArguments(record, args);
    if (doubts.some(({ executes }) => executes === true)) found.add('starts programs');
    for (const effect of effects) {
      if (effect.kind !== 'path') found.add(ofEffect[effect.kind]);
      else if (effect.use === 'reads' || effect.use === 'deletes') found.add(effect.use);
      else found.add('writes');
      if (effect.kind === 'path' && effect.use === 'edits') found.add('reads');
    }
  }
  return found;
}

const intro = `# What programs can do

Interlock knows these programs. A column says that some arguments make the program do so; whether a
command does is told from its own words, and what the record of a program does not name is asked
about. "Held" are those whose words say all that they do: where the machine has the means, the kernel
lets them do that and no more.

The records stand in \`shared/engine/programs/records\`; a test writes this page from them, and fails
when it is not up to date.
`;

/** Nothing of its words is read: it is pinned, or never allowed, whatever they are. */
function isFixed({ grammar }: ProgramRecord): boolean {
  if (grammar.read === undefined || grammar.options !== undefined) return false;
  return readArguments({ names: [''], does: '', grammar }, []).doubts.length > 0;
}

function namesOf(records: readonly ProgramRecord[]): string {
  return records.flatMap((one) => one.names.map((name) => `\`${name}\``)).join(', ');
}

function page(): string {
  const sorted = everyRecord().toSorted((one, other) =>
    (one.names[0] ?? '') < (other.names[0] ?? '') ? -1 : 1,
  );
  const rows = sorted
    .filter((record) => !isFixed(record))
    .map((record) => {
      const can = capabilitiesOf(record);
      const cells = capabilities.map((one) => (can.has(one) ? 'yes' : ''));
      return [namesOf([record]), ...cells, record.held === undefined ? '' : 'yes'];
    });
  const asked = namesOf(sorted.filter(isFixed));
  const head = ['Program', ...capabilities, 'held'];
  return `${intro}\n${tableOf(head, rows)}\n## Asked about whatever their arguments are\n\n${asked}.\n`;
}

const file = fileURLToPath(new URL('../../../docs/programs.md', import.meta.url));

describe('the table of what programs can do', () => {
  it('stands in the documentation as the records are now', async () => {
    await expect(page()).toMatchFileSnapshot(file);
  });

  it('has what everybody knows of some programs', () => {
    const of = (name: string): readonly Capability[] => {
      const record = everyRecord().find((one) => one.names.includes(name));
      const can = record === undefined ? new Set() : capabilitiesOf(record);
      return capabilities.filter((one) => can.has(one));
    };
    expect(of('cat')).toEqual(['reads']);
    expect(of('rm')).toEqual(['deletes']);
    expect(of('sort')).toEqual(['reads', 'writes', 'starts programs']);
    expect(of('sed')).toEqual(expect.arrayContaining(['reads', 'writes', 'starts programs']));
    expect(of('find')).toEqual(expect.arrayContaining(['reads', 'deletes', 'starts programs']));
    expect(of('curl')).toEqual(expect.arrayContaining(['reads', 'writes', 'reaches the network']));
    expect(of('git')).toEqual(capabilities);
  });
});
