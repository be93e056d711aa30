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
  /** How long each way is asked, half a second at a time in turns, so that other work meets all alike. */
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
    for (const count of callers) {
      const seen = ways.map(([what, once]) => ({
        what,
        once,
        times: [] as number[],
        spent: 0,
        elapsed: 0,
      }));
      // Once without counting: a service that has been up for a while is what counts.
      for (const { once } of seen) await during(turnMs, count, once);
      for (let turn = 0; turn * turnMs < seconds * 1000; turn += 1)
        for (const one of seen) {
          const before = processorMicros([runner.pid]);
          const since = performance.now();
          one.times.push(...(await during(turnMs, count, one.once)));
          one.elapsed += performance.now() - since;
          one.spent += processorMicros([runner.pid]) - before;
        }
      found.push(...seen.map((one) => figuresOf(one, count)));
    }
    return found;
  } finally {
    agent.destroy();
    await runner.stop();
  }
}

const turnMs = 500;

function figuresOf(
  {
    what,
    once,
    times,
    spent,
    elapsed,
  }: Pick<Throughput, 'what'> & {
    readonly once: () => Promise<void>;
    readonly times: readonly number[];
    readonly spent: number;
    readonly elapsed: number;
  },
  callers: number,
): Throughput {
  const sorted = times.toSorted((a, b) => a - b);
  return {
    what,
    callers,
    perSecond: (times.length * 1000) / elapsed,
    medianMs: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
    runnerMicros: once === bare ? null : spent / times.length,
  };
}

/** Asks with so many callers for so long; what each one waited, also the last ones, which ended later. */
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
      times.push(now - since);
      since = now;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return times;
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
export async function post(
  at: { readonly socketPath: string; readonly agent: Agent },
  path: string,
  words: string,
  where: { readonly host?: 'node'; readonly node?: string } = {},
): Promise<void> {
  const asked = { argv: ['true'], cwd: '/', agent: 'bench', session: 'bench', ...where };
  const body = JSON.stringify(asked);
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

/** The value below which that share of sorted ones lies. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}
