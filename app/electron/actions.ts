import type { ShellSettings } from '../bridge/settings.ts';
import { modeOf } from '../bridge/state.ts';
import type { Answer, AppState, BridgeCall, BridgeCalls } from '../bridge/types.ts';
import type { ShellTexts } from './texts/texts.ts';
import type { ShellHost } from './types.ts';
import type { Windows } from './windows.ts';

/** What a person can do from the tray, the menus, a shortcut or a notification. */
export interface ShellActions {
  readonly open: () => void;
  /** Brings the prompt to the front with this ask in it. */
  readonly showAsk: (id: string) => void;
  readonly showOldest: () => void;
  readonly pause: (reason: string) => void;
  readonly resume: () => void;
  readonly lockout: (reason: string) => void;
  /** What this session was raised to holds no more. */
  readonly endElevation: (id: string) => void;
  /** Whether the lock that has just closed is of our doing, which is told with its counts; asked once. */
  readonly takeLockout: () => boolean;
  readonly unlock: () => void;
  /** Null where no runner is shipped with the app. */
  readonly startRunner: (() => void) | null;
  readonly change: (settings: Partial<ShellSettings>) => void;
  readonly quit: () => void;
}

interface GateActionsOptions {
  readonly host: Pick<ShellHost, 'handle'>;
  readonly windows: Pick<Windows, 'openMain' | 'showPrompt'>;
  readonly state: () => AppState | null;
  readonly tell: (sentence: string) => void;
  readonly change: ShellActions['change'];
  readonly startRunner: ShellActions['startRunner'];
  readonly quit: () => void;
  readonly texts: ShellTexts;
}

/** The actions of the tray, the menus and the shortcuts. */
export function createActions(options: GateActionsOptions): ShellActions {
  const { host, windows, tell, texts } = options;
  const call = async <C extends BridgeCall>(name: C, args: BridgeCalls[C]['args']) => {
    const answer = await host.handle(name, args);
    if (answer.ok) return answer.result as BridgeCalls[C]['result'];
    tell(`${answer.refusal.message} ${answer.refusal.hint}`);
    return null;
  };
  let isOurs = false;
  const lockOut = async (reason: string): Promise<void> => {
    const before = options.state();
    isOurs = before === null || modeOf(before) !== 'locked';
    const done = await call('lockout', { reason });
    if (done === null) isOurs = false;
    if (done === null) tell(texts.notification.lockoutFailed);
    else if (done.runnerReached === false) tell(texts.notification.lockedAlone);
    else tell(texts.notification.lockedOut(done.stopped, done.keysRotated));
  };
  const showOldest = (): void => {
    const oldest = options.state()?.queue[0];
    if (oldest === undefined) windows.openMain();
    else windows.showPrompt({ askId: oldest.ask.id, focus: true });
  };
  return {
    open: () => windows.openMain(),
    showAsk: (id) => {
      const waits = options.state()?.queue.some(({ ask }) => ask.id === id) ?? false;
      if (waits) windows.showPrompt({ askId: id, focus: true });
      else showOldest();
    },
    showOldest,
    pause: (reason) => void call('pause', { reason }),
    resume: () => void call('resume', {}),
    lockout: (reason) => void lockOut(reason),
    endElevation: (id) => void call('endGrant', { id }),
    takeLockout: () => {
      const was = isOurs;
      isOurs = false;
      return was;
    },
    unlock: () => windows.openMain(),
    startRunner: options.startRunner,
    change: options.change,
    quit: options.quit,
  };
}

/** Sends an answer given outside a window; false when it did not count. */
export async function sendAnswer(
  host: Pick<ShellHost, 'handle'>,
  answer: Answer,
): Promise<boolean> {
  const sent = await host.handle('answer', answer);
  return sent.ok && 'accepted' in sent.result && sent.result.accepted === true;
}
