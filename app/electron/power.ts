import type { Clock } from '../../shared/base/index.ts';
import type { ShellActions } from './actions.ts';
import type { ShellPort } from './types.ts';
import type { AwayAction, ShellSettings } from '../bridge/settings.ts';
import type { ShellTexts } from './texts/texts.ts';

interface PowerOptions {
  readonly port: Pick<ShellPort, 'powerMonitor'>;
  readonly platform: NodeJS.Platform;
  readonly actions: Pick<ShellActions, 'lockout' | 'pause'>;
  readonly settings: () => ShellSettings;
  readonly texts: ShellTexts;
  readonly clock: Clock;
}

/** How often to poll for the screen lock where the system sends no event. */
export const lockPollMs = 3_000;

const idleSeconds = 60;

/** Pauses or locks out when the screen locks or the machine goes to sleep, as the settings say. */
export function watchPower(options: PowerOptions): () => void {
  const { port, platform, settings, texts } = options;
  const act = (action: AwayAction, reason: string): void => {
    if (action === 'lockout') options.actions.lockout(reason);
    if (action === 'pause') options.actions.pause(reason);
  };
  const locked = (): void => act(settings().onScreenLock, texts.reasons.screenLock);
  const asleep = (): void => act(settings().onSuspend, texts.reasons.suspend);
  port.powerMonitor.on('lock-screen', locked);
  port.powerMonitor.on('suspend', asleep);
  const stopPolling = platform === 'linux' ? pollLock(options, locked) : () => undefined;
  return () => {
    port.powerMonitor.off('lock-screen', locked);
    port.powerMonitor.off('suspend', asleep);
    stopPolling();
  };
}

/** Electron sends no `lock-screen` on Linux, but can say whether the screen is locked now. */
function pollLock(options: PowerOptions, locked: () => void): () => void {
  let was = false;
  let cancel: () => void;
  const look = (): void => {
    cancel = options.clock.after(lockPollMs, look);
    if (options.settings().onScreenLock === 'nothing') return;
    const is = options.port.powerMonitor.getSystemIdleState(idleSeconds) === 'locked';
    if (is && !was) locked();
    was = is;
  };
  cancel = options.clock.after(lockPollMs, look);
  return () => cancel();
}
