import { unsafeVariable } from '../analysis/environment.ts';
import type { Stage } from '../analysis/types.ts';
import type { DecideInput } from './input.ts';

/** Variables that would change what a program does or which one runs. */
export function unsafeNames(input: DecideInput, stages: readonly Stage[]): readonly string[] {
  const names = Object.keys(input.request.env ?? {});
  for (const { assignments } of stages) names.push(...assignments.map(({ name }) => name));
  return names.filter((name) => unsafeVariable(name) !== null);
}
