import type { Rule } from '../policy/types.ts';
import { compileArgs } from './args.ts';
import { compileGlob } from './glob.ts';
import { compileRegex } from './regex.ts';
import { argumentDigest } from './argument-text.ts';

const anywhere = { home: '/', ignoreCase: false } as const;

/** What in a rule cannot be understood, as a sentence; null when all of it can. */
export function ruleProblem(rule: Rule): string | null {
  if (rule.pattern === '') return 'its pattern is empty.';
  return (
    globProblem('pattern', rule.pattern) ??
    argsProblem(rule) ??
    regexProblem(rule.argPattern) ??
    globProblem('cwd', rule.cwd) ??
    (rule.writes ?? []).map((glob) => globProblem('writes', glob)).find((it) => it !== null) ??
    null
  );
}

function globProblem(field: string, glob: string | undefined): string | null {
  const problem = glob === undefined ? null : compileGlob(glob, anywhere).problem;
  return problem === null ? null : `its ${field} "${glob}" is no glob: ${problem}.`;
}

function argsProblem(rule: Rule): string | null {
  const problem = rule.args === undefined ? null : compileArgs(rule.args, '/').problem;
  return problem === null ? null : `its args are not valid: ${problem}.`;
}

function regexProblem(pattern: string | undefined): string | null {
  if (pattern === undefined || argumentDigest(pattern) !== null) return null;
  const { problem } = compileRegex(pattern);
  return problem === null ? null : `its argPattern cannot be run in linear time: ${problem}.`;
}
