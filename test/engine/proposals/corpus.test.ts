import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Analysis } from '../../../shared/engine/plan/types.ts';
import type { Proposal } from '../../../shared/engine/ask.ts';
import { propose, withRules } from '../../../shared/engine/proposals/propose.ts';
import type { Rule } from '../../../shared/engine/policy/types.ts';
import { decide } from '../../../shared/engine/decide/decide.ts';
import { analyserOn } from '../../support/machine.ts';
import { inputFor } from '../../support/stages.ts';

function linesOf(path: string): readonly string[] {
  return readFileSync(new URL(`../../fixtures/${path}`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#') && !line.includes('\\n'));
}

const everyday = linesOf('everyday/commands.txt');
const withoutFirstWord = (line: string) => line.slice(line.indexOf(' ') + 1);
const risky = linesOf('risk/flagged.txt')
  .filter((line) => /^\S*:high/.test(line))
  .map(withoutFirstWord);
const bypasses = linesOf('bypass/verdicts.txt')
  .map(withoutFirstWord)
  .filter((command) => !command.includes('\\x'));
const written = ['places', 'carriers', 'options'].flatMap((name) => linesOf(`bypass/${name}.txt`));
let analyse: (command: string) => Analysis;
let proposals: ReadonlyMap<string, readonly Proposal[]>;

beforeAll(async () => {
  analyse = await analyserOn();
  proposals = new Map(everyday.map((command) => [command, proposalsFor(command)]));
}, 60_000);

function situation(command: string, rules: readonly Rule[] = []) {
  return inputFor(analyse(command), { rules, request: { command } });
}

function proposalsFor(command: string): readonly Proposal[] {
  const input = situation(command);
  return propose(input, decide(input));
}

describe('proposals for everyday commands', () => {
  it('stick: with the rules of any of them the same command runs unasked', () => {
    for (const command of everyday) {
      for (const proposal of proposals.get(command) ?? []) {
        const verdict = decide(withRules(situation(command), proposal.rules));
        expect([command, proposal.scope, verdict.decision]).toEqual([
          command,
          proposal.scope,
          'allow',
        ]);
      }
    }
  });

  it('are made for most of those that would be asked about', () => {
    const asked = everyday.filter((command) => decide(situation(command)).decision === 'ask');
    const helped = asked.filter((command) => (proposals.get(command) ?? []).length > 0);
    process.stdout.write(`remembered: ${helped.length} of ${asked.length} asked\n`);
    expect(helped.length / asked.length).toBeGreaterThan(0.7);
  });

  it('do not leak: with all of them taken, as wide as they go, nothing risky and no bypass runs', () => {
    const rules = everyday.flatMap((command, index) =>
      (proposals.get(command)?.at(-1)?.rules ?? []).map((rule, at) => ({
        ...rule,
        id: `${index}-${at}`,
      })),
    );
    expect(rules.length).toBeGreaterThan(100);
    const { policy } = situation('true', rules);
    const ran = [...risky, ...bypasses, ...written].filter(
      (command) => decide({ ...situation(command), policy }).decision === 'allow',
    );
    expect(ran).toEqual([]);
  });
});
