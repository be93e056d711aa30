import type { MenuItemConstructorOptions } from 'electron';
import type { AppState } from '../../bridge/types.ts';
import type { ShellActions } from '../actions.ts';
import type { ShellTexts } from '../texts/types.ts';
import { askItems } from './asks.ts';
import { settingsItems } from './settings-items.ts';
import type { SettingsMenuState } from './settings-items.ts';
import { trayStatus } from './status.ts';
import type { TrayStatus } from './status.ts';

/** Everything that the tray shows is a function of this. */
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
