import { askerOf } from '../../../shared/engine/index.ts';
import type { MenuItemConstructorOptions } from 'electron';
import { attentionModes, awayActions } from '../../bridge/settings.ts';
import type { ShellSettings } from '../../bridge/settings.ts';
import { modeOf, reasonOf, timeOfDay } from '../../bridge/state.ts';
import type { AppState, QueuedAsk } from '../../bridge/types.ts';
import type { ShellActions } from '../actions.ts';
import { oneLine } from '../../bridge/notice.ts';
import type { ShellTexts } from '../texts/texts.ts';

/** The one status that the tray icon shows. */
export type TrayStatus =
  | { readonly kind: 'gone' }
  | { readonly kind: 'locked'; readonly reason: string | null }
  | { readonly kind: 'paused'; readonly reason: string | null }
  | { readonly kind: 'invalid'; readonly problem: string }
  | { readonly kind: 'asking'; readonly count: number }
  | { readonly kind: 'armed'; readonly running: number };

/** The status of a state, worst first; null is the time before the first state. */
export function trayStatus(state: AppState | null): TrayStatus {
  if (state === null) return { kind: 'gone' };
  const { runner } = state;
  const mode = modeOf(state);
  if (mode === 'locked') return { kind: 'locked', reason: reasonOf(state) };
  if (runner === null) return { kind: 'gone' };
  if (mode === 'paused') return { kind: 'paused', reason: reasonOf(state) };
  const problem = runner.policyProblem ?? state.policy.problem?.message ?? null;
  if (problem !== null) return { kind: 'invalid', problem };
  if (state.queue.length > 0) return { kind: 'asking', count: state.queue.length };
  return { kind: 'armed', running: runner.running };
}

/** Most asks that the menu names. */
const topAsks = 5;

const commandLength = 60;

/** The oldest asks as menu items. Each opens its prompt: nothing is ever allowed from a menu. */
function askItems(
  queue: readonly QueuedAsk[],
  actions: Pick<ShellActions, 'showAsk' | 'showOldest'>,
  texts: ShellTexts,
): MenuItemConstructorOptions[] {
  if (queue.length === 0) return [];
  const items: MenuItemConstructorOptions[] = queue.slice(0, topAsks).map(({ ask }) => ({
    label: menuLabel(
      texts.menu.ask(oneLine(askerOf(ask), 40).text, oneLine(ask.command, commandLength).text),
    ),
    click: () => actions.showAsk(ask.id),
  }));
  const more = queue.length - items.length;
  if (more > 0) {
    items.push({ label: texts.menu.moreAsks(more), click: () => actions.showOldest() });
  }
  return [{ label: texts.menu.asksHeading, enabled: false }, ...items, { type: 'separator' }];
}

/** Sessions that a person has raised, each ended by a click. */
export function raisedItems(
  state: AppState | null,
  actions: Pick<ShellActions, 'endElevation'>,
  texts: ShellTexts,
): MenuItemConstructorOptions[] {
  const elevated = state?.runner?.elevated ?? [];
  if (elevated.length === 0) return [];
  const items = elevated.map(({ id, agent, session, as, expiresAt }) => ({
    label: menuLabel(
      texts.menu.endRaised(
        `${oneLine(agent, 20).text} (${oneLine(session, 20).text})`,
        oneLine(as, commandLength).text,
        timeOfDay(expiresAt),
      ),
    ),
    click: () => actions.endElevation(id),
  }));
  return [{ label: texts.menu.raisedHeading, enabled: false }, ...items, { type: 'separator' }];
}

/** An ampersand would mark the next letter as a key and vanish from the command. */
function menuLabel(text: string): string {
  return text.replaceAll('&', '&&');
}

/** Offered when a shortcut is switched on; any other is written in `ui.json`. */
const suggestedShortcuts = {
  lockoutShortcut: 'CommandOrControl+Alt+Shift+L',
  oldestAskShortcut: 'CommandOrControl+Alt+Shift+A',
} as const;

interface SettingsMenuState {
  readonly settings: ShellSettings;
  /** What is wrong with the settings file, or null. */
  readonly problem: string | null;
  /** Shortcuts that could not be registered. */
  readonly taken: readonly string[];
  /** Only where there is Touch ID. */
  readonly touchId: boolean;
  /** Whether a runner is shipped with this app. */
  readonly shipsRunner: boolean;
}

/** All settings as menu items, so that none needs a page. */
export function settingsItems(
  state: SettingsMenuState,
  change: ShellActions['change'],
  texts: ShellTexts,
): MenuItemConstructorOptions[] {
  const { settings } = state;
  const words = texts.settings;
  const toggle = (
    label: string,
    key: 'sound' | 'startAtLogin' | 'startRunner' | 'touchIdForUnlock',
  ): MenuItemConstructorOptions => ({
    label,
    type: 'checkbox',
    checked: settings[key],
    click: () => change({ [key]: !settings[key] }),
  });
  const shortcut = (
    label: string,
    key: keyof typeof suggestedShortcuts,
  ): MenuItemConstructorOptions => ({
    label: `${label} (${settings[key] ?? suggestedShortcuts[key]})`,
    type: 'checkbox',
    checked: settings[key] !== null,
    click: () => change({ [key]: settings[key] === null ? suggestedShortcuts[key] : null }),
  });
  const away = (label: string, key: 'onScreenLock' | 'onSuspend'): MenuItemConstructorOptions => ({
    label,
    submenu: awayActions.map((action) => ({
      label: words.awayActions[action],
      type: 'radio',
      checked: settings[key] === action,
      click: () => change({ [key]: action }),
    })),
  });
  return [
    ...problems(state, texts),
    {
      label: words.attention,
      submenu: attentionModes.map((mode) => ({
        label: words.attentionModes[mode],
        type: 'radio',
        checked: settings.attention === mode,
        click: () => change({ attention: mode }),
      })),
    },
    toggle(words.sound, 'sound'),
    toggle(words.startAtLogin, 'startAtLogin'),
    ...(state.shipsRunner ? [toggle(words.startRunner, 'startRunner')] : []),
    { type: 'separator' },
    away(words.onScreenLock, 'onScreenLock'),
    away(words.onSuspend, 'onSuspend'),
    shortcut(words.lockoutShortcut, 'lockoutShortcut'),
    shortcut(words.oldestAskShortcut, 'oldestAskShortcut'),
    ...(state.touchId ? [toggle(words.touchId, 'touchIdForUnlock')] : []),
  ];
}

function problems(state: SettingsMenuState, texts: ShellTexts): MenuItemConstructorOptions[] {
  const lines = [
    ...(state.problem === null ? [] : [`${texts.settings.problem} ${state.problem}`]),
    ...state.taken.map((accelerator) => texts.settings.shortcutTaken(accelerator)),
  ];
  if (lines.length === 0) return [];
  return [...lines.map((label) => ({ label, enabled: false })), { type: 'separator' }];
}

/** Everything that the tray shows is derived from this. */
export interface TrayView {
  readonly state: AppState | null;
  readonly settings: SettingsMenuState;
}

/** The status as the tooltip and the menu's first line say it. */
export function statusText(status: TrayStatus, texts: ShellTexts): string {
  switch (status.kind) {
    case 'armed':
      return status.running === 0
        ? texts.status.armed
        : `${texts.status.armed}, ${texts.status.running(status.running)}`;
    case 'asking':
      return texts.status.asking(status.count);
    case 'gone':
      return texts.status.gone;
    case 'invalid':
      return texts.status.invalid;
    case 'locked':
      return texts.status.locked;
    default:
      return texts.status.paused;
  }
}

/** The gate's own items: pause or resume, and lockout or the way out of it. */
export function gateItems(
  status: TrayStatus,
  actions: ShellActions,
  texts: ShellTexts,
): MenuItemConstructorOptions[] {
  const items: MenuItemConstructorOptions[] = [];
  const { startRunner } = actions;
  if (status.kind === 'gone' && startRunner !== null) {
    items.push({ label: texts.menu.startRunner, click: () => startRunner() });
  }
  if (status.kind === 'paused') {
    items.push({ label: texts.menu.resume, click: () => actions.resume() });
  } else if (status.kind !== 'locked') {
    items.push({ label: texts.menu.pause, click: () => actions.pause(texts.reasons.pausedTray) });
  }
  items.push(
    status.kind === 'locked'
      ? { label: texts.menu.unlock, click: () => actions.unlock() }
      : { label: texts.menu.lockout, click: () => actions.lockout(texts.reasons.tray) },
  );
  return items;
}

/** The tray's menu. It is always there: on Linux a click on the icon itself may never arrive. */
export function trayMenu(
  view: TrayView,
  actions: ShellActions,
  texts: ShellTexts,
): MenuItemConstructorOptions[] {
  const status = trayStatus(view.state);
  return [
    { label: statusText(status, texts), enabled: false },
    { type: 'separator' },
    ...askItems(view.state?.queue ?? [], actions, texts),
    ...raisedItems(view.state, actions, texts),
    ...gateItems(status, actions, texts),
    { type: 'separator' },
    { label: texts.menu.open, click: () => actions.open() },
    {
      label: texts.menu.settings,
      submenu: settingsItems(view.settings, actions.change, texts),
    },
    { type: 'separator' },
    { label: texts.menu.quit, click: () => actions.quit() },
  ];
}
