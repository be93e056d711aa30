import { spawn } from 'node:child_process';
import { Agent, request } from 'node:http';
import { homePaths } from '../../shared/home/index.ts';
import { processorMicros, startRunnerProcess } from './runner-process.ts';

/** What so many callers got out of one way, each asking again as soon as it has its answer. */
export interface Throughput {
  readonly what: 'bare spawns of true' | 'POST /v1/check' | 'POST /v1/exec of true';
  readonly callers: number;
  readonly perSecond: number;
  /** Milliseconds that a caller waited. */
  readonly medianMs: number;
  readonly p99Ms: number;
  /** Microseconds of the runner's own processor time for each; null where it has no part in it. */
  readonly runnerMicros: number | null;
}

export interface ThroughputOptions {
  /** How long each way is asked, and once more as long before that without counting. */
  readonly seconds: number;
  readonly callers: readonly number[];
}

/** A runner as the service starts it, asked by 1, 8 and 64 callers, beside spawns by a bare Node. */
export async function measureThroughput(
  dist: string,
  { seconds, callers }: ThroughputOptions,
): Promise<readonly Throughput[]> {
  const runner = await startRunnerProcess(dist);
  const agent = new Agent({ keepAlive: true, maxSockets: Math.max(...callers) });
  const at = { socketPath: homePaths(runner.env).runnerSocket, agent };
  const ways: readonly (readonly [Throughput['what'], () => Promise<void>])[] = [
    ['bare spawns of true', bare],
    ['POST /v1/check', async () => post(at, '/v1/check', 'allow')],
    ['POST /v1/exec of true', async () => post(at, '/v1/exec', '"finished"')],
  ];
  try {
    const found: Throughput[] = [];
    for (const count of callers)
      for (const [what, once] of ways) {
        await during(seconds * 250, count, once);
        const before = processorMicros([runner.pid]);
        const times = await during(seconds * 1000, count, once);
        const spent = processorMicros([runner.pid]) - before;
        found.push({
          what,
          callers: count,
          perSecond: times.length / seconds,
          medianMs: quantile(times, 0.5),
          p99Ms: quantile(times, 0.99),
          runnerMicros: once === bare ? null : spent / times.length,
        });
      }
    return found;
  } finally {
    agent.destroy();
    await runner.stop();
  }
}

/** Asks with so many callers for so long; what each one waited, sorted. */
async function during(
  milliseconds: number,
  callers: number,
  once: () => Promise<void>,
): Promise<readonly number[]> {
  const times: number[] = [];
  const until = performance.now() + milliseconds;
  const caller = async (): Promise<void> => {
    for (let since = performance.now(); since < until;) {
      await once();
      const now = performance.now();
      if (now <= until) times.push(now - since);
      since = now;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return times.toSorted((a, b) => a - b);
}

/** By this small process, with its output read as the runner reads it. */
async function bare(): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const child = spawn('/usr/bin/true', [], { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.resume();
    child.stderr.resume();
    child.once('error', reject);
    child.once('close', () => resolve());
  });
}

/** On a connection that stays; the answer has to hold the words. */
async function post(
  at: { readonly socketPath: string; readonly agent: Agent },
  path: string,
  words: string,
): Promise<void> {
  const body = JSON.stringify({ argv: ['true'], cwd: '/', agent: 'bench', session: 'bench' });
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  const text = await new Promise<string>((resolve, reject) => {
    const sent = request({ ...at, method: 'POST', path, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.once('error', reject);
      answer.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    });
    sent.once('error', reject);
    sent.end(body);
  });
  if (!text.includes(words)) throw new Error(`${path} was answered with ${text.slice(0, 300)}`);
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}
