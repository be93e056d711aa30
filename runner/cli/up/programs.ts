import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../../shared/engine/index.ts';
import type { Home } from '../../../shared/home/index.ts';
import { findElectron, hasDisplay } from '../../../shared/operations/index.ts';
import { CliError } from '../failure.ts';
import type { Io } from '../io.ts';
import { runnerNodeOptions } from '../service/manager.ts';

/** A program that Interlock starts as a process of its own. Apps are named by path, never imported. */
export interface Program {
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
}

interface Programs {
  readonly runner: Program;
  readonly console: Program;
  readonly terminal: Program;
  /** The menu bar app, run by the Electron binary at this path. */
  readonly electron: (binary: string) => Program;
}

/** The entry points of an installed package. */
export function programsOf(packageRoot: string): Programs {
  const node = (name: string, ...path: readonly string[]): Program => ({
    name,
    file: process.execPath,
    args: [join(packageRoot, 'dist', ...path)],
  });
  const runner = node('runner', 'runner', 'main.js');
  return {
    runner: { ...runner, args: [...runnerNodeOptions, ...runner.args] },
    console: node('console', 'app', 'console', 'main.js'),
    terminal: node('terminal', 'app', 'terminal', 'main.js'),
    electron: (binary) => ({ name: 'menu bar app', file: binary, args: [packageRoot] }),
  };
}

/** Throws when a program's files are not there: in a checkout that was never built. */
export function requireBuilt(program: Program): void {
  const missing = [program.file, ...program.args.filter((arg) => arg.startsWith('/'))].find(
    (path) => !existsSync(path),
  );
  if (missing !== undefined)
    throw new CliError(`${missing} is missing.`, 'Build it first with "npm run build".');
}

export type ShellName = Exclude<Config['ui']['shell'], 'auto'>;

interface ApproverFacts {
  /** What was asked for on the command line or in `config.json`. */
  readonly wanted: Config['ui']['shell'];
  /** Path of the Electron binary, or null. */
  readonly electronBinary: string | null;
  readonly hasDisplay: boolean;
}

/** The approver to start. `auto` takes the menu bar app where it can start, else the console. */
export function chooseApprover({ wanted, electronBinary, ...facts }: ApproverFacts): ShellName {
  if (wanted === 'auto')
    return electronBinary !== null && facts.hasDisplay ? 'electron' : 'console';
  if (wanted !== 'electron') return wanted;
  if (electronBinary === null)
    throw new CliError(
      'The Electron binary is not installed.',
      'Fetch it with "npx install-electron", name one with ELECTRON_PATH, or use --console.',
    );
  if (!facts.hasDisplay)
    throw new CliError(
      'There is no display for the menu bar app.',
      'Set DISPLAY or WAYLAND_DISPLAY, or use --console.',
    );
  return 'electron';
}

export interface ApproverProgram {
  readonly shell: ShellName;
  readonly program: Program;
}

/** The approver to start here: what was asked for, else what `config.json` says, else the best. */
export function approverProgram(
  asked: ShellName | null,
  { io, home }: { readonly io: Io; readonly home: Home },
): ApproverProgram {
  const { ui } = home.configOrSafe();
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
