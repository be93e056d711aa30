import { describe, expect, it } from 'vitest';
import { programs } from '../../../shared/engine/programs/list.ts';
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

const parts = programs.flatMap(partsOf);
const spelling = /^(?:-[^-\s]|--[A-Za-z0-9_][A-Za-z0-9._-]*|-[A-Za-z][\w.-]+|[a-z]+=|[()])$/;

describe('every record', () => {
  it('has names of its own', () => {
    const names = programs.flatMap((record) => record.names);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
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

  it.each(parts)(
    '$label says what its operands are, or has commands, or reads by itself',
    ({ grammar }) => {
      const { operands, commands, read } = grammar;
      expect([operands, commands, read].some((one) => one !== undefined)).toBe(true);
    },
  );
});
