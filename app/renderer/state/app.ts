import { create } from 'zustand';
import type { AppState, Bridge, BridgeCalls } from '../../bridge/types.ts';
import type { Refusal } from '../../../shared/refusal/refusal.ts';
import type { Connection, Link } from '../connection/types.ts';
import { followSettings } from './preferences.ts';
import { routeOf } from './route.ts';
import type { View } from './route.ts';
import { shownAsk } from './selection.ts';

/** What the lockout of this page did; null until there was one. */
export type LockoutDone = BridgeCalls['lockout']['result'];

export interface AppModel {
  readonly bridge: Bridge | null;
  readonly link: Link;
  readonly state: AppState | null;
  /** `performance.now()` when `state` came: it does not jump with the page's clock. */
  readonly receivedAt: number;
  readonly view: View;
  /** Id of the ask on screen. */
  readonly selected: string | null;
  /** `performance.now()` when another ask took the place of the one on screen by itself. */
  readonly replacedAt: number | null;
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
  state: null,
  receivedAt: 0,
  view: 'asks',
  selected: null,
  replacedAt: null,
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

/** Feeds the store from a connection, and follows the address. */
export function startApp(connection: Connection): void {
  useApp.setState({ bridge: connection.bridge });
  follow();
  window.addEventListener('hashchange', follow);
  connection.onLink((link) => useApp.setState({ link }));
  connection.bridge.subscribe((state) => {
    followSettings(state.settings);
    useApp.setState(({ selected, replacedAt }) => {
      const shown = shownAsk(state.queue, selected)?.ask.id ?? null;
      const now = performance.now();
      return {
        state,
        receivedAt: now,
        selected: shown,
        replacedAt: shown === selected ? replacedAt : now,
      };
    });
  });
}

/** The address loses the ask again, so that the same link works a second time. */
function follow(): void {
  const { view, ask } = routeOf(location.hash);
  if (ask !== null) {
    useApp.setState({ selected: ask });
    useApp.getState().show(view);
  } else useApp.setState({ view });
}
