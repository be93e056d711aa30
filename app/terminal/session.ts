import type { Clock } from '../../shared/base/index.ts';
import { modeOf } from '../bridge/state.ts';
import type { AppState, BridgeCalls, HistoryEntry, QueuedAsk } from '../bridge/types.ts';
import type { UiHost } from '../host/types.ts';
import { createKeyDecoder } from './key-decoder.ts';
import type { TerminalInput } from './key-decoder.ts';
import { ansiLine, terminal, titleSequence } from './line.ts';
import type { Line } from './line.ts';
import { promptText } from './prompt-text.ts';
import { reduceKey, reducePaste, takeState } from './reduce.ts';
import { firstScreen } from './screen-state.ts';
import type { Effect, Message, ScreenState } from './screen-state.ts';
import { modeWords, viewScreen } from './view.ts';

const done: Readonly<Record<BridgeCalls['answer']['args']['decision'], string>> = {
  deny: 'Denied.',
  'allow-once': 'Allowed once.',
  'allow-always': 'Allowed, and remembered.',
};

function saidOf({ decision, remember }: BridgeCalls['answer']['args']): string {
  return decision === 'deny' && remember !== undefined ? 'Denied, and remembered.' : done[decision];
}

/** Does what a key asked for, and returns the sentence that says how it went. */
export async function performEffect(
  host: Pick<UiHost, 'handle'>,
  effect: Exclude<Effect, { type: 'quit' | 'history' }>,
): Promise<Message> {
  if (effect.type === 'answers') return answerAll(host, effect);
  if (effect.type === 'lower') return lower(host, effect.id);
  const answer =
    effect.type === 'lockout'
      ? await host.handle('lockout', { reason: 'from the terminal' })
      : await host.handle('answer', effect.answer);
  if (!answer.ok) {
    return { text: `${answer.refusal.message} ${answer.refusal.hint}`, tone: 'danger' };
  }
  if (effect.type === 'answer') {
    const { accepted } = answer.result as BridgeCalls['answer']['result'];
    return accepted
      ? { text: saidOf(effect.answer), tone: 'good' }
      : { text: 'Too late: the request was gone already.', tone: 'caution' };
  }
  const { stopped, keysRotated, runnerReached } = answer.result as BridgeCalls['lockout']['result'];
  const text =
    runnerReached === false
      ? `Locked without a runner. Commands stopped: ${stopped}. Keys rotated: ${keysRotated}.`
      : `Locked. Commands stopped: ${stopped}. Keys rotated: ${keysRotated}.`;
  return { text, tone: 'danger' };
}

async function lower(host: Pick<UiHost, 'handle'>, id: string): Promise<Message> {
  const answer = await host.handle('endGrant', { id });
  if (!answer.ok)
    return { text: `${answer.refusal.message} ${answer.refusal.hint}`, tone: 'danger' };
  return { text: 'Ended: it asks again as before.', tone: 'good' };
}

async function answerAll(
  host: Pick<UiHost, 'handle'>,
  { answers, decision }: Extract<Effect, { type: 'answers' }>,
): Promise<Message> {
  const answer = await host.handle('answerMany', { answers });
  if (!answer.ok)
    return { text: `${answer.refusal.message} ${answer.refusal.hint}`, tone: 'danger' };
  const { accepted } = answer.result as BridgeCalls['answerMany']['result'];
  const counted = accepted.filter(Boolean).length;
  const late = accepted.length - counted;
  const word = decision === 'deny' ? 'Denied' : 'Allowed once';
  return {
    text: `${word}: ${String(counted)}.${late === 0 ? '' : ` Gone already: ${String(late)}.`}`,
    tone: late === 0 ? 'good' : 'caution',
  };
}

/** The newest decisions, or the sentence that says why there are none to show. */
export async function readHistory(
  host: Pick<UiHost, 'handle'>,
): Promise<readonly HistoryEntry[] | Message> {
  const answer = await host.handle('history', { offset: 0, limit: 100 });
  if (!answer.ok)
    return { text: `${answer.refusal.message} ${answer.refusal.hint}`, tone: 'danger' };
  return (answer.result as BridgeCalls['history']['result']).entries;
}

/** The part of a terminal that the session uses. */
export interface TerminalPort {
  size(): { readonly columns: number; readonly rows: number };
  write(text: string): void;
  /** Each returns a function that stops listening. */
  onInput(read: (chunk: Uint8Array) => void): () => void;
  onResize(resized: () => void): () => void;
}

interface TerminalSessionOptions {
  readonly host: Pick<UiHost, 'handle' | 'subscribe'>;
  readonly port: TerminalPort;
  readonly clock: Clock;
  readonly colours: boolean;
  /** Ring when a request arrives and none was waiting, whatever the sound setting says. */
  readonly bell: boolean;
}

export interface TerminalSession {
  /** Resolves when the person leaves. */
  readonly left: Promise<void>;
  /** Leaves the terminal as it was. May be called twice. */
  dispose(): void;
}

const tickMs = 250;

/** Takes over the terminal and shows the queue until the person leaves or `close` is called. */
export function openTerminalSession(options: TerminalSessionOptions): TerminalSession {
  const { host, port, clock, colours, bell } = options;
  const textOf = createTexts();
  let state = firstScreen(clock.now());
  let drawn = '';
  let title = '';
  let closed = false;
  let leave = (): void => undefined;
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });

  const draw = (): void => {
    if (closed) return;
    const lines = viewScreen(state, { ...port.size(), now: clock.now(), textOf });
    const text = lines
      .map((line) => `${ansiLine(line, { colours })}${terminal.clearToLineEnd}`)
      .join('\r\n');
    const named = titleOf(state.app);
    if (named !== title) port.write(titleSequence(named));
    title = named;
    if (text !== drawn) port.write(`${terminal.home}${text}${terminal.clearBelow}`);
    drawn = text;
  };
  const show = (next: ScreenState): void => {
    state = next;
    draw();
  };
  const openHistory = async (): Promise<void> => {
    const read = await readHistory(host);
    if ('text' in read) show({ ...state, message: read });
    // A person who has started to type or confirm something meanwhile is not interrupted.
    else if (state.focus.kind === 'queue')
      show({ ...state, focus: { kind: 'history', entries: read }, scroll: 0 });
  };
  const perform = (effect: Effect): void => {
    if (effect.type === 'quit') leave();
    else if (effect.type === 'history') void openHistory();
    else void performEffect(host, effect).then((message) => show({ ...state, message }));
  };
  const take = (input: TerminalInput): void => {
    if (input.type === 'paste') show(reducePaste(state, input.text));
    else if (input.type === 'focus') show({ ...state, focusedAt: clock.now() });
    else {
      const { state: next, effect } = reduceKey(state, input.press, clock.now());
      show(next);
      if (effect !== null) perform(effect);
    }
  };
  let cancelTick = (): void => undefined;
  const tick = (): void => {
    draw();
    cancelTick = clock.after(tickMs, tick);
  };

  port.write(terminal.enter);
  const stops = [
    host.subscribe((app) => {
      const wasEmpty = (state.app?.queue.length ?? 0) === 0;
      const rings = bell || app.settings?.settings.sound === true;
      if (rings && wasEmpty && app.queue.length > 0) port.write(terminal.bell);
      show(takeState(state, app, clock.now()));
    }),
    port.onInput(createKeyDecoder(clock, take)),
    port.onResize(() => {
      drawn = '';
      draw();
    }),
  ];
  tick();

  return {
    left,
    dispose: () => {
      if (closed) return;
      closed = true;
      cancelTick();
      for (const stop of stops) stop();
      port.write(`${titleSequence('')}${terminal.leave}`);
      leave();
    },
  };
}

/** What is to be read of an ask, laid out once a width. */
function createTexts(): (queued: QueuedAsk, width: number) => readonly Line[] {
  const texts = new WeakMap<QueuedAsk, { width: number; rows: readonly Line[] }>();
  return (queued, width) => {
    const known = texts.get(queued);
    if (known?.width === width) return known.rows;
    const rows = promptText(queued, width);
    texts.set(queued, { width, rows });
    return rows;
  };
}

function titleOf(app: AppState | null): string {
  if (app === null) return 'Interlock';
  const waiting = app.queue.length === 0 ? '' : `(${app.queue.length}) `;
  const mode = modeOf(app);
  return `${waiting}Interlock${mode === 'armed' ? '' : `: ${modeWords[mode]}`}`;
}
