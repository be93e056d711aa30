import { keepStopNote, readStopState, writePauseState } from '../home/index.ts';
import type { HomePaths, StopState } from '../home/index.ts';
import { RunnerUnreachableError } from '../ipc/index.ts';
import type { RunnerClient } from '../ipc/index.ts';

interface PauseOptions {
  readonly runner: Pick<RunnerClient, 'pause' | 'resume'>;
  readonly paths: Pick<HomePaths, 'home' | 'lockout' | 'pause'>;
  readonly now: () => number;
  readonly by: string;
}

/** Pauses through the runner, or by the state file when none answers. Answers what holds then. */
export async function pause(
  options: PauseOptions,
  reason: string | null,
): Promise<StopState['mode']> {
  const { runner } = options;
  return orByFile(options, async () => runner.pause(reason ?? undefined), {
    paused: true,
    reason,
  });
}

/** Ends a pause in the same way. It never ends a lockout. */
export async function resume(options: PauseOptions): Promise<StopState['mode']> {
  const { runner } = options;
  return orByFile(options, async () => runner.resume(), { paused: false, reason: null });
}

async function orByFile(
  { paths, now, by }: PauseOptions,
  ask: () => Promise<{ readonly mode: StopState['mode'] }>,
  state: { readonly paused: boolean; readonly reason: string | null },
): Promise<StopState['mode']> {
  try {
    return (await ask()).mode;
  } catch (error) {
    if (!(error instanceof RunnerUnreachableError)) throw error;
    const { mode } = readStopState(paths);
    if (mode === 'locked' && !state.paused) return mode;
    const code = state.paused ? 'pause' : 'resume';
    keepStopNote(paths, { at: now(), code, by, text: state.reason ?? '' });
    writePauseState(paths, { ...state, at: now(), by });
    return readStopState(paths).mode;
  }
}
