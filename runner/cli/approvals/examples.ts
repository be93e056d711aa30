import type { ExampleCheck } from '../../../shared/policy/edit.ts';
import type { PolicyDocument, Rule } from '../../../shared/policy/types.ts';

import { failedExamples } from '../../../shared/rules/examples.ts';
import { refuse } from '../../../shared/refusal/refusal.ts';
import { openBench } from '../check/bench.ts';
import { hashFile } from '../check/hash-file.ts';
import type { Io } from '../io.ts';

/** The check of one rule against the examples that it carries, on this machine. */
export async function exampleCheck(io: Io): Promise<ExampleCheck> {
  const { analyser, surroundings, cwd, now } = await openBench({}, io);
  const { home, platform } = surroundings;
  return (rule) =>
    failedExamples(rule, {
      analyse: (command) => analyser.analyse({ command, cwd }, surroundings),
      home,
      platform,
      hashFile,
      now: now(),
    });
}

/** A rule and the agent that it stands under. */
export interface PlacedRule {
  readonly agent: string;
  readonly rule: Rule;
}

/** Every rule of a policy, agent by agent. */
export function rulesOf(document: PolicyDocument): readonly PlacedRule[] {
  return Object.entries(document.agents ?? {}).flatMap(([agent, { allowlist = [] }]) =>
    allowlist.map((rule) => ({ agent, rule })),
  );
}

/** One sentence for each example that fails, with the rule that carries it. */
export function failuresOf(document: PolicyDocument, check: ExampleCheck): readonly string[] {
  return rulesOf(document).flatMap(({ agent, rule }) =>
    check(rule).map((sentence) => `Rule ${rule.id} of ${agent}: ${sentence}`),
  );
}

/** Throws `config-invalid` with the first example that fails. */
export async function checkEveryRule(document: PolicyDocument, io: Io): Promise<void> {
  const check = await exampleCheck(io);
  const [first] = failuresOf(document, check);
  if (first === undefined) return;
  throw refuse('config-invalid', first, 'Mend the rule or its example; nothing was written.');
}
