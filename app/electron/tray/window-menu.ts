import type { MenuItemConstructorOptions } from 'electron';
import type { ShellActions } from '../actions.ts';
import type { ShellTexts } from '../texts/texts.ts';
import { gateItems, raisedItems } from './menu.ts';
import type { TrayView } from './menu.ts';
import { settingsItems } from './menu.ts';
import { trayStatus } from './menu.ts';

/**
 * The menu bar of the window: every action of the tray once more, for desktops that show no tray.
 * It has no developer tools and no reload.
 */
export function windowMenu(
  view: TrayView,
  actions: ShellActions,
  options: { readonly texts: ShellTexts; readonly platform: NodeJS.Platform },
): MenuItemConstructorOptions[] {
  const { texts, platform } = options;
  const quit: MenuItemConstructorOptions = {
    label: texts.menu.quit,
    accelerator: 'CommandOrControl+Q',
    click: () => actions.quit(),
  };
  const gate: MenuItemConstructorOptions = {
    label: texts.menu.gate,
    submenu: [
      { label: texts.menu.showOldest, click: () => actions.showOldest() },
      { type: 'separator' },
      ...raisedItems(view.state, actions, texts),
      ...gateItems(trayStatus(view.state), actions, texts),
      { type: 'separator' },
      quit,
    ],
  };
  const settings: MenuItemConstructorOptions = {
    label: texts.menu.settings,
    submenu: settingsItems(view.settings, actions.change, texts),
  };
  return [
    // The first menu carries the app's name on macOS, whatever its label says.
    ...(platform === 'darwin' ? [appMenu(quit)] : []),
    gate,
    settings,
    {
      label: texts.menu.edit,
      submenu: [
        { role: 'undo' },
        { role: 'redo' },
        { type: 'separator' },
        { role: 'cut' },
        { role: 'copy' },
        { role: 'paste' },
        { role: 'selectAll' },
      ],
    },
    {
      label: texts.menu.view,
      submenu: [
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { role: 'togglefullscreen' },
      ],
    },
    { label: texts.menu.window, submenu: [{ role: 'minimize' }, { role: 'close' }] },
  ];
}

function appMenu(quit: MenuItemConstructorOptions): MenuItemConstructorOptions {
  return { label: 'Interlock', submenu: [{ role: 'about' }, { role: 'hide' }, quit] };
}
