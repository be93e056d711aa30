import { setting } from '../analysis/plan/assign.ts';
import type { Stage } from '../analysis/types.ts';

/**
 * Builtins that need no rule, and why. They run no program and change nothing that lasts. A plan
 * holds them in harmless forms only: `set` with -e, -u, -x and pipefail, `exit` with a status.
 */
const harmless: Readonly<Record<string, string>> = {
  ':': 'It does nothing.',
  [setting]: 'It only sets a variable for the rest of the command.',
  true: 'It does nothing.',
  false: 'It does nothing.',
  cd: 'It only changes the folder for the rest of the command.',
  pwd: 'It only prints the folder.',
  echo: 'It only prints its words.',
  printf: 'It only prints its words.',
  test: 'It only looks at its words and at files.',
  '[': 'It only looks at its words and at files.',
  export: 'It only sets a variable for the rest of the command.',
  set: 'It only makes the shell stop earlier, or say what it does.',
  exit: 'It only ends the command.',
  type: 'It only says what a name stands for.',
};

/** `command -v git` only says what a name stands for; any other `command` is a wrapper. */
function isQuestion({ argv }: Stage): boolean {
  return argv[0] === 'command' && (argv[1] === '-v' || argv[1] === '-V');
}

/** Why a stage needs no rule, or null. What it prints may still not be written to a file. */
export function harmlessBuiltin(stage: Stage): string | null {
  if (stage.executable.kind !== 'builtin' || stage.trust.level !== 'open') return null;
  if (stage.writes.length > 0 || stage.carries.length > 0) return null;
  if (isQuestion(stage)) return 'It only says what a name stands for.';
  const { name } = stage.executable;
  return Object.hasOwn(harmless, name) ? (harmless[name] ?? null) : null;
}
