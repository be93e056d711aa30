import type { Session } from 'electron';
import { join } from 'node:path';
import { redact } from '../../shared/engine/index.ts';
import { settingNames } from '../bridge/settings.ts';
import type { SettingName } from '../bridge/settings.ts';
import { pushBetween } from '../bridge/state-push.ts';
import { modeOf, reasonOf } from '../bridge/state.ts';
import type { AppState } from '../bridge/types.ts';
import { openSettings } from '../host/settings.ts';
import type { SettingsStore } from '../host/settings.ts';
import type { OpenInBrowser, ShellFacts, UiHost } from '../host/types.ts';
import { createActions, sendAnswer } from './actions.ts';
import { createAttention, createNotifier } from './attention.ts';
import { createBrowserPage } from './browser-page.ts';
import type { Errand } from './browser-page.ts';
import { handleBridgeMessages } from './ipc.ts';
import { hiddenFlag, setLoginItem } from './login-item.ts';
import { watchPower } from './power.ts';
import { guardUnlock, touchId } from './presence.ts';
import { createRunnerStarter } from './runner-starter.ts';
import { createShortcuts } from './shortcuts.ts';
import { oneLine } from '../bridge/notice.ts';
import type { ShellTexts } from './texts/texts.ts';
import { statusText, trayStatus } from './tray/menu.ts';
import type { TrayView } from './tray/menu.ts';
import { SystemTray } from './tray/tray.ts';
import { windowMenu } from './tray/window-menu.ts';
import type { Shell, ShellOptions } from './types.ts';
import { createUpdates } from './updates.ts';
import { createWindows } from './windows.ts';

/** The facts of the menu-bar app, known only once the controller runs. */
interface ControllerFacts extends ShellFacts {
  /** The controller has started, or a fact has changed. */
  readonly tell: (change: {
    readonly taken: readonly string[];
    readonly startRunner: (() => void) | null;
    readonly openInBrowser: OpenInBrowser;
  }) => void;
}

/** Facts to hand to the host before the controller runs. */
export function controllerFacts(machine: {
  readonly platform: NodeJS.Platform;
  readonly isPackaged: boolean;
}): ControllerFacts {
  let known: Parameters<ControllerFacts['tell']>[0] | null = null;
  let changed = (): void => undefined;
  const missing: ReadonlySet<SettingName> = new Set([
    ...(machine.platform === 'darwin' ? [] : (['touchIdForUnlock'] as const)),
    ...(machine.isPackaged ? [] : (['startRunner'] as const)),
  ]);
  return {
    honoured: settingNames.filter((name) => !missing.has(name)),
    taken: () => known?.taken ?? [],
    startRunner: () => known?.startRunner ?? null,
    openInBrowser: () => known?.openInBrowser ?? null,
    onChange: (listener) => {
      changed = listener;
    },
    tell: (now) => {
      const same =
        known !== null &&
        JSON.stringify(now.taken) === JSON.stringify(known.taken) &&
        now.startRunner === known.startRunner;
      known = now;
      if (!same) changed();
    },
  };
}

interface ControllerOptions extends ShellOptions {
  readonly host: UiHost;
  readonly facts: Pick<ControllerFacts, 'tell'>;
  readonly session: Session;
  readonly devTools: boolean;
  readonly texts: ShellTexts;
}

/** How long to wait for an installed runner before the shipped one is started, in milliseconds. */
export const runnerGraceMs = 3_000;

/** Sets up tray, windows, menus and notifications, and keeps them in step with the host's state. */
export function runController(options: ControllerOptions): Shell {
  const { port, platform, host, texts } = options;
  const parts = openParts(options, (text) => notifier.tell(text));
  const { settings, presence, windows, starter, updates } = parts;
  let state: AppState | null = null;
  let taken: readonly string[] = [];

  const view = (): TrayView => ({ state, settings: settingsView(parts, taken) });
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
      const problem = problemOf(() => settings.change(choice), texts);
      if (problem !== null) notifier.tell(problem);
      applySettings();
    },
    startRunner: starter?.start ?? null,
    quit: () => port.app.quit(),
    texts,
  });
  const shortcuts = createShortcuts(port, actions, texts);
  const attend = createAttention({ windows, notifier, mode: () => settings.current().attention });
  const tray = new SystemTray({ port, platform, files: options.files, texts, actions }, view());

  const render = (): void => {
    tray.update(view());
    showMenu(port, windowMenu(view(), actions, { texts, platform }));
    windows.setTitle(statusText(trayStatus(state), texts));
  };
  const applySettings = (): void => {
    taken = shortcuts.apply(settings.current());
    setLoginItem(options, settings.current().startAtLogin);
    updates.follow(settings.current().updateFeed);
    options.facts.tell({ taken, startRunner: starter?.start ?? null, openInBrowser: browser.open });
    render();
  };

  const call = guardUnlock(host, presence, () => settings.current().touchIdForUnlock);
  const queue = (): AppState['queue'] => state?.queue ?? [];
  const browser = openBrowserPage(options, { call, windows, queue });
  handleBridgeMessages(port, {
    isOurs: windows.isOurs,
    call,
    lastState: () => state,
  });
  const unsubscribe = host.subscribe((next) => {
    windows.send(pushBetween(state, next));
    const isLockedNow = locks(state, next);
    state = next;
    // Whatever locked it, the person hears of it: here, or from the action with its counts.
    if (isLockedNow && !actions.takeLockout())
      notifier.tell(texts.notification.lockedElsewhere(shortReason(next)));
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
    for (const stop of [unsubscribe, stopPower, cancelStart]) stop();
    for (const part of [updates, shortcuts, notifier, tray, windows]) part.dispose();
    await browser.dispose();
    await Promise.all([host.dispose(), starter?.dispose()]);
  });
  const focus = (): void => actions.showOldest();
  followApp(port, { focus, close });
  return { focus, link: browser.link, dispose: close };
}

/** What stands by itself, without the state. */
function openParts(options: ControllerOptions, tell: (text: string) => void) {
  const { port, platform, texts, files, clock } = options;
  return {
    settings: openSettings({
      file: options.paths.uiSettings,
      uid: options.uid,
      config: options.config,
    }),
    presence: touchId(port, platform, texts),
    windows: createWindows(port, {
      ...options,
      dark: () => port.nativeTheme.shouldUseDarkColors,
    }),
    starter: port.app.isPackaged ? createRunnerStarter({ ...options, entry: files.runner }) : null,
    updates: createUpdates({
      load: options.loadUpdater,
      configFile: join(files.assets, 'update', 'feed.yml'),
      clock,
      failed: () => tell(texts.notification.updateFailed),
    }),
  };
}

/** The page in the person's browser; where they are done there, the app comes to the front again. */
function openBrowserPage(
  { paths, clock, host, serveBrowser: serve, openFile }: ControllerOptions,
  {
    call: handle,
    windows,
    queue,
  }: {
    readonly call: UiHost['handle'];
    readonly windows: ReturnType<typeof createWindows>;
    readonly queue: () => AppState['queue'];
  },
) {
  const onDone = ({ errand, id }: Errand): void => {
    const next = queue().find(({ ask }) => ask.id !== id);
    if (errand !== 'ask') windows.openMain();
    else if (next === undefined) windows.comeBack();
    else windows.showPrompt({ askId: next.ask.id, focus: true });
  };
  return createBrowserPage({ paths, clock, host: { ...host, handle }, serve, openFile, onDone });
}

function settingsView(
  { settings, presence, starter }: ReturnType<typeof openParts>,
  taken: readonly string[],
): TrayView['settings'] {
  return {
    settings: settings.current(),
    problem: settings.problem(),
    taken,
    touchId: presence.available(),
    shipsRunner: starter !== null,
  };
}

function followApp(
  { app }: ControllerOptions['port'],
  { focus, close }: { readonly focus: () => void; readonly close: () => Promise<void> },
): void {
  app.on('second-instance', focus);
  app.on('activate', focus);
  app.on('before-quit', (event) => {
    event.preventDefault();
    void close().finally(() => app.exit(0));
  });
}

function showMenu({ Menu }: ControllerOptions['port'], menu: ReturnType<typeof windowMenu>): void {
  Menu.setApplicationMenu(Menu.buildFromTemplate(menu));
}

/** Why something could not be done, as a sentence; null where it was. */
function problemOf(run: () => void, { settings }: ShellTexts): string | null {
  try {
    run();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : settings.problem;
  }
}

function locks(before: AppState | null, next: AppState): boolean {
  return before !== null && modeOf(before) !== 'locked' && modeOf(next) === 'locked';
}

/** Without secrets: the system keeps notifications. */
function shortReason(state: AppState): string | null {
  const reason = reasonOf(state);
  return reason === null ? null : oneLine(redact(reason), 120).text;
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
