import { clockText, hostNow, secondsLeft } from '../bridge/countdown.ts';
import { modeOf, reasonOf } from '../bridge/mode.ts';
import type { Mode } from '../bridge/mode.ts';
import type { AppState, QueuedAsk } from '../bridge/types.ts';
import { fit, lineWidth, piece } from './line.ts';
import type { Line, Look } from './line.ts';
import { safeLine } from './prompt-text.ts';
import type { ScreenState } from './screen-state.ts';

/** The mode in a word. */
export const modeWords: Readonly<Record<Mode, string>> = {
  armed: 'armed',
  paused: 'paused',
  locked: 'LOCKED OUT',
  'runner-gone': 'runner gone',
};

/** One bar: the mode, and how many ask. Red when nothing can run. */
export function statusBar(app: AppState | null, width: number): Line {
  const mode = app === null ? 'runner-gone' : modeOf(app);
  const look: Look = mode === 'locked' || mode === 'runner-gone' ? 'alarm' : 'bar';
  const waiting = app?.queue.length ?? 0;
  const left = ` Interlock · ${app === null ? 'starting' : modeWords[mode]}`;
  const right = waiting === 0 ? '' : `${waiting} waiting `;
  const gap = Math.max(1, width - left.length - right.length);
  return fit([piece(`${left}${' '.repeat(gap)}${right}`, look)], width);
}

/** What a person should know besides the queue: why it is locked, what is wrong with the policy. */
export function notices(app: AppState | null): readonly string[] {
  if (app === null) return [];
  const mode = modeOf(app);
  const reason = reasonOf(app);
  const problem = app.policy.problem?.message ?? app.runner?.policyProblem ?? null;
  return [
    ...(mode === 'locked'
      ? [`Everything is locked out${reason === null ? '.' : `: ${reason}`}`]
      : []),
    ...(mode === 'paused' ? [`New requests are held${reason === null ? '.' : `: ${reason}`}`] : []),
    ...(mode === 'runner-gone' ? ['No runner answers, so nothing runs.'] : []),
    ...(problem === null ? [] : [`Policy: ${problem} Everything is denied.`]),
  ].map(safeLine);
}

/** The row of one ask in the list: who, what, and how long it waits. */
export function queueRow(
  { ask }: QueuedAsk,
  options: { readonly current: boolean; readonly width: number; readonly now: number },
): Line {
  const { current, width, now } = options;
  const time = ` ${clockText(secondsLeft(ask.expiresAt, now))}`;
  const look: Look = current ? 'strong' : 'faint';
  const mark = ask.risk.level === 'high' ? piece('!', 'danger') : piece(' ');
  const what = piece(safeLine(` ${ask.agent}  ${ask.command}`), look);
  const row = fit([piece(current ? '›' : ' ', look), mark, what], width - time.length);
  const gap = ' '.repeat(Math.max(0, width - time.length - lineWidth(row)));
  return [...row, piece(`${gap}${time}`, look)];
}

/** The host's clock, which deadlines are told against. */
export function clockOf({ app, receivedAt }: ScreenState, now: number): number {
  return app === null ? now : hostNow(app, { receivedAt, now });
}
