import { findElectron, hasDisplay } from '../../../shared/node/health/electron-binary.ts';
import type { HomePaths } from '../../../shared/node/home/paths.ts';
import type { Io } from '../io.ts';
import { chooseApprover } from './choose-approver.ts';
import type { ShellName } from './choose-approver.ts';
import { programsOf } from './programs.ts';
import type { Program } from './programs.ts';
import { uiSettings } from './settings.ts';

export interface ApproverProgram {
  readonly shell: ShellName;
  readonly program: Program;
}

/** The approver to start here: what was asked for, else what `config.json` says, else the best. */
export function approverProgram(
  asked: ShellName | null,
  { io, paths }: { readonly io: Io; readonly paths: HomePaths },
): ApproverProgram {
  const ui = uiSettings(paths);
  const electronBinary = findElectron(io);
  const display = hasDisplay(io.env, process.platform);
  const shell = chooseApprover({ wanted: asked ?? ui.shell, electronBinary, hasDisplay: display });
  const programs = programsOf(io.packageRoot);
  if (shell === 'electron' && electronBinary !== null)
    return { shell, program: programs.electron(electronBinary) };
  if (shell === 'terminal') return { shell, program: programs.terminal };
  const { console } = programs;
  const opens = ui.openBrowser && display && io.stdout.isTTY === true;
  return {
    shell: 'console',
    program: { ...console, args: [...console.args, ...(opens ? ['--open'] : [])] },
  };
}
