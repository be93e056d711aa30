import { compile, readJson, refuse } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import type { Config } from '../../shared/engine/index.ts';
import { readPrivateFile, watchFile, writeFileAtomic } from '../../shared/home/index.ts';
import { awayActions, defaultSettings, settingsFileSchema } from '../bridge/settings.ts';
import type { AwayAction, SettingsFile, SettingsView, ShellSettings } from '../bridge/settings.ts';
import { writeTrouble } from './refusals.ts';
import type { ShellFacts } from './types.ts';

export const checkSettingsFile = compile(settingsFileSchema);

/** The parts of `config.json` that the app uses; null when there is no valid file. */
export type ShellConfig = Pick<Config, 'lockout' | 'ui'>;

/**
 * What holds: the person's own choices over those of `config.json` over the defaults. A lockout on
 * screen lock that `config.json` demands cannot be softened here.
 */
export function effectiveSettings(
  file: SettingsFile | null,
  config: ShellConfig | null,
): ShellSettings {
  const { version: _version, $schema: _schema, ...chosen } = file ?? { version: 1 };
  const settings: ShellSettings = {
    ...defaultSettings,
    attention: config?.ui.notifications === true ? 'both' : defaultSettings.attention,
    lockoutShortcut: config?.lockout.hotkey ?? null,
    ...chosen,
  };
  const demanded: AwayAction = config?.lockout.onScreenLock === true ? 'lockout' : 'nothing';
  return { ...settings, onScreenLock: stricter(settings.onScreenLock, demanded) };
}

function stricter(one: AwayAction, other: AwayAction): AwayAction {
  return awayActions[Math.max(awayActions.indexOf(one), awayActions.indexOf(other))] ?? 'lockout';
}

export interface SettingsStore {
  readonly current: () => ShellSettings;
  /** What is wrong with the file, or null. While it is wrong, nothing is written over it. */
  readonly problem: () => string | null;
  /** Reads the file again, which others write too; true when something is different now. */
  readonly look: () => boolean;
  /** Saves a choice of the person. Throws a `config-invalid` refusal and changes nothing when it cannot. */
  readonly change: (choice: Partial<ShellSettings>) => void;
}

interface SettingsStoreOptions {
  /** `ui.json` in INTERLOCK_HOME. */
  readonly file: string;
  readonly uid: number;
  readonly config: ShellConfig | null;
}

const sizeLimit = 64 * 1024;

/** Reads the settings file; a missing one means that nothing was chosen yet. */
export function openSettings(options: SettingsStoreOptions): SettingsStore {
  const { file } = options;
  let read = readSettings(options);
  const look = (): boolean => {
    const before = JSON.stringify(read);
    read = readSettings(options);
    return JSON.stringify(read) !== before;
  };
  return {
    current: () => effectiveSettings(read.chosen, options.config),
    problem: () => read.problem,
    look,
    change: (choice) => {
      // The menu, the page and a person with an editor all write this file.
      look();
      if (read.problem !== null) throw unreadable(file, read.problem);
      const next = checkSettingsFile({ version: 1, ...read.chosen, ...choice });
      if (!next.ok) throw unreadable(file, next.error);
      try {
        writeFileAtomic(file, `${JSON.stringify(next.value, null, 2)}\n`);
      } catch (error) {
        const hint = 'The setting was not saved; the old one holds.';
        throw writeTrouble(error, { path: file, hint }) ?? error;
      }
      read = { chosen: next.value, problem: null };
    },
  };
}

function readSettings({ file, uid }: SettingsStoreOptions): {
  readonly chosen: SettingsFile | null;
  readonly problem: string | null;
} {
  const found = readPrivateFile(file, { uid, maxBytes: sizeLimit });
  if (found.kind === 'missing') return { chosen: null, problem: null };
  if (found.kind === 'unsafe') return { chosen: null, problem: `${file} ${found.why}.` };
  const checked = readJson(checkSettingsFile, found.text);
  return checked.ok
    ? { chosen: checked.value, problem: null }
    : { chosen: null, problem: `${file} is not valid: ${checked.error}` };
}

function unreadable(file: string, problem: string): Error {
  return refuse(
    'config-invalid',
    `The setting was not saved: ${problem}`,
    `Mend ${file}, or move it away, and start Interlock again.`,
  );
}

/** The settings as the host shows and changes them. */
export interface SettingsController {
  view(): SettingsView;
  /** Saves a choice, even one that only another shell applies. Throws a refusal when it cannot. */
  change(choice: Partial<ShellSettings>): SettingsView;
  dispose(): void;
}

interface SettingsControllerOptions extends SettingsStoreOptions {
  readonly clock: Clock;
  readonly facts: Pick<ShellFacts, 'honoured' | 'taken'>;
  readonly onChange: () => void;
}

/** Watches `ui.json` until `close`: the tray of the same app writes it too. */
export function createSettingsController(options: SettingsControllerOptions): SettingsController {
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
    dispose: stop,
  };
}
