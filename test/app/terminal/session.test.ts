import { describe, expect, it, vi } from 'vitest';
import { armDelayMs } from '../../../app/bridge/arming.ts';
import type { AppState } from '../../../app/bridge/types.ts';
import type { UiHost } from '../../../app/host/types.ts';
import { terminal } from '../../../app/terminal/line.ts';
import { openTerminalSession } from '../../../app/terminal/session.ts';
import type { TerminalSession } from '../../../app/terminal/session.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { queuedAsk } from '../../support/queued-ask.ts';
import { appState, start } from './support.ts';

type Handle = UiHost['handle'];

function open(options: { readonly bell?: boolean; readonly handle?: Handle } = {}) {
  const clock = fakeClock(start);
  const calls: { readonly call: string; readonly args: unknown }[] = [];
  const handle: Handle = (call, args) => {
    calls.push({ call, args });
    return (
      options.handle?.(call, args) ?? Promise.resolve({ ok: true, result: { accepted: true } })
    );
  };
  let push: (state: AppState) => void = () => undefined;
  let read: (chunk: Uint8Array) => void = () => undefined;
  let resized = (): void => undefined;
  let size = { columns: 60, rows: 20 };
  let listening = 0;
  const written: string[] = [];
  const listen = (): (() => void) => {
    listening += 1;
    return () => {
      listening -= 1;
    };
  };
  const session: TerminalSession = openTerminalSession({
    host: {
      handle,
      subscribe: (listener) => {
        push = listener;
        listener(appState([]));
        return listen();
      },
    },
    port: {
      size: () => size,
      write: (text) => written.push(text),
      onInput: (reader) => {
        read = reader;
        return listen();
      },
      onResize: (listener) => {
        resized = listener;
        return listen();
      },
    },
    clock,
    colours: false,
    bell: options.bell ?? false,
  });
  return {
    clock,
    calls,
    written,
    session,
    listening: () => listening,
    push: (state: AppState) => push(state),
    type: (text: string) => read(Buffer.from(text)),
    resize: (columns: number, rows: number) => {
      size = { columns, rows };
      resized();
    },
    /** What was written since the last look. */
    fresh: () => written.splice(0).join(''),
  };
}

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
};

describe('a terminal session', () => {
  it('takes the screen over, and leaves it as it was', () => {
    const { session, written, clock, listening } = open();
    expect(written[0]).toBe(terminal.enter);
    session.dispose();
    expect(written.at(-1)).toContain(terminal.leave);
    const count = written.length;
    session.dispose();
    expect(written).toHaveLength(count);
    expect(listening()).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it('leaves when the person presses Control and c', async () => {
    const { session, type } = open();
    const left = vi.fn();
    void session.left.then(left);
    type('q');
    await settle();
    expect(left).not.toHaveBeenCalled();
    type('\u0003');
    await settle();
    expect(left).toHaveBeenCalledOnce();
    session.dispose();
  });

  it('shows an ask, sends the answer, and says what became of it', async () => {
    const { push, type, calls, fresh, clock } = open();
    const queued = queuedAsk({ id: 'a1' });
    push(appState([queued]));
    expect(fresh()).toContain(' status -s | head -3');
    clock.advance(armDelayMs);
    type('a');
    expect(calls).toEqual([
      {
        call: 'answer',
        args: { id: 'a1', askDigest: queued.askDigest, decision: 'allow-once' },
      },
    ]);
    await settle();
    push(appState([]));
    expect(fresh()).toContain('Allowed once.');
  });

  const outcomes: readonly (readonly [string, Handle, string])[] = [
    [
      'came too late',
      () => Promise.resolve({ ok: true, result: { accepted: false } }),
      'Too late: the request was gone already.',
    ],
    [
      'was refused',
      () =>
        Promise.resolve({
          ok: false,
          refusal: { code: 'invalid-request', message: 'Not so.', hint: 'Do this.' },
        }),
      'Not so. Do this.',
    ],
  ];
  it.each(outcomes)('tells that an answer %s', async (_name, handle, sentence) => {
    const { push, type, fresh } = open({ handle });
    push(appState([queuedAsk()]));
    type('d');
    await settle();
    expect(fresh()).toContain(sentence);
  });

  it('tells that a lock holds though no runner answered', async () => {
    const result = { stopped: 0, keysRotated: 0, runnerReached: false };
    const { type, calls, fresh } = open({ handle: () => Promise.resolve({ ok: true, result }) });
    type('L');
    type('y');
    await settle();
    expect(calls).toEqual([{ call: 'lockout', args: { reason: 'from the terminal' } }]);
    expect(fresh()).toContain('Locked without a runner');
  });

  it('starts the delay anew when the window gains focus', () => {
    const { push, type, calls, clock } = open();
    push(appState([queuedAsk()]));
    clock.advance(armDelayMs);
    type('\u001B[I');
    type('a');
    expect(calls).toEqual([]);
    clock.advance(armDelayMs);
    type('a');
    expect(calls).toHaveLength(1);
  });

  it('draws anew after a resize, and not at all while nothing changes', () => {
    const { clock, fresh, resize } = open();
    fresh();
    clock.advance(5_000);
    expect(fresh()).toBe('');
    resize(40, 10);
    const drawn = fresh();
    expect(drawn.startsWith(terminal.home)).toBe(true);
    expect(drawn.split('\r\n')).toHaveLength(10);
  });

  it('counts the seconds down by itself', () => {
    const { clock, fresh, push } = open();
    push(appState([queuedAsk({ expiresAt: start + 10_000 })]));
    expect(fresh()).toContain('0:10 left');
    clock.advance(3_000);
    expect(fresh()).toContain('0:07 left');
  });

  it('says in the title how many wait, and rings once for the first', () => {
    const { fresh, push } = open({ bell: true });
    fresh();
    push(appState([queuedAsk({ id: '1' })]));
    const first = fresh();
    expect(first).toContain('\u001B]0;(1) Interlock\u0007');
    expect(first.startsWith(terminal.bell)).toBe(true);
    push(appState([queuedAsk({ id: '1' }), queuedAsk({ id: '2' })]));
    expect(fresh().startsWith(terminal.bell)).toBe(false);
    push(appState([], { runner: null, stop: { mode: 'locked', reason: null } }));
    expect(fresh()).toContain('\u001B]0;Interlock: LOCKED OUT\u0007');
  });
});
