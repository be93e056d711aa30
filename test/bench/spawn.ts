import { spawnSync } from 'node:child_process';

/** Median wall-clock times in milliseconds. */
export interface SpawnFigures {
  readonly bareMs: number;
  readonly nodeMs: number;
  readonly runMs: number;
}

export interface SpawnOptions {
  /** Path of the built command line. */
  readonly cli: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly rounds: number;
}

/** `true` by itself, an empty Node, and `interlock run -- true`, taken in turns. */
export function measureSpawns({ cli, env, rounds }: SpawnOptions): SpawnFigures {
  const bare: number[] = [];
  const node: number[] = [];
  const run: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    bare.push(timed('true', [], env));
    node.push(timed(process.execPath, ['-e', '0'], env));
    run.push(timed(process.execPath, [cli, 'run', '--', 'true'], env));
  }
  return { bareMs: median(bare), nodeMs: median(node), runMs: median(run) };
}

/** What a process is given, and what must be part of its answer. */
interface Expected {
  readonly input: string;
  readonly stdout: string;
}

/** Milliseconds from the start of a process to its end. Throws where it did not do its work. */
export function timed(
  file: string,
  args: readonly string[],
  env: SpawnOptions['env'],
  { input, stdout: wanted }: Expected = { input: '', stdout: '' },
): number {
  const start = performance.now();
  const { status, stdout, stderr } = spawnSync(file, args, { env, input, encoding: 'utf8' });
  const took = performance.now() - start;
  if (status !== 0 || !stdout.includes(wanted))
    throw new Error(`${file} ${args.join(' ')} failed: ${stdout}${stderr}`);
  return took;
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? NaN;
}
