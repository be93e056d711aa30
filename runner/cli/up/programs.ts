import { join } from 'node:path';

/** A program that Interlock starts as a process of its own. Apps are named by path, never imported. */
export interface Program {
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
}

export interface Programs {
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
  return {
    runner: node('runner', 'runner', 'main.js'),
    console: node('console', 'app', 'console', 'main.js'),
    terminal: node('terminal', 'app', 'terminal', 'main.js'),
    electron: (binary) => ({ name: 'menu bar app', file: binary, args: [packageRoot] }),
  };
}
