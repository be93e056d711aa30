import type { BrowserWindow, BrowserWindowConstructorOptions, Rectangle, Session } from 'electron';
import { join } from 'node:path';
import type { StatePush } from '../bridge/state-push.ts';
import { pageUrl } from './app-scheme.ts';
import { channels } from './ipc.ts';
import { webPreferences } from './lock-down.ts';
import type { ShellFiles, ShellPort } from './types.ts';

/** The views of the page that the shell opens by their address. */
export const places = {
  asks: '/asks',
  ask: (id: string) => `/prompt/${encodeURIComponent(id)}`,
} as const;

const promptSize = { width: 480, height: 720 } as const;

const margin = 12;

/**
 * Where the prompt stands on a display's work area: the corner where the tray is, so that it covers
 * little of what the person reads. On a small display it takes what there is.
 */
export function promptBounds(workArea: Rectangle, platform: NodeJS.Platform): Rectangle {
  const width = Math.min(promptSize.width, workArea.width);
  const height = Math.min(promptSize.height, workArea.height);
  const x = Math.max(workArea.x, workArea.x + workArea.width - width - margin);
  const top = workArea.y + Math.min(margin, workArea.height - height);
  const bottom = Math.max(workArea.y, workArea.y + workArea.height - height - margin);
  return { x, y: platform === 'win32' ? bottom : top, width, height };
}

interface WindowOptions {
  readonly files: ShellFiles;
  readonly session: Session;
  readonly devTools: boolean;
  readonly platform: NodeJS.Platform;
  readonly dark: () => boolean;
}

function common(options: WindowOptions): BrowserWindowConstructorOptions {
  return {
    show: false,
    title: 'Interlock',
    // The click that brings the window to the front does nothing else.
    acceptFirstMouse: false,
    // Shown until the page is drawn: the page's own background, so that nothing flashes.
    backgroundColor: options.dark() ? '#141618' : '#f3f2ee',
    icon: join(options.files.assets, 'icons', '256x256.png'),
    webPreferences: webPreferences({
      preload: options.files.preload,
      session: options.session,
      devTools: options.devTools,
    }),
  };
}

/** The window with the queue, the allowlist and the history. */
function mainWindowOptions(options: WindowOptions): BrowserWindowConstructorOptions {
  return { ...common(options), width: 1040, height: 720, minWidth: 320, minHeight: 400 };
}

/** The prompt: above other windows, out of the task bar, and never in full screen. */
function promptWindowOptions(options: WindowOptions): BrowserWindowConstructorOptions {
  return {
    ...common(options),
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

/** Whether the page at this address shows the asks; a view of rules or of the past does not. */
function showsAsks(address: string): boolean {
  const { hash } = new URL(address === '' ? pageUrl(places.asks) : address);
  return /^(?:#\/(?:asks|prompt)(?:\/.*)?)?$/.test(hash);
}

/** The app's two windows: the prompt and the main window. Both show the same page. */
export interface Windows {
  readonly isOurs: (webContentsId: number) => boolean;
  /** Opens the main window, or brings it to the front as the person left it. */
  readonly openMain: () => void;
  /** Shows the prompt. Without `focus`, the keyboard stays with the window where the person is typing. */
  readonly showPrompt: (options: { readonly askId: string; readonly focus: boolean }) => void;
  readonly hidePrompt: () => void;
  /** Brings the main window to the front where the person had it open, and opens none. */
  readonly comeBack: () => void;
  /** Whether the person has a window in front of them that shows the asks. */
  readonly inFront: () => boolean;
  readonly send: (push: StatePush) => void;
  readonly setTitle: (title: string) => void;
  readonly dispose: () => void;
}

function windowOf(
  port: Pick<ShellPort, 'BrowserWindow'>,
  how: BrowserWindowConstructorOptions,
  title: string,
): BrowserWindow {
  const window = new port.BrowserWindow(how);
  window.on('page-title-updated', (event) => event.preventDefault());
  window.setTitle(title);
  return window;
}

function stayAbove(window: BrowserWindow): void {
  window.setAlwaysOnTop(true, 'floating');
  window.setVisibleOnAllWorkspaces(true, { visibleOnFullScreen: true });
}

function toFront(window: BrowserWindow): void {
  window.show();
  window.focus();
}

function load(window: BrowserWindow, place: string): void {
  const url = pageUrl(place);
  // Loading the same address again would reload the page while the person uses it.
  if (window.webContents.getURL() === url) return;
  // A failed load leaves an empty window; the person can open it again.
  window.loadURL(url).catch(() => undefined);
}

/** Creates windows when they are first needed. Closing the prompt only hides it: the asks still wait. */
export function createWindows(
  port: Pick<ShellPort, 'BrowserWindow' | 'screen'>,
  options: WindowOptions,
): Windows {
  let main: BrowserWindow | null = null;
  let prompt: BrowserWindow | null = null;
  let closing = false;
  let title = 'Interlock';

  const open = (): BrowserWindow[] => [main, prompt].filter((window) => window !== null);
  const makeMain = (): BrowserWindow => {
    const window = windowOf(port, mainWindowOptions(options), title);
    window.on('closed', () => {
      main = null;
    });
    window.once('ready-to-show', () => window.show());
    return window;
  };

  const makePrompt = (): BrowserWindow => {
    const window = windowOf(port, promptWindowOptions(options), title);
    window.on('closed', () => {
      prompt = null;
    });
    window.on('close', (event) => {
      if (closing) return;
      event.preventDefault();
      window.hide();
    });
    if (options.platform === 'darwin') stayAbove(window);
    return window;
  };

  const placePrompt = (window: BrowserWindow): void => {
    const display = port.screen.getDisplayNearestPoint(port.screen.getCursorScreenPoint());
    window.setBounds(promptBounds(display.workArea, options.platform));
  };

  return {
    isOurs: (id) => open().some((window) => window.webContents.id === id),
    openMain: () => {
      if (main === null) {
        main = makeMain();
        load(main, places.asks);
        return;
      }
      if (main.isMinimized()) main.restore();
      toFront(main);
    },
    showPrompt: ({ askId, focus }) => {
      prompt ??= makePrompt();
      const visible = prompt.isVisible();
      if (!visible) placePrompt(prompt);
      // A prompt in view is not changed while the person reads it, unless they asked for it.
      if (!visible || focus) load(prompt, places.ask(askId));
      if (focus) toFront(prompt);
      else if (!visible) prompt.showInactive();
    },
    hidePrompt: () => prompt?.hide(),
    comeBack: () => {
      if (main?.isVisible() === true) toFront(main);
    },
    inFront: () =>
      open().some(
        (window) =>
          window.isVisible() && window.isFocused() && showsAsks(window.webContents.getURL()),
      ),
    send: (push) => {
      for (const window of open()) window.webContents.send(channels.state, push);
    },
    setTitle: (next) => {
      if (next === title) return;
      title = next;
      for (const window of open()) window.setTitle(title);
    },
    dispose: () => {
      closing = true;
      for (const window of open()) window.destroy();
    },
  };
}
