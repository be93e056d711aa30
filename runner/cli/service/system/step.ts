import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { writeFileAtomic } from '../../../../shared/node/files/atomic-write.ts';
import { CliError } from '../../failure.ts';
import type { RunTool } from '../manager.ts';

/** One thing that an installation does: told as it is with `--dry-run`, else done. */
export type Step =
  | { readonly kind: 'run'; readonly tool: string; readonly args: readonly string[] }
  | { readonly kind: 'write'; readonly path: string; readonly text: string }
  | { readonly kind: 'remove'; readonly path: string }
  | { readonly kind: 'folder'; readonly path: string; readonly account: string };

/** A step in words; commands as their words, each quoted where a shell would need it. */
export function stepLines(step: Step): readonly string[] {
  if (step.kind === 'run') return [`run     ${[step.tool, ...step.args].map(shown).join(' ')}`];
  if (step.kind === 'folder') return [`make    ${step.path}  (0700, ${step.account})`];
  if (step.kind === 'remove') return [`remove  ${step.path}`];
  const lines = step.text.trimEnd().split('\n');
  return [
    `write   ${step.path}  (0644, root)`,
    ...lines.map((line) => `        ${line}`.trimEnd()),
  ];
}

export interface DoOptions {
  readonly run: RunTool;
  /** The ids of an account that an earlier step may have made. */
  readonly idsOf: (account: string) => Promise<{ readonly uid: number; readonly gid: number }>;
}

/** Does one step, or throws a `CliError` that names it. */
export async function doStep(step: Step, { run, idsOf }: DoOptions): Promise<void> {
  if (step.kind === 'run') {
    const { ok, missing, said } = await run(step.tool, step.args);
    if (ok) return;
    const line = [step.tool, ...step.args].map(shown).join(' ');
    throw new CliError(
      missing ? `${step.tool} is not on this machine.` : `${line} failed: ${said}`,
      'What was done until then stays. Put that right and install again: it is safe to repeat.',
    );
  }
  if (step.kind === 'write') {
    const before = existsSync(step.path) ? readFileSync(step.path, 'utf8') : null;
    if (before !== step.text) writeFileAtomic(step.path, step.text, { mode: 0o644 });
  } else if (step.kind === 'remove') rmSync(step.path, { force: true });
  else makeFolder(step.path, await idsOf(step.account));
}

/** Its parent is root's, so nobody can put something else in its place in between. */
function makeFolder(
  path: string,
  { uid, gid }: { readonly uid: number; readonly gid: number },
): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const stats = lstatSync(path);
  if (!stats.isDirectory() || (stats.uid !== uid && stats.uid !== 0))
    throw new CliError(`${path} is not a folder of that user.`, 'Look at it, then move it away.');
  chownSync(path, uid, gid);
  chmodSync(path, 0o700);
}

function shown(word: string): string {
  return /^[\w./:=@%+,-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
