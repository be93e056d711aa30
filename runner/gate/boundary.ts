import type { RunOutcome } from '../hosts/host.ts';
import type { Captured } from './output.ts';
import type { GatePorts } from './ports.ts';
import type { Analysed, Decided, Permitted } from './request-context.ts';

/** The longest reason that a marker takes along. */
const longestReason = 1_000;

/** What stands in front of shell text that is to run on this machine, for agents with a hook. */
const marker =
  /^[ \t]*#[ \t]*interlock:[ \t]*this machine\b[ \t]*[,:–—-]?[ \t]*(?:because\b[ \t]*)?([^\r\n]*)\r?\n(?=[\s\S]*\S)/i;

/** Shell text without such a first line, and the reason that it gave; null for any other text. */
export function readMarker(
  command: string,
): { readonly command: string; readonly reason: string } | null {
  const found = marker.exec(command);
  if (found === null) return null;
  const reason = (found[1] ?? '').trim().slice(0, longestReason);
  return { command: command.slice(found[0].length), reason };
}

const again: Readonly<Record<'here' | 'ticket' | 'elsewhere', string>> = {
  here: 'interlock run --host gateway --reason "WHY" …',
  ticket: 'call it again with "# interlock: this machine, because WHY" as its first line',
  elsewhere: '',
};

/**
 * One line for an agent whose command met the edge of the sandbox, or left something running behind
 * it; null for others.
 */
export function boundaryLine(
  { permission, verdict, by = 'here' }: Pick<Permitted, 'permission' | 'verdict' | 'by'>,
  { ending, exitCode, unreached, behind }: RunOutcome,
  output: Captured,
): string | null {
  if (permission.code !== 'sandbox-unasked' || ending !== 'exited') return null;
  const ask = `To run it on this machine, ask: ${again[by]}`;
  if (behind === true)
    return `interlock: what this left running goes on in a sandbox of its own, of which later calls reach neither processes nor servers; use it in the same call. ${ask}\n`;
  if (exitCode === 0) return null;
  if (unreached === true)
    return `interlock: this ran in the sandbox, which has no network. ${ask}\n`;
  if (verdict.covered)
    return `interlock: this ran in the sandbox of this session, where what you left running is. A rule allows it on this machine, too: ${again[by]}\n`;
  // Only the words of the program say so.
  if (/Read-only file system|\bEROFS\b/.test(output.tail))
    return `interlock: this ran in the sandbox, where only the project can be changed, which may be why it failed. ${ask}\n`;
  return null;
}

/** What a shell says whose channel to its own sandbox is gone; every command of it then ends so. */
const brokenShell = /\/proc\/self\/fd\/3: Permission denied/;

/** Sessions whose shell has broken. */
export interface BrokenShells {
  /** Null where the shell is whole; else whether this is the first sign of it in its session. */
  readonly look: (
    permitted: Pick<Permitted, 'identity'>,
    outcome: Pick<RunOutcome, 'exitCode'>,
    output: Pick<Captured, 'stderr' | 'tail'>,
  ) => { readonly isFirst: boolean } | null;
}

/** What came of earlier commands of a session after nobody waited for them any more; null where nothing. */
export function lateLines(
  session: string | null,
  { events }: Pick<GatePorts, 'events'>,
): string | null {
  const lines = events.takeLate(session);
  if (lines.length === 0) return null;
  return `interlock: of earlier commands of this session:\n${lines.join('\n').replace(/\n$/u, '')}\n`;
}

/** One sentence for the agent. */
export const brokenShellLine =
  'interlock: the shell of this session is broken, and its next commands will end like this one; use no shell in it any more, and begin a new session.\n';

const mostBroken = 500;

/** Remembers a bounded number of sessions, while the runner runs. */
export function createBrokenShells(): BrokenShells {
  const broken = new Set<string>();
  return {
    look: ({ identity: { agent, session } }, { exitCode }, { stderr, tail }) => {
      if (exitCode !== 126 || !(brokenShell.test(stderr) || brokenShell.test(tail))) return null;
      const key = JSON.stringify([agent, session]);
      const isFirst = !broken.has(key);
      broken.add(key);
      for (const oldest of broken) {
        if (broken.size <= mostBroken) break;
        broken.delete(oldest);
      }
      return { isFirst };
    },
  };
}

interface Try {
  readonly at: number;
  readonly unreached: boolean;
  readonly exitCode: number | null;
}

/** What failed in the sandbox, for the question that may follow. */
export interface SandboxTries {
  readonly failed: (permitted: Permitted, outcome: RunOutcome) => void;
  /** A sentence about the last try of the same command in the same folder; null where there was none. */
  readonly wordsOf: (decided: Decided | Analysed) => string | null;
}

const mostTries = 200;
const longestAgoMs = 60 * 60_000;

/** Remembers a bounded number of tries, while the runner runs. */
export function createSandboxTries(now: () => number): SandboxTries {
  const tries = new Map<string, Try>();
  const keyOf = ({ identity, understood }: Analysed): string =>
    JSON.stringify([identity.agent, understood.command.cwd, understood.text]);
  return {
    failed: (permitted, { exitCode, unreached, ending }) => {
      if (permitted.permission.code !== 'sandbox-unasked') return;
      const key = keyOf(permitted);
      tries.delete(key);
      if (exitCode === 0 || ending !== 'exited') return;
      tries.set(key, { at: now(), exitCode, unreached: unreached === true });
      for (const oldest of tries.keys()) {
        if (tries.size <= mostTries) break;
        tries.delete(oldest);
      }
    },
    wordsOf: (context) => {
      const found = tries.get(keyOf(context));
      if (found === undefined || now() - found.at > longestAgoMs) return null;
      const seconds = Math.max(0, Math.round((now() - found.at) / 1000));
      const why = found.unreached ? ', and looked for a network that is not there' : '';
      return `It ran in the sandbox ${seconds} s ago and failed (exit status ${found.exitCode ?? 'none'})${why}.`;
    },
  };
}
