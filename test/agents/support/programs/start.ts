import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Started } from '../agent.ts';
import type { Stage } from '../stage.ts';

export interface Start {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Written below the agent's home before it starts. */
  readonly files: Readonly<Record<string, string>>;
}

/** The agent's own home, of which it knows no other. */
export function homeOf({ folder }: Stage): string {
  return join(folder, 'agent-home');
}

/** Starts an agent's program in a home of its own, away from every setting of the machine. */
export function startProgram(stage: Stage, { program, args, env, files }: Start): Started {
  const home = homeOf(stage);
  for (const [name, content] of Object.entries(files)) {
    const path = join(home, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  const child = spawn(program, args, {
    cwd: stage.work,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, TERM: 'dumb', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  const ended = new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve(said));
  });
  onTestFinished(async () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended, and all that it started.
    }
    await ended;
  });
  return { ended };
}
