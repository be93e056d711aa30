import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../../shared/home/clock.ts';
import { lockOut } from '../../../shared/operations/lockout.ts';
import { runnerClient } from '../../../shared/ipc/runner-client.ts';
import { startApprover, startRunnerProcess } from '../../runner/service/support.ts';
import type { Process } from '../../runner/service/support.ts';
import type { Agent, Started } from './agent.ts';
import type { Stage } from './stage.ts';
import type { HookEnd, TappedHook } from './tap.ts';

const cli = fileURLToPath(new URL('../../../dist/runner/cli/main.js', import.meta.url));

/** Lets the agent run its command, and answers the ticket that it was given, if any. */
export async function throughHook(stage: Stage, agent: Agent): Promise<string> {
  const started = await agent.start(stage);
  const hook = await stage.tap.next();
  const answer = await handOn(hook);
  await started.ended;
  return ticketIn(answer.stdout);
}

export interface Asked {
  readonly approver: Awaited<ReturnType<typeof startApprover>>;
  readonly runner: Process;
  readonly started: Started;
  readonly hook: TappedHook;
}

/** An approver, a runner, and an agent whose hook waits. */
export async function untilAsked(stage: Stage, agent: Agent): Promise<Asked> {
  const approver = await startApprover(stage.paths);
  const runner = await startRunnerProcess(stage.paths);
  const started = await agent.start(stage);
  return { approver, runner, started, hook: await stage.tap.next() };
}

/** Waits for the hook's answer, and lets the host have it. */
export async function handOn(hook: TappedHook): Promise<HookEnd> {
  const answer = await hook.answered;
  hook.handOn();
  return answer;
}

/** The ticket in what the host is told to run instead; empty where there is none. */
export function ticketIn(answer: string): string {
  return /--ticket '?([A-Za-z0-9_-]{43})/.exec(answer)?.[1] ?? '';
}

/** `interlock run --ticket`: its exit status and what it says. */
export function redeem(stage: Stage, ticket: string, cwd: string, ...more: string[]): string {
  return interlock(stage, ['run', '--ticket', ticket, ...more], cwd);
}

/** The command line, as a person would use it: its exit status and what it says. */
export function interlock({ paths, work }: Stage, args: readonly string[], cwd = work): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, INTERLOCK_HOME: paths.home },
  });
  return `${String(status)} ${(stdout + stderr).replaceAll('\n', ' ')}`;
}

/** `interlock lockout`, as the command line does it. */
export async function lock({ paths }: Stage): Promise<void> {
  const runner = runnerClient({ socketPath: paths.runnerSocket });
  const uid = process.geteuid?.() ?? -1;
  await lockOut({ runner, paths, uid, clock: systemClock, reason: 'drill', by: 'test' });
}
