import type { BrowserWindow } from 'electron';
import type { AppState } from '../../bridge/types.ts';
import { channels } from '../ipc/channels.ts';
import type { ShellPort } from '../port.ts';
import { pageUrl } from '../scheme/origin.ts';
import { mainWindowOptions, promptWindowOptions } from './options.ts';
import type { WindowKit } from './options.ts';
import { places } from './places.ts';
import { promptBounds } from './placement.ts';

/** The app's two windows: the prompt and the main window. Both show the same page. */
export interface Windows {
  readonly isOurs: (webContentsId: number) => boolean;
  /** Opens the main window, or brings it to the front as the person left it. */
  readonly openMain: () => void;
  /** Shows the prompt. Without `focus` the keyboard stays where the person is typing. */
  readonly showPrompt: (options: { readonly askId: string; readonly focus: boolean }) => void;
  readonly hidePrompt: () => void;
  /** Whether the person has one of our windows in front of them. */
  readonly inFront: () => boolean;
  readonly send: (state: AppState) => void;
  readonly setTitle: (title: string) => void;
  readonly close: () => void;
}

/** Makes windows when they are first needed. Closing the prompt hides it: the asks still wait. */
export function createWindows(
  port: Pick<ShellPort, 'BrowserWindow' | 'screen'>,
  kit: WindowKit,
): Windows {
  let main: BrowserWindow | null = null;
  let prompt: BrowserWindow | null = null;
  let closing = false;
  let title = 'Interlock';

  const open = (): BrowserWindow[] => [main, prompt].filter((window) => window !== null);
  const load = (window: BrowserWindow, place: string): void => {
    const url = pageUrl(place);
    // The same address once more would reload the page under the person's hands.
    if (window.webContents.getURL() === url) return;
    // A failed load leaves an empty window; the person can open it again.
    window.loadURL(url).catch(() => undefined);
  };

  const makeMain = (): BrowserWindow => {
    const window = new port.BrowserWindow(mainWindowOptions(kit));
    window.on('closed', () => {
      main = null;
    });
    window.on('page-title-updated', (event) => event.preventDefault());
    window.once('ready-to-show', () => window.show());
    window.setTitle(title);
    return window;
  };

  const makePrompt = (): BrowserWindow => {
    const window = new port.BrowserWindow(promptWindowOptions(kit));
    window.on('closed', () => {
      prompt = null;
    });
    window.on('close', (event) => {
      if (closing) return;
      event.preventDefault();
      window.hide();
    });
    window.on('page-title-updated', (event) => event.preventDefault());
    window.setTitle(title);
    if (kit.platform === 'darwin') {
      window.setAlwaysOnTop(true, 'floating');
      window.setVisibleOnAllWorkspaces(true, { visibleOnFullScreen: true });
    }
    return window;
  };

  const placePrompt = (window: BrowserWindow): void => {
    const display = port.screen.getDisplayNearestPoint(port.screen.getCursorScreenPoint());
    window.setBounds(promptBounds(display.workArea, kit.platform));
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
      main.show();
      main.focus();
    },
    showPrompt: ({ askId, focus }) => {
      prompt ??= makePrompt();
      const visible = prompt.isVisible();
      if (!visible) placePrompt(prompt);
      // A prompt in view is not changed under the person's hands, unless they asked for it.
      if (!visible || focus) load(prompt, places.ask(askId));
      if (focus) {
        prompt.show();
        prompt.focus();
      } else if (!visible) prompt.showInactive();
    },
    hidePrompt: () => prompt?.hide(),
    inFront: () => open().some((window) => window.isVisible() && window.isFocused()),
    send: (state) => {
      for (const window of open()) window.webContents.send(channels.state, state);
    },
    setTitle: (next) => {
      if (next === title) return;
      title = next;
      for (const window of open()) window.setTitle(title);
    },
    close: () => {
      closing = true;
      for (const window of open()) window.destroy();
    },
  };
}
