import { execFile, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { gdbusEnvironment } from '../../../shared/node/health/logind.ts';

/** The two things that are asked of logind. */
export interface LogindMonitor {
  /** Calls back with each line; `ended` once, when it hears no more. Answers how to stop. */
  listen(hear: (line: string) => void, ended: (why: string) => void): () => void;
  /** Uid of a session's owner; null when it cannot be told. */
  ownerOf(session: string): Promise<number | null>;
}

const run = promisify(execFile);
const logind = ['--system', '--dest', 'org.freedesktop.login1'] as const;

/** logind through `gdbus`, whose monitor passes on only what the owner of logind's name emits. */
export function gdbus(own: Readonly<Record<string, string | undefined>>): LogindMonitor {
  const env = gdbusEnvironment(own);
  return {
    listen: (hear, ended) => {
      const monitor = spawn('gdbus', ['monitor', ...logind], {
        stdio: ['ignore', 'pipe', 'ignore'],
        env,
      });
      let over = false;
      const end = (why: string): void => {
        if (!over) ended(why);
        over = true;
      };
      createInterface({ input: monitor.stdout }).on('line', hear);
      monitor.once('error', (error) => end(error.message));
      monitor.once('exit', (code) => end(`gdbus ended with ${String(code)}`));
      return () => {
        over = true;
        monitor.kill('SIGTERM');
      };
    },
    ownerOf: async (session) => {
      const method = ['--object-path', session, '--method', 'org.freedesktop.DBus.Properties.Get'];
      const args = ['call', ...logind, ...method, 'org.freedesktop.login1.Session', 'User'];
      try {
        const { stdout } = await run('gdbus', args, { env, timeout: 2_000 });
        const owner = /^\(<\(uint32 (\d{1,10}), objectpath '[^']*'\)>,\)$/.exec(stdout.trim())?.[1];
        return owner === undefined ? null : Number(owner);
      } catch {
        return null;
      }
    },
  };
}
