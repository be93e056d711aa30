import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { homePaths, initHome } from '../../shared/home/index.ts';
import type { PolicyDocument } from '../../shared/engine/index.ts';
import { runnerClient } from '../../shared/ipc/index.ts';
import type { RunnerClient } from '../../shared/ipc/index.ts';

const dist = fileURLToPath(new URL('../../dist', import.meta.url));
const cli = join(dist, 'runner/cli/main.js');

/** What a command line call came to. */
export interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command line call under way. */
export interface Call {
  readonly done: Promise<Outcome>;
  /** As Ctrl-C does. */
  readonly interrupt: () => void;
}

/** A real runner and a real console over a home of their own; ended by `close`. */
export interface Interlock {
  readonly home: string;
  /** A folder for commands to work in. */
  readonly work: string;
  readonly call: (...args: readonly string[]) => Call;
  /** As `interlock run -- ARGV` does, without a program that has to start first. */
  readonly run: (...argv: readonly string[]) => { readonly done: Promise<Pick<Outcome, 'status'>> };
  readonly policy: () => Promise<PolicyDocument>;
  /** The one-time link of the console that was started with the runner, once; then of a new one. */
  readonly openConsole: () => Promise<string>;
  /** A fresh link of the console that runs. */
  readonly anotherLink: () => Promise<string>;
  readonly closeConsole: () => Promise<void>;
  readonly startRunner: () => Promise<void>;
  readonly stopRunner: () => Promise<void>;
  /** As a crash does: nothing is withdrawn, nothing is written. */
  readonly killRunner: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Below `parent`, or the system's folder for temporary files; `ownHome`: the person's folder is there, too. */
export async function startInterlock(
  parent = tmpdir(),
  options: {
    readonly ownHome?: boolean;
    /** Whether a console is started beside the runner; default: yes. */
    readonly approver?: boolean;
    /** For the console, once the home is made. */
    readonly consoleArguments?: (home: string) => Promise<readonly string[]>;
  } = {},
): Promise<Interlock> {
  const root = await realpath(await mkdtemp(join(parent, 'interlock-e2e-')));
  const home = join(root, 'home');
  const own = options.ownHome === true ? { HOME: root } : {};
  const env = { ...process.env, ...own, INTERLOCK_HOME: home, NO_COLOR: '1' };
  const children = new Set<ChildProcessWithoutNullStreams>();

  const start = (script: string, args: readonly string[]): ChildProcessWithoutNullStreams => {
    const child = spawn(process.execPath, [script, ...args], { env, cwd: root });
    children.add(child);
    child.once('exit', () => children.delete(child));
    child.stdin.end();
    return child;
  };
  const call = (...args: readonly string[]): Call => {
    const child = start(cli, args);
    return { done: outcomeOf(child), interrupt: () => void child.kill('SIGINT') };
  };
  const end = async (
    child: ChildProcessWithoutNullStreams | null,
    signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM',
  ): Promise<void> => {
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => {
      child.once('exit', resolve);
    });
    child.kill(signal);
    await gone;
  };

  const client = runnerClient({ socketPath: homePaths(env).runnerSocket });
  let runner: ChildProcessWithoutNullStreams | null = null;
  let console: ChildProcessWithoutNullStreams | null = null;
  let firstLink: Promise<string> | null = null;
  const startRunner = async (): Promise<void> => {
    runner = start(join(dist, 'runner/main.js'), []);
    await lineOf(runner, /Listening/);
  };
  const stopRunner = (): Promise<void> => end(runner);
  const startConsole = async (): Promise<string> => {
    console = start(join(dist, 'app/console/main.js'), more);
    const line = await lineOf(console, /console: http/);
    return line.slice(line.indexOf('http'));
  };

  await initHome(homePaths(env), { uid: process.geteuid?.() ?? -1, now: Date.now });
  const more = (await options.consoleArguments?.(home)) ?? [];
  // Side by side: each of them is a Node that starts, and no spec needs one without the other.
  firstLink = options.approver === false ? null : startConsole();
  await Promise.all([startRunner(), firstLink]);
  return {
    home,
    work: root,
    call,
    run: (...argv) => ({ done: statusOf(client.exec({ argv: [...argv], cwd: root })) }),
    policy: async () =>
      JSON.parse(await readFile(join(home, 'exec-approvals.json'), 'utf8')) as PolicyDocument,
    openConsole: async () => {
      const link = firstLink ?? startConsole();
      firstLink = null;
      return link;
    },
    anotherLink: async () => {
      const { stdout } = await call('ui', '--console').done;
      const link = /http:\/\/\S+/.exec(stdout)?.[0];
      if (link === undefined) throw new Error(`no link in: ${stdout}`);
      return link;
    },
    closeConsole: () => end(console),
    startRunner,
    stopRunner,
    killRunner: () => end(runner, 'SIGKILL'),
    close: async () => {
      await Promise.all([...children].map((child) => end(child)));
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** What the command line exits with. */
async function statusOf(
  events: ReturnType<RunnerClient['exec']>,
): Promise<Pick<Outcome, 'status'>> {
  let status: number | null = null;
  for await (const event of events) {
    if (event.type === 'finished') status = event.exitCode;
    if (event.type === 'refused') status = 126;
  }
  return { status };
}

function outcomeOf(child: ChildProcessWithoutNullStreams): Promise<Outcome> {
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((resolve) => {
    child.once('close', (status) => resolve({ status, stdout, stderr }));
  });
}

/** The first line of a process's output that fits; an error with all its output if it ends before. */
function lineOf(child: ChildProcessWithoutNullStreams, wanted: RegExp): Promise<string> {
  let output = '';
  return new Promise((resolve, reject) => {
    const look = (chunk: Buffer): void => {
      output += chunk.toString();
      const line = output.split('\n').find((each, index, all) => {
        return index < all.length - 1 && wanted.test(each);
      });
      if (line !== undefined) resolve(line.trim());
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    child.once('exit', () => reject(new Error(`It ended before it was ready:\n${output}`)));
  });
}
