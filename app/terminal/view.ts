import { clockText, secondsLeft } from '../bridge/countdown.ts';
import type { QueuedAsk } from '../bridge/types.ts';
import { footer } from './footer.ts';
import { clockOf, notices, queueRow, statusBar } from './header.ts';
import { groupLines } from './group.ts';
import { helpText } from './help-text.ts';
import { fit, piece, wrap } from './line.ts';
import type { Line } from './line.ts';
import { historyLines, missedLines, reasons } from './lists.ts';
import { promptText, safeLine } from './prompt-text.ts';
import { shownAsk } from './screen-state.ts';
import type { ScreenState } from './screen-state.ts';

export interface ViewOptions {
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
    ...list(state, options),
  ];
  const bottom = footer(state, columns, now);
  const room = Math.max(1, rows - top.length - bottom.length);
  const middle =
    listOf(state, columns) ??
    (shown === null
      ? nothingWaits(state, columns)
      : [titleOf(shown, state, options), ...textOf(shown, columns)]);
  const seen = scrolledTo(middle, { room, from: state.scroll });
  const filler = Array.from({ length: Math.max(0, room - seen.length) }, (): Line => []);
  const upper = [...top, ...seen, ...filler].slice(0, Math.max(0, rows - bottom.length));
  return [...upper, ...bottom].slice(-rows).map((line) => fit(line, columns));
}

/** What takes the place of the prompt. */
function listOf({ focus, app }: ScreenState, width: number): readonly Line[] | null {
  switch (focus.kind) {
    case 'help':
      return helpText(width);
    case 'group':
      return groupLines(focus, width);
    case 'missed':
      return missedLines(app?.missed ?? [], width);
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
  const text = `${safeLine(ask.agent)} asks · ${place} of ${queue.length} · ${time} left`;
  return fit([piece(text, ask.risk.level === 'high' ? 'danger' : 'strong')], columns);
}

function nothingWaits({ app }: ScreenState, columns: number): readonly Line[] {
  const missed = (app?.missed ?? []).slice(0, 20);
  return [
    [],
    ...wrap([piece('No request waits. Each one shows up here by itself.')], {
      width: columns,
      words: true,
    }),
    ...(missed.length === 0 ? [] : [[], [piece('Missed', 'strong')]]),
    ...missed.map(({ ask, reason }) =>
      fit([piece(`${reasons[reason]}  `, 'faint'), piece(safeLine(ask.command))], columns),
    ),
  ];
}

/** The rows in view. What is above or below is told in words, so that nothing hides. */
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
