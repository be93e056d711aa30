import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ask } from '../../runner/rpc/ask.ts';
import { readKeyFile, runnerClient } from '../../shared/ipc/index.ts';
import type { Figures, Measured } from './report.ts';
import { startRunnerProcess } from './runner-process.ts';
import type { RunnerProcess } from './runner-process.ts';

/** Round trips in milliseconds, and what watching costs. */
interface FileFigures {
  readonly rounds: number;
  /** The median of a command that the policy allows, asked for at the socket and through the folder. */
  readonly socketMs: number;
  readonly folderMs: number;
  readonly folderP95Ms: number;
  /** Processor time of the runner in a second in which nothing comes, in milliseconds. */
  readonly idleMs: number;
  /** The same without a folder to watch. */
  readonly withoutMs: number;
}

const settleSeconds = 5;
const idleSeconds = 8;

/** A runner that only waits; then the same command at the socket and through a folder, in turns. */
async function measureFiles(
  dist: string,
  { env, pid }: RunnerProcess,
  rounds = 100,
): Promise<FileFigures> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'il-bench-shared-')));
  try {
    const cli = join(dist, 'runner', 'cli', 'main.js');
    const withoutMs = await idleOf(pid);
    for (const words of [
      ['agents', 'add', 'box'],
      ['rpc', 'install', folder],
    ]) {
      const { status, stderr } = spawnSync(process.execPath, [cli, ...words], {
        env,
        encoding: 'utf8',
      });
      if (status !== 0) throw new Error(`interlock ${words.join(' ')} failed: ${stderr}`);
    }
    const idleMs = await idleOf(pid);
    const home = env['INTERLOCK_HOME'] ?? '';
    const key = readKeyFile(join(home, 'keys', 'agents', 'box.key'), process.geteuid?.() ?? -1);
    if (key === null) throw new Error('the agent has no key');
    const settings = { version: 1, pauseAfterRefusals: null, waitSec: 60 } as const;
    const place = {
      principal: 'box',
      key,
      settings,
      directory: join(folder, '.interlock'),
      cwd: '.',
      stateFile: join(folder, 'state'),
    };
    const gone = new AbortController().signal;
    const client = runnerClient({ socketPath: join(home, 'runner.sock') });
    const byFolder = async (): Promise<void> => {
      const { ok, refusal } = await ask({ argv: ['true'] }, place, { waitMs: 60_000, gone });
      if (!ok) throw new Error(`the folder said ${String(refusal?.code)}`);
    };
    const bySocket = async (): Promise<void> => {
      for await (const event of client.exec({ argv: ['true'], cwd: folder }))
        if (event.type === 'refused') throw new Error(`the socket said ${event.refusal.code}`);
    };
    const timed = async (run: () => Promise<void>): Promise<number> => {
      const since = performance.now();
      await run();
      return performance.now() - since;
    };
    // The first has to be noticed in the settings.
    await byFolder();
    await bySocket();
    const socket: number[] = [];
    const files: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      socket.push(await timed(bySocket));
      files.push(await timed(byFolder));
    }
    return {
      rounds,
      socketMs: part(socket, 0.5),
      folderMs: part(files, 0.5),
      folderP95Ms: part(files, 0.95),
      idleMs,
      withoutMs,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function part(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? NaN;
}

/** Of a process so far, as the kernel counts it (hundredths of a second). */
function processorMs(pid: number): number {
  const fields =
    readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
      .split(') ')[1]
      ?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Once what was begun is over. */
async function idleOf(pid: number): Promise<number> {
  await delay(settleSeconds * 1_000);
  const before = processorMs(pid);
  await delay(idleSeconds * 1_000);
  return (processorMs(pid) - before) / idleSeconds;
}

/** A request that comes as a file beside one at the socket, and a runner that only watches. */
export async function filesFigures(dist: string): Promise<Figures> {
  const runner = await startRunnerProcess(dist);
  try {
    const measured = await measureFiles(dist, runner);
    const { rounds, socketMs, folderMs, folderP95Ms, idleMs, withoutMs } = measured;
    const millis = (ms: number): string => `${ms.toFixed(2)} ms`;
    const row = (name: string, ms: number, more: string): Measured => ({
      name,
      cells: [millis(ms), `${(ms / socketMs).toFixed(2)} ×`, more],
      ratio: ms / socketMs,
      bar: ms,
    });
    return {
      id: 'shared-folder',
      columns: ['one command that is asked for', 'median', 'against the socket', '95th percentile'],
      rows: [
        row('at the socket', socketMs, ''),
        row('through a shared folder', folderMs, millis(folderP95Ms)),
      ],
      unit: 'ms',
      note: `${String(rounds)} of each in turns. A runner that only watches a folder takes ${millis(idleMs)} of processor time a second, and ${millis(withoutMs)} without one.`,
    };
  } finally {
    await runner.stop();
  }
}
