import { isPlainVariable } from '../plan/environment.ts';
import type { Assignment } from '../plan/types.ts';
import { never, open, strictest, type Finding } from './finding.ts';
import { recordOf } from './list.ts';
import type { Argument } from './types.ts';
import { judgeValue, type WritePlace } from './writes/judge.ts';

/** What the variables that are set around a program mean for it. */

/** What runs a project's code writes where a variable of it says, whatever that is called. */
export function judgeNamed(
  name: string,
  assignments: readonly Assignment[],
  where: WritePlace,
): Finding {
  const record = recordOf(name);
  if (record?.project === undefined && record?.runs !== 'code') return open;
  const given = assignments.filter((one) => one.kept !== true && one.imports !== true);
  return given
    .filter((one) => !isPlainVariable(one.name))
    .map((one) => judgeValue(one.name, one.value, where))
    .reduce(strictest, open);
}

/** Some programs expand what their variables hold, and hand it to a shell. */
export function judgeVariables(name: string, assignments: readonly Assignment[]): Finding {
  const expands = recordOf(name)?.expands;
  return expands === undefined || assignments.every(({ value }) => expands.plain.test(value))
    ? open
    : never(expands.why);
}

/**
 * Code of the project that is imported before anything else. Tests are code of the project in any
 * case; whoever allowed another program did not think of running such.
 */
export function judgeImports(
  name: string,
  args: readonly Argument[],
  assignments: readonly Assignment[],
): Finding {
  const set = assignments.find(({ imports }) => imports === true);
  if (set === undefined) return open;
  const [option, module] = args;
  const isModule =
    /^python[\d.]*$/.test(name) &&
    option?.text === '-m' &&
    module?.live === null &&
    /^(?:pytest|unittest)$/.test(module.text);
  return isModule || /^(?:pytest|py\.test|python[\d.]*-pytest|mocha|jest|vitest|rspec)$/.test(name)
    ? open
    : never(`${set.name} has it import code of the project`);
}
