import type { Plan, Stage } from '../../../shared/engine/plan/types.ts';

/**
 * Whether a line could start a real program of this machine: through a PATH that is not the
 * throw-away one, or by a path outside of the throw-away folder. Judged by the text as well as by
 * the plan, since the plan is what is being tested.
 */
export function mayReachOthers(line: string, plan: Plan, root: string): boolean {
  return resetsPath(line) || plan.stages.some((stage) => leaves(stage, root));
}

/** `env -i`, `env -u PATH`, `command -p`, login shells. Quotes must not hide a word. */
function resetsPath(line: string): boolean {
  const bare = line.replaceAll(/\\\n|[\\'"]/g, '').replaceAll('-u FOO', '');
  return (
    /\benv\s[^;&|\n]*(?:^|\s)-/.test(bare) ||
    /\bcommand\s[^;&|\n]*-[a-z]*p/.test(bare) ||
    /\b(?:ba|da|)sh\s+(?:-\S*\s+)*(?:-[a-z]*[li]|--)/.test(bare) ||
    /PATH/.test(bare)
  );
}

/** A real program that is not looked through could do as it likes with its words. */
function leaves({ executable, argv }: Stage, root: string): boolean {
  if (executable.kind === 'builtin') return false;
  const path = executable.kind === 'file' ? executable.realPath : (argv[0] ?? '');
  if (executable.kind === 'missing') return path.startsWith('/');
  return !path.startsWith(`${root}/`);
}
