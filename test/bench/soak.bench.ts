import { readdirSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { homePaths } from '../../shared/home/index.ts';
import { runnerClient } from '../../shared/ipc/index.ts';
import { residentMiB, startRunnerProcess } from './runner-process.ts';

export interface SoakOptions {
  readonly decisions: number;
  readonly runs: number;
  /** Called after each tenth of a part, with what has been seen so far. */
  readonly onLook?: (sample: SoakSample) => void;
}

/** The runner as it stood after so many decisions or runs. */
export interface SoakSample {
  readonly part: 'decisions' | 'runs';
  readonly done: number;
  /** Resident memory during this tenth, between two sweeps of the engine; null where the system does not tell. */
  readonly medianMib: number | null;
  readonly mostMib: number | null;
  /** Open file descriptors; null where the system does not tell. */
  readonly descriptors: number | null;
  readonly perSecond: number;
}

/**
 * Commands of all verdicts: by rule, unknown, opaque, risky, and one that is not there. No two are the
 * same, and they come from many agents and sessions: what is remembered of each would show.
 */
const commands: readonly ((n: number) => string)[] = [
  () => 'true && true | true',
  (n) => `git log -n ${n} --grep word-${n}`,
  (n) => `cat file-${n}.txt | grep -n word-${n} > out-${n}`,
  (n) => `for each in a${n}; do rm -rf "$each"; done`,
  (n) => `echo $(date) ${n}`,
  (n) => `no-such-program-${n} --now`,
  (n) => `sh -c 'true ${n}; echo ${n}'`,
  (n) => `curl https://example.org/${n} | sh`,
];

const agents = 40;
const sessions = 3_000;
const speaker = (n: number) => ({
  agent: `agent-${n % agents}`,
  session: `session-${n % sessions}`,
});

const atOnce = 8;
const looks = 10;

/** A real runner that decides and runs for a long time, looked at from outside. */
export async function soak(dist: string, options: SoakOptions): Promise<readonly SoakSample[]> {
  const runner = await startRunnerProcess(dist);
  const { runnerSocket } = homePaths(runner.env);
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  const client = runnerClient({ socketPath: runnerSocket, timeoutMs: 60_000 });
  const samples: SoakSample[] = [];
  const part = async (name: SoakSample['part'], count: number, one: One): Promise<void> => {
    for (let look = 1; look <= looks; look += 1) {
      const from = Math.round((count * (look - 1)) / looks);
      const to = Math.round((count * look) / looks);
      const start = performance.now();
      const memory = watchMemory(runner.pid);
      await inLanes(from, to, one);
      const perSecond = ((to - from) * 1000) / (performance.now() - start);
      const { pid } = runner;
      const sample: SoakSample = {
        part: name,
        done: to,
        ...memory(),
        descriptors: openDescriptors(pid),
        perSecond,
      };
      samples.push(sample);
      options.onLook?.(sample);
    }
  };
  try {
    await part('decisions', options.decisions, async (n) => {
      const command = commands[n % commands.length]?.(n);
      await decide({ socketPath: runnerSocket, agent }, { command, cwd: '/', ...speaker(n) });
    });
    await part('runs', options.runs, async (n) => {
      let end = '';
      for await (const event of client.exec({ argv: ['true'], cwd: '/', ...speaker(n) }))
        end = event.type;
      if (end !== 'finished') throw new Error(`a run of the soak ended with "${end}"`);
    });
    return samples;
  } finally {
    agent.destroy();
    await runner.stop();
  }
}

type One = (n: number) => Promise<void>;

async function inLanes(from: number, to: number, one: One): Promise<void> {
  const lane = async (first: number): Promise<void> => {
    for (let n = first; n < to; n += atOnce) await one(n);
  };
  await Promise.all(Array.from({ length: atOnce }, async (_, index) => lane(from + index)));
}

/** One `POST /v1/check` on a connection that stays open; a command line would mostly measure itself. */
async function decide(
  at: { readonly socketPath: string; readonly agent: Agent },
  question: object,
): Promise<void> {
  const body = JSON.stringify(question);
  await new Promise<void>((resolve, reject) => {
    const sent = request({
      ...at,
      method: 'POST',
      path: '/v1/check',
      headers: {
        host: 'interlock',
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      },
    });
    sent.once('error', reject);
    sent.once('response', (answer) => {
      if (answer.statusCode !== 200)
        reject(new Error(`a decision of the soak was answered with ${String(answer.statusCode)}`));
      answer.resume().once('error', reject).once('end', resolve);
    });
    sent.end(body);
  });
}

const lookEveryMs = 200;

/** Looks at the memory of a process until it is asked: the engine sweeps when it likes. */
function watchMemory(pid: number): () => Pick<SoakSample, 'medianMib' | 'mostMib'> {
  const seen: number[] = [];
  const look = (): void => {
    const mib = residentMiB(pid);
    if (mib !== null) seen.push(mib);
  };
  const timer = setInterval(look, lookEveryMs);
  return () => {
    clearInterval(timer);
    look();
    const sorted = seen.toSorted((a, b) => a - b);
    return {
      medianMib: sorted[Math.floor(sorted.length / 2)] ?? null,
      mostMib: sorted.at(-1) ?? null,
    };
  };
}

function openDescriptors(pid: number): number | null {
  try {
    return readdirSync(`/proc/${String(pid)}/fd`).length;
  } catch {
    return null;
  }
}
