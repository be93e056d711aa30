import { sha256 } from '../../base/index.ts';
import type { Stage } from '../plan/types.ts';
import type { NewRule } from '../policy/types.ts';
import { recordOf } from '../programs/list.ts';
import { redact } from '../redact/redact.ts';
import { restToken } from '../rules/args.ts';
import { escapeGlob } from '../rules/glob.ts';
import { baseName, handsOn } from '../rules/matching.ts';
import type { StageRuleOptions, StageRules } from './rules.ts';

/** The name that a person knows a program by: `awk`, not `mawk`. */
export function nameOf({ executable }: Stage): string {
  return baseName(executable.kind === 'file' ? executable.path : executable.name);
}

/** `...` as a word of the command, not as "anything after". */
export function escapeToken(word: string): string {
  return word === restToken ? String.raw`\...` : escapeGlob(word);
}

/** Widths that a stage may not have. */
export const noWider = {
  subcommand: null,
  otherFile: null,
  script: null,
  scripts: null,
  reads: null,
  local: null,
  program: null,
} as const;

/**
 * What may be offered for an interpreter: a script of a file, bound to what the file holds, or code
 * that stands in the command, as that very text. Null for one whose code is neither.
 */
export function rulesForCode(
  stage: Stage,
  base: NewRule,
  { hashFile }: StageRuleOptions,
): StageRules | null {
  const { executable, script, code, cwd, argv, trust } = stage;
  if (executable.kind !== 'file' || executable.agentWritable || cwd === null) return null;
  if (!isHeldByText(stage) || stage.globs.length > 0 || stage.reads.length > 0) return null;
  if (recordOf(nameOf(stage))?.runs !== 'code') return null;
  const words = argv.slice(1);
  // What looks like a secret is not written into the policy.
  if ([...words, code ?? ''].some((word) => redact(word) !== word)) return null;
  const here = { ...base, cwd: escapeGlob(cwd) };
  const exact: NewRule = { ...here, args: words.map(escapeToken) };
  if (script === null) {
    if (code !== undefined) return { ...noWider, exact: { ...exact, code: sha256(code) } };
    return isInline(stage) ? { ...noWider, exact } : null;
  }
  const sha = hashFile(script);
  if (sha === null) return null;
  const [first] = words;
  const isFirst =
    trust.level === 'pinned' &&
    trust.leading === 1 &&
    first !== undefined &&
    handsOn.test(executable.realPath);
  return {
    ...noWider,
    exact: { ...exact, sha256: sha },
    script: isFirst
      ? { ...here, sha256: sha, maxRisk: 'low', args: [escapeToken(first), restToken] }
      : null,
  };
}

/** Nothing but its text decides what runs, whether that was understood or not. */
export function isHeldByText({ trust, isCodeRead }: Stage): boolean {
  return trust.level === 'pinned' || (trust.level === 'open' && isCodeRead === true);
}

/** All of the code stands in the words: nothing of it is in a file or comes from elsewhere. */
function isInline({ trust, carries, isCodeRead }: Stage): boolean {
  if (trust.level === 'open') return isCodeRead === true;
  return (
    carries.length === 0 &&
    trust.level === 'pinned' &&
    / code that stands in its /.test(trust.reason)
  );
}
