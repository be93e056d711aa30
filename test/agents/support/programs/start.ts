import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { quoteWord, quoteWords } from '../../../../shared/engine/parse/shell-quote.ts';
import type { Started } from '../agent.ts';
import type { Stage } from '../stage.ts';

export interface Start {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Written below the agent's home before it starts. */
  readonly files: Readonly<Record<string, string>>;
  /** In a terminal with nobody at its keys, where absent without one. */
  readonly terminal?: boolean;
}

/** The agent's own home, of which it knows no other. */
export function homeOf({ folder }: Stage): string {
  return join(folder, 'agent-home');
}

/** Starts an agent's program in a home of its own, away from every setting of the machine. */
export function startProgram(
  stage: Stage,
  { program, args, env, files, terminal = false }: Start,
): Started {
  const home = homeOf(stage);
  for (const [name, content] of Object.entries(files)) {
    const path = join(home, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  const pidFile = join(home, 'terminal.pid');
  const size = `echo $$ > ${quoteWord(pidFile)}; stty cols 120 rows 40`;
  const inTerminal = `${size}; exec ${quoteWords([program, ...args])}`;
  const [file, ...words] = terminal
    ? ['script', '-qfc', inTerminal, '/dev/null']
    : [program, ...args];
  const TERM = terminal ? 'xterm-256color' : 'dumb';
  const child = spawn(file, words, {
    cwd: stage.work,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, TERM, SHELL: '/bin/bash', ...env },
    stdio: [terminal ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  const ended = new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve(said));
  });
  onTestFinished(async () => {
    // What has a terminal leads a session of its own, and `script` ends with it.
    endGroup(existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8')) : child.pid);
    await ended;
  });
  return { ended };
}

function endGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL');
  } catch {
    // It has ended, and all that it started.
  }
}
