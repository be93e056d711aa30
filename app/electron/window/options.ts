import type { BrowserWindowConstructorOptions, Session } from 'electron';
import { join } from 'node:path';
import type { ShellFiles } from '../port.ts';
import { promptSize } from './placement.ts';
import { webPreferences } from './web-preferences.ts';

export interface WindowKit {
  readonly files: ShellFiles;
  readonly session: Session;
  readonly devTools: boolean;
  readonly platform: NodeJS.Platform;
  readonly dark: () => boolean;
}

function common(kit: WindowKit): BrowserWindowConstructorOptions {
  return {
    show: false,
    title: 'Interlock',
    // The click that brings the window to the front does nothing else.
    acceptFirstMouse: false,
    // What stands there before the page is drawn: the page's own ground, so that nothing flashes.
    backgroundColor: kit.dark() ? '#141618' : '#f3f2ee',
    icon: join(kit.files.assets, 'icons', '256x256.png'),
    webPreferences: webPreferences({
      preload: kit.files.preload,
      session: kit.session,
      devTools: kit.devTools,
    }),
  };
}

/** The window with the queue, the allowlist and the history. */
export function mainWindowOptions(kit: WindowKit): BrowserWindowConstructorOptions {
  return { ...common(kit), width: 1040, height: 720, minWidth: 320, minHeight: 400 };
}

/** The prompt: above other windows, out of the task bar, and never in full screen. */
export function promptWindowOptions(kit: WindowKit): BrowserWindowConstructorOptions {
  return {
    ...common(kit),
    ...promptSize,
    minWidth: 320,
    minHeight: 320,
    alwaysOnTop: true,
    skipTaskbar: true,
    fullscreenable: false,
    maximizable: false,
    minimizable: false,
    autoHideMenuBar: true,
  };
}
