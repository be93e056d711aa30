import { watchFile } from '../../../shared/node/policy-file/watch.ts';
import type { Clock } from '../../../shared/clock/types.ts';
import type { SettingsView, ShellSettings } from '../../bridge/settings.ts';
import type { ShellFacts } from '../types.ts';
import { openSettings } from './store.ts';
import type { SettingsStoreOptions } from './store.ts';

/** The settings as the host shows and changes them. */
export interface SettingsDesk {
  view(): SettingsView;
  /** Saves a choice, also one for another shell. Throws a refusal when it cannot be saved. */
  change(choice: Partial<ShellSettings>): SettingsView;
  close(): void;
}

export interface SettingsDeskOptions extends SettingsStoreOptions {
  readonly clock: Clock;
  readonly facts: Pick<ShellFacts, 'honoured' | 'taken'>;
  readonly onChange: () => void;
}

/** Watches `ui.json` until `close`: the tray of the same app writes it too. */
export function createSettingsDesk(options: SettingsDeskOptions): SettingsDesk {
  const { facts, clock, onChange } = options;
  const store = openSettings(options);
  const stop = watchFile(options.file, {
    clock,
    look: () => {
      if (store.look()) onChange();
    },
  });
  const view = (): SettingsView => ({
    settings: store.current(),
    honoured: facts.honoured,
    problem: store.problem(),
    taken: facts.taken(),
  });
  return {
    view,
    change: (choice) => {
      store.change(choice);
      onChange();
      return view();
    },
    close: stop,
  };
}
