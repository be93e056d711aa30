import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ExecEvent } from '../../shared/wire/index.ts';
import { homePaths, readPolicyFile, writePolicyFile } from '../../shared/home/index.ts';
import { runnerClient } from '../../shared/ipc/index.ts';
import { startRunnerProcess } from './runner-process.ts';

/** What a lockout costs with many commands running. Times are milliseconds from the click. */
export interface LockoutFigures {
  readonly commands: number;
  /** When the runner had sent the last signal, by its own word. */
  readonly signalledMs: number;
  /** When the traps of the commands ran: this is also what the machine needs to start them. */
  readonly medianTrapMs: number;
  readonly lastTrapMs: number;
  /** When the confirmation came. */
  readonly confirmedMs: number;
  readonly stopped: number;
  /** Commands that were asked for during the lockout, and those of them that ran after it. */
  readonly late: number;
  readonly startedAfter: number;
  /** What the machine was busy with before the click: its load over the last minute. */
  readonly load: number;
}

/** A shell that writes down, without starting anything, when the signal reached it. */
const noticing =
  'trap \'echo "$EPOCHREALTIME"; kill "$!"; exit\' TERM; sleep 600 & echo ready; wait';

/** Starts the commands through the gate, pulls the cord, and reads when each noticed. */
export async function measureLockout(dist: string, commands = 200): Promise<LockoutFigures> {
  const runner = await startRunnerProcess(dist);
  const folder = mkdtempSync(join(tmpdir(), 'il-late-'));
  try {
    const paths = homePaths(runner.env);
    await allowAll(paths.policy, paths.config);
    const client = runnerClient({ socketPath: paths.runnerSocket, timeoutMs: 60_000 });
    const runs = Array.from({ length: commands }, () => follow(client, ['bash', '-c', noticing]));
    while (runs.some(({ text }) => !text().includes('ready'))) await delay(50);

    const did = join(folder, 'did');
    mkdirSync(did);
    const [load = NaN] = loadavg();
    const clicked = performance.timeOrigin + performance.now();
    const locking = client.lockout('benchmark');
    // The click is on its way before this process makes forty more requests.
    await new Promise((resolve) => void setImmediate(resolve));
    const late = Array.from({ length: 40 }, (_, n) =>
      follow(client, ['sh', '-c', `: > ${did}/${String(n)}; sleep 600`]),
    );
    const { stopped, signalledAt = NaN } = await locking;
    const confirmedMs = performance.timeOrigin + performance.now() - clicked;
    const atConfirmation = readdirSync(did).length;
    await Promise.all([...runs, ...late].map(async ({ done }) => done));
    const noticed = runs
      .map(({ text }) => Number(/(\d+\.\d+)/.exec(text())?.[1]) * 1000 - clicked)
      .filter((ms) => !Number.isNaN(ms))
      .toSorted((a, b) => a - b);
    return {
      commands: noticed.length,
      signalledMs: signalledAt - clicked,
      medianTrapMs: noticed[Math.floor(noticed.length / 2)] ?? NaN,
      lastTrapMs: noticed.at(-1) ?? NaN,
      confirmedMs,
      stopped,
      late: late.length,
      startedAfter: readdirSync(did).length - atConfirmation,
      load,
    };
  } finally {
    await runner.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function follow(client: ReturnType<typeof runnerClient>, argv: readonly string[]) {
  const events: ExecEvent[] = [];
  const gather = async (): Promise<void> => {
    for await (const event of client.exec({ argv, cwd: '/' })) events.push(event);
  };
  return {
    done: gather(),
    text: () => events.map((event) => (event.type === 'stdout' ? event.data : '')).join(''),
  };
}

async function allowAll(policy: string, config: string): Promise<void> {
  const uid = process.geteuid?.() ?? -1;
  const file = readPolicyFile(policy, { uid });
  if (!file.ok) throw new Error(file.problem.message);
  const agents = { '*': { security: 'full', ask: 'off' } } as const;
  await writePolicyFile(policy, { ...file.document, agents }, { uid, baseHash: file.hash });
  const many = 100_000;
  const limits = {
    requestsPerMinute: many,
    burst: 10_000,
    requestsPerMinuteInAll: many,
    burstInAll: 10_000,
    concurrentPerAgent: 1_000,
    concurrent: 1_000,
  };
  writeFileSync(config, JSON.stringify({ version: 1, limits }), { mode: 0o600 });
}
