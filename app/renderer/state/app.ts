import { useSyncExternalStore } from 'react';
import { create } from 'zustand';
import type { Refusal } from '../../../shared/base/index.ts';
import { hostNow, modeOf, reasonOf } from '../../bridge/state.ts';
import type { Mode } from '../../bridge/state.ts';
import type {
  AppState,
  Bridge,
  BridgeCall,
  BridgeCalls,
  BridgeResult,
  QueuedAsk,
} from '../../bridge/types.ts';
import type { Connection, Link } from './connection.ts';
import { followSettings } from './preferences.ts';

export const views = [
  'asks',
  'allowlist',
  'history',
  'missed',
  'boxes',
  'nodes',
  'health',
  'settings',
] as const;
type View = (typeof views)[number];

/** What the address's hash names. */
interface Route {
  readonly view: View;
  /** The ask that is to be brought on screen, while it waits. */
  readonly ask: string | null;
  /** The window is for asks alone: no other view is offered in it. */
  readonly alone: boolean;
}

/**
 * `#/history` names a view, `#/asks/<id>` an ask, `#/prompt/<id>` the same in a window of its own;
 * anything else is the asks.
 */
export function routeOf(hash: string): Route {
  const [view, id] = hash.replace(/^#\//, '').split('/');
  const found = views.find((each) => each === view) ?? 'asks';
  const ask = found === 'asks' && id !== undefined ? decoded(id) : null;
  return { view: found, ask, alone: view === 'prompt' };
}

function decoded(text: string): string | null {
  try {
    return text === '' ? null : decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** The ask on screen: it stays while it waits; after it the oldest comes. */
export function shownAsk(
  queue: readonly QueuedAsk[],
  selected: string | null,
): QueuedAsk | undefined {
  return queue.find(({ ask }) => ask.id === selected) ?? queue[0];
}

/** The id of the ask `step` places after the shown one; it stops at both ends. */
export function neighbour(
  queue: readonly QueuedAsk[],
  selected: string | null,
  step: 1 | -1,
): string | null {
  const index = queue.findIndex(({ ask }) => ask.id === selected);
  return queue[Math.min(queue.length - 1, Math.max(0, index + step))]?.ask.id ?? null;
}

/** What the lockout of this page did; null until there was one. */
export type LockoutDone = BridgeCalls['lockout']['result'];

interface AppModel {
  readonly bridge: Bridge | null;
  readonly link: Link;
  /** Tries to be connected again, where the connection has ended. */
  readonly reconnect: () => void;
  /** Goes on with this session, where the connection has ended. */
  readonly enter: (session: string) => void;
  readonly state: AppState | null;
  /** `performance.now()` when `state` came: it does not jump with the page's clock. */
  readonly receivedAt: number;
  readonly view: View;
  /** This window shows asks and nothing else. */
  readonly alone: boolean;
  /** Id of the ask on screen. */
  readonly selected: string | null;
  /** `performance.now()` when another ask took the place of the one on screen by itself. */
  readonly replacedAt: number | null;
  /** The palette is open. */
  readonly palette: boolean;
  /** Grows when a step of the guide was done in the page. */
  readonly guideTurn: number;
  /** The last call that failed, until it is dismissed. */
  readonly failure: Refusal | null;
  readonly lockoutDone: LockoutDone | null;
  readonly show: (view: View) => void;
  readonly select: (id: string | null) => void;
  readonly fail: (refusal: Refusal | null) => void;
  readonly lockedOut: (done: LockoutDone | null) => void;
}

export const useApp = create<AppModel>()((set) => ({
  bridge: null,
  link: 'connecting',
  reconnect: () => undefined,
  enter: () => undefined,
  state: null,
  receivedAt: 0,
  view: 'asks',
  alone: false,
  selected: null,
  replacedAt: null,
  palette: false,
  guideTurn: 0,
  failure: null,
  lockoutDone: null,
  show: (view) => {
    history.replaceState(null, '', `#/${view}`);
    set({ view });
  },
  select: (selected) => set({ selected }),
  fail: (failure) => set({ failure }),
  lockedOut: (lockoutDone) => set({ lockoutDone }),
}));

/** Brings an ask on screen from elsewhere. A key on its way was meant for what was there before. */
export function reviewAsk(id: string): void {
  const { show } = useApp.getState();
  show('asks');
  useApp.setState({ selected: id, replacedAt: performance.now() });
}

/** Feeds the store from a connection, and follows the address. */
export function startApp(connection: Connection): void {
  useApp.setState({
    bridge: connection.bridge,
    reconnect: connection.again,
    enter: connection.enter,
  });
  follow();
  window.addEventListener('hashchange', follow);
  connection.onLink((link) =>
    useApp.setState((model) => ({
      link,
      failure: link === 'open' && model.link !== 'open' ? null : model.failure,
    })),
  );
  connection.bridge.subscribe((state) => {
    followSettings(state.settings);
    useApp.setState(({ selected, replacedAt, failure, state: before }) => {
      const shown = shownAsk(state.queue, selected)?.ask.id ?? null;
      const now = performance.now();
      return {
        state,
        receivedAt: now,
        selected: shown,
        failure: before !== null && isOtherSituation(before, state) ? null : failure,
        // Where there was none before, nothing that comes was meant for another.
        replacedAt: shown === selected || selected === null ? replacedAt : now,
      };
    });
  });
}

/**
 * Whether things stand otherwise than they did, so that what failed before may not fail any more: the
 * runner came or went, the gate was locked or opened, the policy is another one.
 */
export function isOtherSituation(before: AppState, after: AppState): boolean {
  return situationOf(before) !== situationOf(after);
}

/** What a look at the set-up depends on, as one word to compare. */
export function situationOf(state: AppState): string {
  const { policy, runner } = state;
  return [modeOf(state), runner === null, policy.hash, policy.problem?.message ?? ''].join('\n');
}

/** The ask is removed from the address again, so that the same link works a second time. */
function follow(): void {
  const { view, ask, alone } = routeOf(location.hash);
  if (ask !== null) {
    useApp.setState({ selected: ask, alone });
    if (alone) {
      history.replaceState(null, '', '#/prompt');
      useApp.setState({ view });
    } else useApp.getState().show(view);
  } else useApp.setState({ view, alone });
}

/** The present mode; a lock is shown even when the runner is gone. Null before the first state. */
export function useMode(): Mode | null {
  return useApp(({ state }) => (state === null ? null : modeOf(state)));
}

/** The reason for the mode, or null. */
export function useModeReason(): string | null {
  return useApp(({ state }) => (state === null ? null : reasonOf(state)));
}

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | null = null;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    for (const each of listeners) each();
  }, 250);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0 && timer !== null) {
      clearInterval(timer);
      timer = null;
    }
  };
}

/** The host's clock, in milliseconds since the epoch; renders again when its second changes. */
export function useHostNow(): number {
  const seconds = useSyncExternalStore(subscribe, () => Math.floor(readHostNow() / 1000));
  return Math.max(seconds * 1000, 0);
}

/** The host's clock now. */
export function readHostNow(): number {
  const { state, receivedAt } = useApp.getState();
  return state === null ? 0 : hostNow(state, { receivedAt, now: performance.now() });
}

/** Makes a call; a broken bridge becomes a refusal like any other. */
export async function call<C extends BridgeCall>(
  name: C,
  args: BridgeCalls[C]['args'],
): Promise<BridgeResult<C>> {
  const { bridge } = useApp.getState();
  try {
    if (bridge !== null) return await bridge.call(name, args);
  } catch {
    // Falls through to the refusal: whether the call took effect is not known here.
  }
  return {
    ok: false,
    refusal: {
      code: 'host-unavailable',
      message: 'The approver did not take this.',
      hint: 'Look at the queue and the history to see whether it counted.',
    },
  };
}

/**
 * Makes a call whose refusal is shown at the top of the page; null when it was refused. What
 * worked takes the refusal of an earlier call away.
 */
export async function callOrShow<C extends BridgeCall>(
  name: C,
  args: BridgeCalls[C]['args'],
): Promise<BridgeCalls[C]['result'] | null> {
  const answer = await call(name, args);
  if (answer.ok) {
    useApp.getState().fail(null);
    return answer.result;
  }
  useApp.getState().fail(answer.refusal);
  return null;
}
