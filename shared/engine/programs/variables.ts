import { isPlainVariable } from '../plan/environment.ts';
import type { Assignment, FileView } from '../plan/types.ts';
import { never, open, pinned, strictest, type Finding } from './finding.ts';
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

/**
 * Python imports from the folder where it is started before it looks among its own modules: what lies
 * there by the name of one would run. Where an earlier part of the command may have put something
 * there, or the folder cannot be listed, a rule has to hold the very words.
 */
export function judgeShadows(
  name: string,
  cwd: string | null,
  { files, changed }: { readonly files: FileView; readonly changed: boolean },
): Finding {
  const shadows = recordOf(name)?.code?.shadows;
  const entries = cwd === null || changed ? null : files.entries?.(cwd);
  if (shadows === undefined || entries === null || entries === undefined)
    return pinned('it is not certain which modules python imports here');
  const isPackage = (folder: string): boolean =>
    files.entries?.(`${cwd ?? ''}/${folder}`)?.some(([one]) => one.startsWith('__init__.')) !==
    false;
  const found = entries.find(([entry, kind]) => shadows(entry, kind, isPackage));
  return found === undefined
    ? open
    : pinned(`python would import ${found[0]} as one of its modules`);
}
