import { describe, expect, it } from 'vitest';
import { everyRecord } from '../../../shared/engine/programs/list.ts';
import { isRunner } from '../../../shared/engine/programs/named.ts';
import { offerOf } from '../../../shared/engine/programs/forms.ts';
import { readArguments } from '../../../shared/engine/programs/read.ts';
import type { Grammar, ProgramRecord } from '../../../shared/engine/programs/types.ts';
import { riskCodes } from '../../../shared/engine/risk/finding.ts';

interface Part {
  readonly label: string;
  readonly grammar: Grammar;
  readonly does: string;
}

function partsOf(record: ProgramRecord): readonly Part[] {
  const found: Part[] = [];
  const look = (label: string, grammar: Grammar, does: string): void => {
    found.push({ label, grammar, does });
    for (const [names, command] of Object.entries(grammar.commands ?? {}))
      look(`${label} ${names}`, command, command.does);
  };
  look(record.names[0] ?? '', record.grammar, record.does);
  return found;
}

/** The words that lead to a grammar: the first name of each command on the way. */
function pathOf({ grammar }: ProgramRecord, wanted: Grammar): readonly string[] {
  const look = (at: Grammar): readonly string[] | null => {
    if (at === wanted) return [];
    for (const [names, command] of Object.entries(at.commands ?? {})) {
      const rest = look(command);
      if (rest !== null) return [names.split(' ')[0] ?? '', ...rest];
    }
    return null;
  };
  return look(grammar) ?? [];
}

const parts = everyRecord().flatMap(partsOf);

/** Words of all kinds, as each program might be given them. */
const probes = [
  [],
  ['--help'],
  ['x'],
  ['-x', 'y'],
  ['delete', 'x'],
  ['install', 'git+https://example.org/x'],
  ['push', 'x', 'https://example.org/x'],
  ['-rf', '/', '~', '.'],
  ['-e', 'x', '-c', 'y'],
  ['drop table x', 'FLUSHALL', 'db:drop'],
  ['config', 'set', 'script-shell', 'x'],
  ['cp', 'a', 's3://b'],
].map((words) => words.map((text) => ({ text, live: null })));
const spelling = /^(?:-[^-\s]|--[A-Za-z0-9_][A-Za-z0-9._-]*|-[A-Za-z][\w.-]+|[a-z]+=|[()])$/;

/** Their words are printed, or are questions about files, and none of them is an option that does more. */
const sayers: ReadonlySet<string> = new Set(
  'echo printf true false pwd yes expr test ['.split(' '),
);

describe('every record', () => {
  it('has names of its own', () => {
    const names = everyRecord().flatMap((record) => record.names);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  it('takes a secret as the value of an option alone, which is where the mask looks for it', () => {
    const others = parts.flatMap(({ label, grammar: { options = {} } }) =>
      Object.entries(options)
        .filter(([, { kind }]) => kind === 'secret')
        .flatMap(([names]) => names.split(' '))
        .filter((name) => !name.startsWith('-'))
        .map((name) => `${label} ${name}`),
    );
    expect(others).toEqual([]);
  });

  // `always` for all that a program reads covers the options that it will have tomorrow, too.
  it.each(
    everyRecord()
      .filter(({ elsewhere, names }) => elsewhere === undefined && !sayers.has(names[0] ?? ''))
      .flatMap((record) => partsOf(record).map((part) => ({ ...part, record }))),
  )('$label asks about an option that it does not name, where it may only read', (part) => {
    const { label, record } = part;
    const words = label.split(' ').length === 1 ? [] : pathOf(record, part.grammar);
    for (const option of ['--zz-unknown', '--zz-unknown=x', '-\u00b6']) {
      const args = [...words, option, 'x'].map((text) => ({ text, live: null }));
      const reading = readArguments(record, args);
      expect([option, offerOf(reading) !== 'reads' || reading.doubts.length > 0]).toEqual([
        option,
        true,
      ]);
    }
  });

  it.each(parts)('$label says in a sentence what it does', ({ does }) => {
    expect(does).toMatch(/^[A-Z].*[^.]\.$/s);
  });

  it.each(parts)('$label spells its options validly, and each once', ({ grammar }) => {
    const spelled = Object.keys(grammar.options ?? {}).flatMap((key) => key.split(' '));
    expect(spelled.filter((name) => !spelling.test(name))).toEqual([]);
    expect(spelled.filter((name, at) => spelled.indexOf(name) !== at)).toEqual([]);
  });

  it.each(parts)('$label gives reasons as clauses, and known risks', ({ grammar }) => {
    for (const use of Object.values(grammar.options ?? {})) {
      if (use.level !== undefined) expect(use.why).toMatch(/^[^.]+[^.]$/);
      if (use.risk !== undefined) expect(riskCodes).toContain(use.risk.code);
      if (use.kind === 'parsed') expect(use.parse).toBeTypeOf('function');
    }
  });

  it.each(everyRecord().map((record) => [record.names[0] ?? '', record] as const))(
    '%s finds only what has a code, in sentences, whatever it is given',
    (_name, record) => {
      for (const args of probes) {
        const { risks, doubts, effects } = readArguments(record, args);
        for (const { code, text } of risks) {
          expect(riskCodes).toContain(code);
          expect(text).toMatch(/^[A-Z].*\.$/s);
        }
        for (const { why } of doubts) expect(why).toMatch(/^[^.\s].+/s);
        for (const effect of effects) if ('why' in effect) expect(effect.why).not.toBe('');
      }
    },
  );

  it.each(everyRecord().filter(({ environment }) => environment !== undefined))(
    '$names.0 names variables, and why each steers it',
    ({ environment }) => {
      for (const [name, why] of Object.entries(environment ?? {})) {
        expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_]*\*?$/);
        expect(why).toMatch(/^[a-z].*[^.]$/);
      }
    },
  );

  it('that runs what it is told is offered no rule', () => {
    const runners = everyRecord().filter(({ runs }) => runs !== undefined);
    expect(runners.length).toBeGreaterThan(80);
    for (const { names } of runners) expect(isRunner(names[0] ?? '')).toBe(true);
    for (const name of ['python3.12', 'ruby3.2', 'Bash', 'xargs'])
      expect(isRunner(name)).toBe(true);
    expect(isRunner('git')).toBe(false);
  });

  it.each(parts)(
    '$label says what its operands are, or has commands, or reads by itself',
    ({ grammar }) => {
      const { operands, commands, read } = grammar;
      expect([operands, commands, read].some((one) => one !== undefined)).toBe(true);
    },
  );
});
