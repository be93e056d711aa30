import { settingNames } from '../bridge/settings.ts';
import type { SettingName } from '../bridge/settings.ts';
import type { ShellFacts } from '../host/types.ts';

/** The facts of the menu-bar app, which are known only once its desk stands. */
export interface DeskFacts extends ShellFacts {
  /** The desk stands, or a fact changed. */
  readonly tell: (change: {
    readonly taken: readonly string[];
    readonly startRunner: (() => void) | null;
  }) => void;
}

/** Facts to hand to the host before the desk stands. */
export function deskFacts(machine: {
  readonly platform: NodeJS.Platform;
  readonly isPackaged: boolean;
}): DeskFacts {
  let known: Parameters<DeskFacts['tell']>[0] = { taken: [], startRunner: null };
  let changed = (): void => undefined;
  const missing: ReadonlySet<SettingName> = new Set([
    ...(machine.platform === 'darwin' ? [] : (['touchIdForUnlock'] as const)),
    ...(machine.isPackaged ? [] : (['startRunner'] as const)),
  ]);
  return {
    honoured: settingNames.filter((name) => !missing.has(name)),
    taken: () => known.taken,
    startRunner: () => known.startRunner,
    onChange: (listener) => {
      changed = listener;
    },
    tell: (now) => {
      const before = JSON.stringify(known.taken);
      const same = JSON.stringify(now.taken) === before && now.startRunner === known.startRunner;
      known = now;
      if (!same) changed();
    },
  };
}
