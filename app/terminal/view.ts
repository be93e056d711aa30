import { askerOf } from '../../shared/engine/index.ts';
import { clockText, hostNow, modeOf, reasonOf, secondsLeft, timeOfDay } from '../bridge/state.ts';
import type { Mode } from '../bridge/state.ts';
import type { AppState, QueuedAsk } from '../bridge/types.ts';
import { footer, helpText } from './footer.ts';
import { groupLines } from './group.ts';
import { fit, lineWidth, piece, wrap } from './line.ts';
import type { Line, Look } from './line.ts';
import { historyLines, missedLines, raisedLines } from './lists.ts';
import { wantsWords, withdrawnWords } from '../bridge/words.ts';
import { promptText, safeLine } from './prompt-text.ts';
import { shownAsk } from './screen-state.ts';
import type { ScreenState } from './screen-state.ts';

/** The mode in a word. */
export const modeWords: Readonly<Record<Mode, string>> = {
  armed: 'armed',
  paused: 'paused',
  locked: 'LOCKED OUT',
  'runner-gone': 'runner gone',
};

/** One bar: the mode, and how many ask. Red when nothing can run. */
function statusBar(app: AppState | null, width: number): Line {
  const mode = app === null ? 'runner-gone' : modeOf(app);
  const look: Look = mode === 'locked' || mode === 'runner-gone' ? 'alarm' : 'bar';
  const waiting = app?.queue.length ?? 0;
  const left = ` Interlock · ${app === null ? 'starting' : modeWords[mode]}`;
  const right = waiting === 0 ? '' : `${waiting} waiting `;
  const gap = Math.max(1, width - left.length - right.length);
  return fit([piece(`${left}${' '.repeat(gap)}${right}`, look)], width);
}

/** What a person should know besides the queue: why it is locked, what is wrong with the policy. */
function notices(app: AppState | null): readonly string[] {
  if (app === null) return [];
  const mode = modeOf(app);
  const reason = reasonOf(app);
  const problem = app.policy.problem?.message ?? app.runner?.policyProblem ?? null;
  return [
    ...(mode === 'locked'
      ? [`Everything is locked out${reason === null ? '.' : `: ${reason}`}`]
      : []),
    ...(mode === 'paused'
      ? [`Every request is refused until you resume${reason === null ? '.' : `: ${reason}`}`]
      : []),
    ...(mode === 'runner-gone'
      ? ['The runner is not connected. Until then agents get no command through.']
      : []),
    ...(problem === null ? [] : [`Policy: ${problem} Everything is denied.`]),
  ].map(safeLine);
}

/** Who runs with fewer questions for a while, and the key for its end. */
function raisedNotice(state: ScreenState, now: number): readonly string[] {
  const elevated = state.app?.runner?.elevated ?? [];
  const holding = elevated.filter(({ expiresAt }) => expiresAt > clockOf(state, now));
  const [first] = holding;
  if (first === undefined) return [];
  const who =
    holding.length === 1
      ? `${first.agent}, session ${first.session}, is raised until ${timeOfDay(first.expiresAt)}: ${first.as}.`
      : `${String(holding.length)} sessions are raised for a while.`;
  return [safeLine(`${who} r shows it, and its end.`)];
}

/** The row of one ask in the list: who, what, and how long it waits. */
function queueRow(
  { ask }: QueuedAsk,
  options: { readonly current: boolean; readonly width: number; readonly now: number },
): Line {
  const { current, width, now } = options;
  const time = ` ${clockText(secondsLeft(ask.expiresAt, now))}`;
  const look: Look = current ? 'strong' : 'faint';
  const mark = ask.risk.level === 'high' ? piece('!', 'danger') : piece(' ');
  const what = piece(safeLine(` ${askerOf(ask)}  ${ask.command}`), look);
  const row = fit([piece(current ? '›' : ' ', look), mark, what], width - time.length);
  const gap = ' '.repeat(Math.max(0, width - time.length - lineWidth(row)));
  return [...row, piece(`${gap}${time}`, look)];
}

/** The host's clock, which deadlines are told against. */
function clockOf({ app, receivedAt }: ScreenState, now: number): number {
  return app === null ? now : hostNow(app, { receivedAt, now });
}

interface ViewOptions {
  readonly columns: number;
  readonly rows: number;
  readonly now: number;
  /** Rows of an ask's text; a shell may remember them from one drawing to the next. */
  readonly textOf?: (queued: QueuedAsk, width: number) => readonly Line[];
}

/** Most rows that the list of asks takes. */
const listRows = 6;

/** The whole screen: exactly `rows` lines, none wider than `columns`. */
export function viewScreen(state: ScreenState, options: ViewOptions): readonly Line[] {
  const { columns, rows, now, textOf = promptText } = options;
  const shown = shownAsk(state);
  const top = [
    statusBar(state.app, columns),
    ...notices(state.app).flatMap((text) =>
      wrap([piece(text, 'danger')], { width: columns, words: true }),
    ),
    ...raisedNotice(state, now).flatMap((text) =>
      wrap([piece(text, 'caution')], { width: columns, words: true }),
    ),
    ...list(state, options),
  ];
  const bottom = footer(state, columns, now);
  const room = Math.max(1, rows - top.length - bottom.length);
  const middle =
    listOf(state, columns, now) ??
    (shown === null
      ? nothingWaits(state, columns)
      : [titleOf(shown, state, options), ...textOf(shown, columns)]);
  const seen = scrolledTo(middle, { room, from: state.scroll });
  const filler = Array.from({ length: Math.max(0, room - seen.length) }, (): Line => []);
  const upper = [...top, ...seen, ...filler].slice(0, Math.max(0, rows - bottom.length));
  return [...upper, ...bottom].slice(-rows).map((line) => fit(line, columns));
}

/** What is shown instead of the prompt. */
function listOf(state: ScreenState, width: number, now: number): readonly Line[] | null {
  const { focus, app } = state;
  switch (focus.kind) {
    case 'help':
      return helpText(width);
    case 'group':
      return groupLines(focus, width);
    case 'missed':
      return missedLines(app?.missed ?? [], width);
    case 'raised':
      return raisedLines(focus.elevated, width, clockOf(state, now));
    case 'history':
      return historyLines(focus.entries, width);
    default:
      return null;
  }
}

function list(state: ScreenState, { columns, rows, now }: ViewOptions): readonly Line[] {
  const queue = state.app?.queue ?? [];
  if (queue.length < 2) return [];
  const count = Math.min(listRows, queue.length, Math.max(1, Math.floor(rows / 5)));
  const at = Math.max(
    0,
    queue.findIndex(({ ask }) => ask.id === state.shown),
  );
  const from = Math.min(Math.max(0, at - Math.floor(count / 2)), queue.length - count);
  return queue.slice(from, from + count).map((queued) =>
    queueRow(queued, {
      current: queued.ask.id === state.shown,
      width: columns,
      now: clockOf(state, now),
    }),
  );
}

function titleOf({ ask }: QueuedAsk, state: ScreenState, { columns, now }: ViewOptions): Line {
  const queue = state.app?.queue ?? [];
  const place = queue.findIndex((queued) => queued.ask.id === ask.id) + 1;
  const time = clockText(secondsLeft(ask.expiresAt, clockOf(state, now)));
  const text = `${safeLine(askerOf(ask))} ${wantsWords[ask.kind]} · ${place} of ${queue.length} · ${time} left`;
  return fit([piece(text, ask.risk.level === 'high' ? 'danger' : 'strong')], columns);
}

function nothingWaits({ app }: ScreenState, columns: number): readonly Line[] {
  const missed = (app?.missed ?? []).slice(0, 20);
  return [
    [],
    ...wrap(
      [
        piece(
          'Nothing waits for you. When an agent wants to run something that no rule decides, it appears here.',
        ),
      ],
      {
        width: columns,
        words: true,
      },
    ),
    ...(missed.length === 0 ? [] : [[], [piece('Missed', 'strong')]]),
    ...missed.map(({ ask, reason }) =>
      fit([piece(`${withdrawnWords[reason]}  `, 'faint'), piece(safeLine(ask.command))], columns),
    ),
  ];
}

/** The rows in view. What is above or below is mentioned, so that nothing is hidden. */
function scrolledTo(
  rows: readonly Line[],
  { room, from }: { readonly room: number; readonly from: number },
): readonly Line[] {
  if (rows.length <= room) return rows;
  const start = Math.min(from, rows.length - room);
  const seen = rows.slice(start, start + room);
  const below = rows.length - start - room;
  const last = below > 0 ? [`↓ ${below + 1} more rows: Space`] : [];
  const first = start > 0 ? [`↑ ${start + 1} rows above: PageUp`] : [];
  return [
    ...first.map((text): Line => [piece(text, 'caution')]),
    ...seen.slice(first.length, last.length === 0 ? undefined : -1),
    ...last.map((text): Line => [piece(text, 'caution')]),
  ];
}
