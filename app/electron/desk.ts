import type { Session } from 'electron';
import { join } from 'node:path';
import type { AppState } from '../bridge/types.ts';
import type { UiHost } from '../host/types.ts';
import { createAttention } from './attention.ts';
import type { DeskFacts } from './facts.ts';
import { createActions, sendAnswer } from './gate-actions.ts';
import { openBridgeDoors } from './ipc/bridge-doors.ts';
import { hiddenFlag } from './login-item/autostart-entry.ts';
import { setLoginItem } from './login-item/login-item.ts';
import { createNotifier } from './notifications/notifications.ts';
import { watchPower } from './power/power.ts';
import { touchId } from './presence/presence.ts';
import { createRunnerStarter } from './service/starter.ts';
import { openSettings } from '../host/settings/store.ts';
import type { SettingsStore } from '../host/settings/store.ts';
import type { Shell, ShellOptions } from './shell-options.ts';
import { createShortcuts } from './shortcuts/shortcuts.ts';
import type { ShellTexts } from './texts/types.ts';
import { statusText } from './tray/menu.ts';
import type { TrayView } from './tray/menu.ts';
import { trayStatus } from './tray/status.ts';
import { SystemTray } from './tray/tray.ts';
import { windowMenu } from './tray/window-menu.ts';
import { guardUnlock } from './unlock.ts';
import { createUpdates } from './update/updates.ts';
import { createWindows } from './window/windows.ts';

export interface DeskOptions extends ShellOptions {
  readonly host: UiHost;
  readonly facts: Pick<DeskFacts, 'tell'>;
  readonly session: Session;
  readonly devTools: boolean;
  readonly texts: ShellTexts;
}

/** How long a runner of its own has to answer before the shipped one is started, in milliseconds. */
export const runnerGraceMs = 3_000;

/** Puts everything that a person sees on the desk, and keeps it in step with the host's state. */
export function runDesk(options: DeskOptions): Shell {
  const { port, platform, host, texts } = options;
  const settings = openSettings({
    file: options.paths.uiSettings,
    uid: options.uid,
    config: options.config,
  });
  const presence = touchId(port, platform, texts);
  const windows = createWindows(port, {
    ...options,
    dark: () => port.nativeTheme.shouldUseDarkColors,
  });
  const starter = port.app.isPackaged
    ? createRunnerStarter({ ...options, entry: options.files.runner })
    : null;
  let state: AppState | null = null;
  let taken: readonly string[] = [];

  const view = (): TrayView => ({
    state,
    settings: {
      settings: settings.current(),
      problem: settings.problem(),
      taken,
      touchId: presence.available(),
      shipsRunner: starter !== null,
    },
  });
  const notifier = createNotifier({
    port,
    texts,
    now: () => options.clock.now(),
    sound: () => settings.current().sound,
    showAsk: (id) => actions.showAsk(id),
    answer: (answer) => sendAnswer(host, answer),
  });
  const actions = createActions({
    host,
    windows,
    state: () => state,
    tell: notifier.tell,
    change: (choice) => {
      try {
        settings.change(choice);
      } catch (error) {
        notifier.tell(error instanceof Error ? error.message : texts.settings.problem);
      }
      applySettings();
    },
    startRunner: starter?.start ?? null,
    quit: () => port.app.quit(),
    texts,
  });
  const updates = createUpdates({
    load: options.loadUpdater,
    configFile: join(options.files.assets, 'update', 'feed.yml'),
    clock: options.clock,
    failed: () => notifier.tell(texts.notification.updateFailed),
  });
  const shortcuts = createShortcuts(port, actions, texts);
  const attend = createAttention({ windows, notifier, mode: () => settings.current().attention });
  const tray = new SystemTray({ port, platform, files: options.files, texts, actions }, view());

  const render = (): void => {
    tray.update(view());
    const menu = windowMenu(view(), actions, { texts, platform });
    port.Menu.setApplicationMenu(port.Menu.buildFromTemplate(menu));
    windows.setTitle(statusText(trayStatus(state), texts));
  };
  const applySettings = (): void => {
    taken = shortcuts.apply(settings.current());
    setLoginItem(options, settings.current().startAtLogin);
    updates.follow(settings.current().updateFeed);
    options.facts.tell({ taken, startRunner: starter?.start ?? null });
    render();
  };

  openBridgeDoors(port, {
    isOurs: windows.isOurs,
    call: guardUnlock(host, presence, () => settings.current().touchIdForUnlock),
    lastState: () => state,
  });
  const unsubscribe = host.subscribe((next) => {
    state = next;
    windows.send(next);
    if (changedElsewhere(next, settings) && settings.look()) applySettings();
    else render();
    attend(next);
  });
  const stopPower = watchPower({ ...options, actions, settings: settings.current });
  applySettings();
  const cancelStart = options.clock.after(runnerGraceMs, () => {
    if (settings.current().startRunner && state?.runner === null) starter?.start();
  });
  if (!options.argv.includes(hiddenFlag)) windows.openMain();

  const close = once(async () => {
    unsubscribe();
    stopPower();
    cancelStart();
    updates.close();
    shortcuts.close();
    notifier.close();
    tray.close();
    windows.close();
    await Promise.all([host.close(), starter?.close()]);
  });
  port.app.on('second-instance', () => actions.showOldest());
  port.app.on('activate', () => actions.showOldest());
  port.app.on('before-quit', (event) => {
    event.preventDefault();
    void close().finally(() => port.app.exit(0));
  });
  return { focus: () => actions.showOldest(), close };
}

/** The page, or another program, changed a setting. */
function changedElsewhere({ settings }: AppState, store: SettingsStore): boolean {
  return (
    settings !== undefined && JSON.stringify(settings.settings) !== JSON.stringify(store.current())
  );
}

function once(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  return () => (running ??= run());
}
