import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fetchProgram } from '../agents/support/programs/fetch.ts';

const newerNode = `node-${process.platform}-${process.arch}`;

/** Its library, with the Node that it wants. It needs bubblewrap, ripgrep and socat of the system. */
const pin = {
  name: 'sandbox-runtime',
  version: '0.0.83',
  package: '@anthropic-ai/sandbox-runtime',
  program: '@anthropic-ai/sandbox-runtime/dist/index.js',
  besides: [`${newerNode}@22.20.0`],
};

/** Starts each command as often, bare and wrapped, in turns, in one process of the newer Node. */
const driver = `
  const [library, cwd, rounds, ...lines] = process.argv.slice(1);
  const { SandboxManager } = await import(library);
  const { spawn } = await import('node:child_process');
  await SandboxManager.initialize({ network: { allowedDomains: [], deniedDomains: [] },
    filesystem: { denyRead: [], allowWrite: [cwd], denyWrite: [] } });
  const run = (text) => new Promise((resolve) => spawn('/bin/sh', ['-c', text], { cwd, stdio: 'ignore' }).once('close', resolve));
  const median = (times) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)];
  const said = [];
  for (const line of lines) {
    const bare = [], wrapped = [];
    for (let round = 0; round < Number(rounds); round += 1) {
      let since = performance.now();
      await run(line);
      bare.push(performance.now() - since);
      since = performance.now();
      if ((await run(await SandboxManager.wrapWithSandbox(line))) !== 0) throw new Error(line + ' failed');
      wrapped.push(performance.now() - since);
    }
    said.push({ line, bareMs: median(bare), wrappedMs: median(wrapped) });
  }
  await SandboxManager.reset();
  process.stdout.write(JSON.stringify(said));
  process.exit(0);
`;

export interface RuntimeFigures {
  readonly line: string;
  /** By a shell, as it starts its own. */
  readonly bareMs: number;
  readonly wrappedMs: number;
}

/** What a command costs in Anthropic's sandbox-runtime, fetched from the registry; or why it cannot be had. */
export function measureSandboxRuntime(
  cwd: string,
  lines: readonly string[],
  rounds: number,
): readonly RuntimeFigures[] | string {
  const found = fetchProgram(pin, true);
  if (!found.ok) return found.why;
  const node = join(dirname(found.path), '../../..', newerNode, 'bin/node');
  const words = ['--input-type=module', '-e', driver, found.path, cwd, String(rounds), ...lines];
  const { status, stdout, stderr } = spawnSync(node, words, { encoding: 'utf8', timeout: 300_000 });
  if (status !== 0) return stderr.trim().split('\n').at(-1) ?? 'it ended badly';
  return JSON.parse(stdout) as readonly RuntimeFigures[];
}
