import { existsSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import {
  agentLabel,
  launchdAgentFile,
  systemdUnitFile,
  unitName,
} from '../../shared/operations/index.ts';
import { refuse } from '../../shared/base/index.ts';

/** Starts the runner when none answers. */
export interface RunnerStart {
  /** There is a service, or the shell ships a runner. */
  possible(): boolean;
  /** Returns once the start is under way; the state tells whether the runner answers. */
  start(): Promise<{ readonly how: 'service' | 'app' }>;
}

interface RunnerStartOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly uid: number;
  /** The shell's own way; null where it ships no runner. */
  readonly fromShell: () => (() => void) | null;
  readonly running: () => boolean;
  /** Runs a system program and rejects when it fails. Default: really runs it. */
  readonly run?: (program: string, args: readonly string[]) => Promise<void>;
  readonly exists?: (path: string) => boolean;
}

interface Service {
  readonly program: string;
  readonly args: readonly string[];
}

const patienceMs = 15_000;

/** A service that is installed comes first: it outlives the app. */
export function createRunnerStart(options: RunnerStartOptions): RunnerStart {
  const { fromShell, running, run = runProgram } = options;
  return {
    possible: () => !running() && (fromShell() !== null || installedService(options) !== null),
    start: async () => {
      if (running())
        throw refuse('concurrency-busy', 'A runner answers already.', 'There is nothing to start.');
      const service = installedService(options);
      if (service !== null) {
        await startService(service, run);
        return { how: 'service' };
      }
      const start = fromShell();
      if (start === null)
        throw refuse(
          'host-unavailable',
          'No service is installed, and no runner is shipped with this approver.',
          'Start it in a terminal: interlock runner, or interlock service install.',
        );
      start();
      return { how: 'app' };
    },
  };
}

function installedService(options: RunnerStartOptions): Service | null {
  const { env, platform, uid, exists = existsSync } = options;
  const home = env['HOME'] ?? homedir();
  if (platform === 'linux' && exists(systemdUnitFile(env, home)))
    return { program: 'systemctl', args: ['--user', 'start', unitName] };
  if (platform === 'darwin' && exists(launchdAgentFile(home)))
    return { program: 'launchctl', args: ['kickstart', `gui/${String(uid)}/${agentLabel}`] };
  return null;
}

async function startService(
  { program, args }: Service,
  run: NonNullable<RunnerStartOptions['run']>,
): Promise<void> {
  try {
    await run(program, args);
  } catch (error) {
    throw refuse(
      'host-unavailable',
      `The service could not be started with "${[program, ...args].join(' ')}".`,
      'Run this in a terminal to see why, or start the runner there: interlock runner',
      { cause: error },
    );
  }
}

function runProgram(program: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { timeout: patienceMs }, (error) =>
      error === null ? resolve() : reject(error),
    );
  });
}
