import type { Home } from '../../../shared/home/index.ts';
import type { RunnerClient } from '../../../shared/ipc/index.ts';
import { socketState } from '../../../shared/operations/index.ts';
import { parseLogLine } from '../../service/log.ts';
import { CliError } from '../failure.ts';
import { say } from '../io.ts';
import type { Io } from '../io.ts';
import { keepRunning, sayEnd } from './child.ts';
import type { Child, KeptRunning, StartChild } from './child.ts';
import { approverProgram, programsOf, requireBuilt } from './programs.ts';
import type { ApproverProgram } from './programs.ts';

/** Answers of `waitUntil`: what was waited for, or what came first. */
type Waited<T> =
  | { readonly kind: 'ready' }
  | { readonly kind: 'ended'; readonly end: T }
  | { readonly kind: 'too-long' };

interface WaitOptions<T> {
  readonly isReady: () => Promise<boolean>;
  readonly ended: Promise<T>;
  readonly sleep: (ms: number) => Promise<void>;
  /** How many looks at most, and the pause between them in milliseconds. */
  readonly looks: number;
  readonly pauseMs: number;
}

/** Looks again and again until a child is ready, has ended, or has taken too long. */
export async function waitUntil<T>(options: WaitOptions<T>): Promise<Waited<T>> {
  const over: Promise<Waited<T>> = options.ended.then((end) => ({ kind: 'ended', end }));
  for (let look = 0; look < options.looks; look += 1) {
    if (await options.isReady()) return { kind: 'ready' };
    const first = await Promise.race([over, options.sleep(options.pauseMs)]);
    if (first !== undefined) return first;
  }
  return { kind: 'too-long' };
}

interface UpParts {
  readonly io: Io;
  readonly home: Home;
  readonly client: Pick<RunnerClient, 'status'>;
  readonly start: StartChild;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** Looks at a starting program: 300 times, 50 ms apart. */
const look = { looks: 300, pauseMs: 50 } as const;

/** The runner, or null when one was there already. Throws when it does not come up. */
export async function raiseRunner(parts: UpParts): Promise<KeptRunning | null> {
  const { io, home, client, start, sleep } = parts;
  if (await answers(client)) {
    const { pid } = await client.status();
    say(io.stdout, `runner    already running, pid ${String(pid)} (${home.runnerSocket})`);
    return null;
  }
  const program = programsOf(io.packageRoot).runner;
  requireBuilt(program);
  let isUp = false;
  const kept = keepRunning({
    start: () => startWithLines(program.name, start, parts),
    onEnd: async (end, nextStartMs) => {
      if (!isUp) return false;
      if (await answers(client)) {
        say(io.stderr, 'interlock: another runner has taken over; ours is not started again.');
        return false;
      }
      const pause = nextStartMs / 1000;
      say(
        io.stderr,
        `interlock: the runner ended (${sayEnd(end)}); starting it again in ${String(pause)} s.`,
      );
      return true;
    },
    sleep,
    now: () => performance.now(),
  });
  const waited = await waitUntil({
    isReady: async () => answers(client),
    ended: kept.over,
    sleep,
    ...look,
  });
  if (waited.kind !== 'ready') {
    await kept.stop();
    throw new CliError(
      waited.kind === 'ended'
        ? 'The runner ended before it was ready.'
        : 'The runner does not answer.',
      'What it said stands above. "interlock doctor" checks the set-up.',
    );
  }
  isUp = true;
  say(io.stdout, `runner    pid ${String(kept.pid())} (${home.runnerSocket})`);
  return kept;
}

function startWithLines(name: string, start: StartChild, { io }: UpParts): Child {
  const program = programsOf(io.packageRoot).runner;
  return start(program, {
    env: io.env,
    onLine: (line) => say(io.stdout, `${name}: ${line}`),
    onErrorLine: (line) => sayErrorLine(line, io),
  });
}

/** What concerns the person at this terminal; the rest of the log is for `interlock runner`. */
function sayErrorLine(line: string, io: Io): void {
  const parsed = parseLogLine(line);
  if (parsed?.level === 'info') return;
  say(io.stderr, parsed === null ? line : `interlock: ${parsed.message}`);
}

/**
 * The approver, or null when one was there already (it has then been told to come to the front).
 * A menu bar app that does not start is replaced by the console.
 */
export async function raiseApprover(parts: UpParts): Promise<Child | null> {
  const best = approverProgram(null, parts);
  const chosen = best.shell === 'terminal' ? approverProgram('console', parts) : best;
  const first = await tryApprover(chosen, parts);
  if (first !== 'failed') return first;
  if (chosen.shell === 'console')
    throw new CliError(
      'The approver ended before it was ready.',
      'What it said stands above. "interlock doctor" checks the set-up.',
    );
  say(
    parts.io.stderr,
    'interlock: the menu bar app did not start; the browser console takes its place.',
  );
  const second = await tryApprover(approverProgram('console', parts), parts);
  if (second === 'failed')
    throw new CliError('No approver starts.', '"interlock doctor" checks the set-up.');
  return second;
}

async function tryApprover(
  { shell, program }: ApproverProgram,
  { io, home, start, sleep }: UpParts,
): Promise<Child | null | 'failed'> {
  requireBuilt(program);
  const wasLive = (await socketState(home.approvalsSocket)) === 'live';
  // The console tells its link last; until then nobody could answer.
  let hasSpoken = shell !== 'console';
  const child = start(program, {
    env: io.env,
    onLine: (line) => {
      hasSpoken = true;
      say(io.stdout, shell === 'console' ? sayConsole(line) : line);
    },
    onErrorLine: (line) => say(io.stderr, line),
  });
  const waited = await waitUntil({
    // With another approver on the socket ours ends by itself once that one has come to the front.
    isReady: async () =>
      !wasLive && hasSpoken && (await socketState(home.approvalsSocket)) === 'live',
    ended: child.ended,
    sleep,
    ...look,
  });
  if (waited.kind === 'ready') {
    say(io.stdout, `approver  ${program.name}, pid ${String(child.pid)} (${home.approvalsSocket})`);
    return child;
  }
  if (waited.kind === 'ended' && waited.end.exitCode === 0) {
    say(io.stdout, `approver  already running (${home.approvalsSocket})`);
    return null;
  }
  await child.stop();
  return 'failed';
}

/** `console: LINK` of the console becomes a line of ours. */
function sayConsole(line: string): string {
  return line.replace(/^console: /u, 'console   ');
}

async function answers(client: Pick<RunnerClient, 'status'>): Promise<boolean> {
  try {
    await client.status();
    return true;
  } catch {
    return false;
  }
}

/** The agents that have asked here before, without Interlock's own; none where the log cannot tell. */
export async function agentsSeen(
  client: Pick<RunnerClient, 'history'>,
): Promise<readonly string[]> {
  try {
    const { agents } = await client.history({ offset: 0, limit: 1 });
    return agents.filter((name) => !name.startsWith('interlock-'));
  } catch {
    return [];
  }
}

/** What this `interlock up` started; null where it found one running. */
interface Raised {
  readonly runner: KeptRunning | null;
  readonly approver: Child | null;
}

/** Stays until a signal comes or all that was started is over, then stops the rest in order. */
export async function stay({ runner, approver }: Raised, io: Io): Promise<void> {
  let stopping = false;
  const signalled = new Promise<void>((resolve) => {
    io.onSignal(() => {
      if (!stopping) say(io.stdout, 'stopping');
      stopping = true;
      resolve();
    });
  });
  const reportApprover = async (): Promise<void> => {
    if (approver === null) return;
    const end = await approver.ended;
    if (!stopping)
      say(
        io.stderr,
        `interlock: the approver ended (${sayEnd(end)}). Nobody can be asked now, so askFallback decides; "interlock ui" starts it again.`,
      );
  };
  await Promise.race([signalled, Promise.all([runner?.over, reportApprover()])]);
  stopping = true;
  // The runner first: it takes its asks back while the approver can still hear it.
  await runner?.stop();
  await approver?.stop();
}
