import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** How a program of the service manager ended. */
interface Ran {
  readonly ok: boolean;
  readonly missing: boolean;
  /** Both outputs, trimmed. */
  readonly said: string;
}

export type RunTool = (tool: string, args: readonly string[]) => Promise<Ran>;

/** `systemctl start` ends when the unit is up: at most its 90 s to start, after 15 s to stop. */
const longestMs = 150_000;

/** Runs a program found in PATH, without a shell. Never rejects. */
export function toolRunner(env: Readonly<Record<string, string | undefined>>): RunTool {
  return async (tool, args) => {
    try {
      const { stdout, stderr } = await run(tool, [...args], {
        env: { ...env },
        timeout: longestMs,
      });
      return { ok: true, missing: false, said: `${stdout}${stderr}`.trim() };
    } catch (error) {
      const {
        code,
        killed = false,
        stdout = '',
        stderr = '',
      } = error as {
        readonly code?: unknown;
        readonly killed?: boolean;
        readonly stdout?: string;
        readonly stderr?: string;
      };
      const late = killed ? `\nIt was not over after ${longestMs / 1_000} seconds.` : '';
      return { ok: false, missing: code === 'ENOENT', said: `${stdout}${stderr}${late}`.trim() };
    }
  };
}

/**
 * What Node is started with for a runner: a small nursery. Left to itself it grows to three times 16 MB
 * under load, and the runner by as much; the decisions of a second fit into 2 MB. It cannot be set later.
 */
export const runnerNodeOptions: readonly string[] = ['--max-semi-space-size=2'];

/** A service of one person on this machine. Each call answers sentences about what was done. */
export interface ServiceManager {
  /** Throws a `CliError` where there is no such manager. */
  require(): Promise<void>;
  install(): Promise<readonly string[]>;
  uninstall(): Promise<readonly string[]>;
  status(): Promise<readonly string[]>;
}
