import { applyPush } from './state-push.ts';
import type { StatePush } from './state-push.ts';
import type { AppState, Bridge } from './types.ts';

/** What the menu-bar app's preload script exposes: the minimum from which a page builds a `Bridge`. */
export interface PreloadBridge {
  /** Calls back with each push from now on. */
  onPush(listener: (push: StatePush) => void): void;
  /** The state that was pushed last; null before the first. */
  state(): Promise<AppState | null>;
  readonly call: Bridge['call'];
}

/** A `Bridge` over the preload script. The host lives in the process that owns the window. */
export function bridgeOverPreload(preload: PreloadBridge): Bridge {
  const listeners = new Set<(state: AppState) => void>();
  let state: AppState | null = null;
  /** Pushes that arrived while the whole state was being read; null otherwise. */
  let early: StatePush[] | null = null;

  const become = (next: AppState): void => {
    state = next;
    for (const listener of listeners) listener(next);
  };
  const take = (push: StatePush): void => {
    if (early !== null) {
      early.push(push);
      return;
    }
    const { revision } = push.type === 'state' ? push.state : push.change;
    if (state !== null && revision <= state.revision) return;
    const next = applyPush(state, push);
    if (next === null) void readWhole();
    else become(next);
  };
  const readWhole = async (): Promise<void> => {
    const pushes: StatePush[] = [];
    early = pushes;
    const whole = await preload.state().catch(() => null);
    early = null;
    if (whole !== null) become(whole);
    for (const push of pushes) {
      // Without a state to apply changes to, only a whole one helps; the next push tries again.
      if (whole !== null || push.type === 'state') take(push);
    }
  };
  preload.onPush(take);
  void readWhole();

  return {
    subscribe: (listener) => {
      listeners.add(listener);
      if (state !== null) listener(state);
      return () => listeners.delete(listener);
    },
    // The connection stands as long as the window does.
    onConnection: (listener) => {
      listener(true);
      return () => undefined;
    },
    call: (name, args) => preload.call(name, args),
  };
}
