import type { CheckBody } from '../../../shared/api/types.ts';
import type { Rule } from '../../../shared/policy/types.ts';
import { isRunner } from '../../../shared/proposals/programs.ts';

/** Fields of a rule that Codex's own rules can carry, or that do not narrow it. */
const carried: ReadonlySet<string> = new Set(
  (
    'id effect kind pattern args source note createdAt examples ' +
    'lastUsedAt uses lastUsedCommand lastResolvedPath'
  ).split(' '),
);

/**
 * The prefix that Codex may keep for a command, so that it need not ask again: never wider than the
 * rule that the person's "always" made, and only while no other rule holds anything back, because
 * Codex then runs such commands without asking the gate. Null where that cannot be said.
 */
export function amendmentFor(
  { verdict, reason, analysis }: CheckBody,
  rules: readonly Rule[],
): readonly string[] | null {
  if (verdict !== 'allow' || reason !== 'rule-allow' || !analysis.ok) return null;
  const [stage, ...others] = analysis.stages;
  if (stage === undefined || others.length > 0) return null;
  const rule = rules.find(({ id }) => id === stage.ruleId);
  if (rule?.source !== 'allow-always' || !isCarried(rule)) return null;
  if (rules.some(({ effect, kind = 'exec' }) => kind === 'exec' && (effect ?? 'allow') !== 'allow'))
    return null;
  const [program] = stage.argv;
  const words = prefixOf(rule);
  if (program === undefined || words === null || isRunner(nameOf(program))) return null;
  const prefix = [program, ...words];
  return prefix.every((word, index) => word === stage.argv[index]) ? prefix : null;
}

function isCarried(rule: Rule): boolean {
  if ((rule.effect ?? 'allow') !== 'allow' || (rule.kind ?? 'exec') !== 'exec') return false;
  return Object.entries(rule).every(
    ([field, value]) => carried.has(field) || value === undefined || value === null,
  );
}

/** The literal words before "anything after"; null for a rule that a prefix would widen. */
function prefixOf({ args }: Rule): readonly string[] | null {
  if (args === undefined) return [];
  const words = args.slice(0, -1);
  if (args.at(-1) !== '...') return null;
  const isPlain = (word: unknown): word is string =>
    typeof word === 'string' && /^[A-Za-z0-9][A-Za-z0-9_.:@-]*$/.test(word);
  return words.every(isPlain) ? words : null;
}

function nameOf(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1);
}
