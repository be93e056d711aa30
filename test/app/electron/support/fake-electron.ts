import { EventEmitter } from 'node:events';
import type { MenuItemConstructorOptions } from 'electron';
import type { ElectronPort } from '../../../../app/electron/types.ts';
import { FakeSession } from './fake-session.ts';
import { FakeChild, FakeNotification, FakeTray } from './fake-things.ts';
import type { FakeImage } from './fake-things.ts';
import { FakeWindow } from './fake-window.ts';

export class FakeApp extends EventEmitter {
  isPackaged = true;
  locale = 'en-GB';
  firstInstance = true;
  readonly log: string[] = [];
  readonly switches = new Map<string, string>();
  readonly paths = new Map<string, string>();
  loginItem: object | null = null;
  exitCode: number | null = null;
  readonly commandLine = {
    hasSwitch: (name: string): boolean => this.switches.has(name),
    appendSwitch: (name: string, value = ''): void => void this.switches.set(name, value),
  };
  requestSingleInstanceLock(): boolean {
    this.log.push('lock');
    return this.firstInstance;
  }
  setPath(name: string, path: string): void {
    this.log.push('setPath');
    this.paths.set(name, path);
  }
  enableSandbox(): void {
    this.log.push('enableSandbox');
  }
  setAppUserModelId(): void {
    this.log.push('setAppUserModelId');
  }
  async whenReady(): Promise<void> {
    this.log.push('ready');
  }
  getLocale(): string {
    return this.locale;
  }
  setLoginItemSettings(settings: object): void {
    this.loginItem = settings;
  }
  quit(): void {
    this.log.push('quit');
    this.emit('before-quit', { preventDefault: () => undefined });
  }
  exit(code: number): void {
    this.exitCode ??= code;
  }
}

type Handler = (event: unknown, ...args: unknown[]) => Promise<unknown>;

/** Everything of Electron that the app uses, as objects that a test can look into. */
export function fakeElectron() {
  for (const list of [FakeWindow.all, FakeTray.all, FakeNotification.all]) list.length = 0;
  FakeNotification.supported = true;
  const app = new FakeApp();
  const session = new FakeSession();
  const handlers = new Map<string, Handler>();
  const shortcuts = new Map<string, () => void>();
  const errors: string[] = [];
  const nativeTheme = Object.assign(new EventEmitter(), { shouldUseDarkColors: true });
  const powerMonitor = Object.assign(new EventEmitter(), {
    idleState: 'active',
    getSystemIdleState: (): string => powerMonitor.idleState,
  });
  const touchId = { available: true, confirms: true, asked: 0 };
  const privileged: object[] = [];
  const children: FakeChild[] = [];
  let applicationMenu: readonly MenuItemConstructorOptions[] = [];
  let partition = '';

  const port = {
    app,
    BrowserWindow: FakeWindow,
    Tray: FakeTray,
    Notification: FakeNotification,
    Menu: {
      buildFromTemplate: (template: readonly MenuItemConstructorOptions[]) => ({ template }),
      setApplicationMenu: (menu: { readonly template: readonly MenuItemConstructorOptions[] }) => {
        applicationMenu = menu.template;
      },
    },
    dialog: { showErrorBox: (_title: string, text: string) => void errors.push(text) },
    globalShortcut: {
      register: (accelerator: string, run: () => void): boolean => {
        if (shortcuts.has(`taken:${accelerator}`)) return false;
        shortcuts.set(accelerator, run);
        return true;
      },
      unregisterAll: () => {
        for (const key of shortcuts.keys()) if (!key.startsWith('taken:')) shortcuts.delete(key);
      },
    },
    ipcMain: { handle: (channel: string, handler: Handler) => void handlers.set(channel, handler) },
    nativeImage: {
      createFromPath: (file: string) => {
        const image: FakeImage = { file, template: false };
        return Object.assign(image, {
          setTemplateImage: (on: boolean) => {
            image.template = on;
          },
        });
      },
    },
    nativeTheme,
    powerMonitor,
    protocol: {
      registerSchemesAsPrivileged: (schemes: readonly object[]) => {
        app.log.push('schemes');
        privileged.push(...schemes);
      },
    },
    screen: {
      getCursorScreenPoint: () => ({ x: 0, y: 0 }),
      getDisplayNearestPoint: () => ({ workArea: { x: 0, y: 24, width: 1440, height: 876 } }),
    },
    session: {
      fromPartition: (name: string) => {
        partition = name;
        return session;
      },
    },
    utilityProcess: {
      fork: (entry: string, args: readonly string[], options: object) => {
        const child = new FakeChild(entry, args, options);
        children.push(child);
        return child;
      },
    },
    systemPreferences: {
      canPromptTouchID: () => touchId.available,
      promptTouchID: async () => {
        touchId.asked += 1;
        if (!touchId.confirms) throw new Error('User canceled.');
      },
    },
  };

  return {
    port: port as unknown as ElectronPort,
    app,
    session,
    handlers,
    shortcuts,
    errors,
    nativeTheme,
    powerMonitor,
    touchId,
    privileged,
    children,
    windows: FakeWindow.all,
    trays: FakeTray.all,
    notifications: FakeNotification.all,
    menu: () => applicationMenu,
    partition: () => partition,
  };
}

export type FakeElectron = ReturnType<typeof fakeElectron>;
