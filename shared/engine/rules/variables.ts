import { isPlainVariable } from '../plan/environment.ts';
import { mayBeSetFor } from '../programs/environment.ts';
import type { Stage } from '../plan/types.ts';
import type { CompiledRule } from './compiled-rule.ts';

/** What a stage is given beside its arguments, as a rule writes it. */
export function givenTo({ assignments }: Pick<Stage, 'assignments'>): readonly string[] {
  const given = assignments.filter(({ kept }) => kept !== true);
  return [...new Set(given.map(({ name, value }) => `${name}=${value}`))].toSorted();
}

/**
 * Whether a rule covers what is set for the program. A person who answered saw one command: what
 * else may be set for it stands in the rule or nowhere. A person who wrote a rule thought of
 * arguments: they cover what is known to say no more than arguments do.
 */
export function coversVariables({ rule }: CompiledRule, { assignments, ...stage }: Stage): boolean {
  if (stage.executable.kind === 'tool') return true;
  if (rule.env === undefined) {
    const answered = rule.source === 'allow-always';
    return assignments.every(
      ({ name, value, kept }) =>
        kept === true ||
        isPlainVariable(name) ||
        (!answered && mayBeSetFor(stage.executable, name, value)),
    );
  }
  const given = givenTo({ assignments });
  const named = new Set(rule.env);
  return given.length === named.size && given.every((one) => named.has(one));
}
