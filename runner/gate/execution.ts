import { resolve } from 'node:path';
import type { HostTask } from '../hosts/types.ts';
import { isMissing } from './ask.ts';
import type { Understood } from './types.ts';

/**
 * What exactly is handed to the host: the plan where there is one, else what was shown to the
 * person, byte for byte.
 */
export function executionOf(understood: Understood): HostTask['execution'] {
  const { analysis, command, text } = understood;
  if (isMissing(understood)) return { kind: 'missing', name: command.argv?.[0] ?? text };
  if (analysis.ok) {
    if (analysis.plan.execution !== null) return analysis.plan.execution;
    throw new Error('what the host of an agent carries out is not run here');
  }
  if (command.command !== undefined) return { kind: 'shell', text: command.command };
  const argv = command.argv ?? [];
  const executable = analysis.stages[0]?.executable;
  const name = argv[0] ?? '';
  if (executable?.kind === 'file') return { kind: 'argv', file: executable.path, argv };
  if (name.includes('/')) return { kind: 'argv', file: resolve(command.cwd, name), argv };
  return { kind: 'missing', name };
}

/** What runs, as text for the log and for the caller. */
export function canonicalOf({ analysis, text }: Understood): string {
  return analysis.ok ? analysis.plan.canonical : text;
}
