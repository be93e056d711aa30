import { basename } from 'node:path';
import type { Execution } from '../../../shared/analysis/types.ts';

export interface CommandLine {
  readonly file: string;
  readonly argv0: string;
  readonly args: readonly string[];
}

/** The program to start for an execution. A shell reads no start-up file and takes the text as one word. */
export function commandLine(execution: Execution, shell: string): CommandLine {
  if (execution.kind === 'argv')
    return {
      file: execution.file,
      argv0: execution.argv[0] ?? execution.file,
      args: execution.argv.slice(1),
    };
  const quiet = basename(shell) === 'bash' ? ['--noprofile', '--norc'] : [];
  return { file: shell, argv0: shell, args: [...quiet, '-c', execution.text] };
}
