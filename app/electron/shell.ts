import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { refusalOf } from '../../shared/base/index.ts';
import { readPageFiles } from '../host/page-files.ts';
import { appScheme, appSchemePrivileges, serveFiles } from './app-scheme.ts';
import { controllerFacts, runController } from './controller.ts';
import { guardEverything, lockDownSession } from './lock-down.ts';
import { de } from './texts/de.ts';
import { en } from './texts/en.ts';
import type { ShellTexts } from './texts/texts.ts';
import type { Shell, ShellOptions, ShellPort } from './types.ts';

/** Why the app quits right after its start, or that it continues. */
type StartUp = 'go-on' | 'second-instance' | 'debugged';

/** Switches that open the app to a debugger; a release refuses to start with any of them. */
export const debugSwitches = [
  'remote-debugging-port',
  'remote-debugging-pipe',
  'inspect',
  'inspect-brk',
] as const;

/**
 * What has to be settled before Electron is ready: the lock that keeps a second instance out (one
 * for each INTERLOCK_HOME), the sandbox for every page, and the rights of our scheme.
 */
function prepareApp(
  port: Pick<ShellPort, 'app' | 'protocol'>,
  options: { readonly stateDirectory: string; readonly platform: NodeJS.Platform },
): StartUp {
  const { app, protocol } = port;
  if (app.isPackaged && debugSwitches.some((name) => app.commandLine.hasSwitch(name))) {
    return 'debugged';
  }
  const userData = join(options.stateDirectory, 'electron');
  // Electron does not take a folder that does not exist.
  mkdirSync(userData, { recursive: true, mode: 0o700 });
  app.setPath('userData', userData);
  if (!app.requestSingleInstanceLock()) return 'second-instance';
  app.enableSandbox();
  protocol.registerSchemesAsPrivileged([appSchemePrivileges]);
  // Under Wayland a global shortcut goes through the desktop portal, or nowhere.
  if (options.platform === 'linux') {
    app.commandLine.appendSwitch('enable-features', 'GlobalShortcutsPortal');
  }
  if (options.platform === 'win32') app.setAppUserModelId('app.interlock.gate');
  return 'go-on';
}

const languages: Readonly<Record<string, ShellTexts>> = { de, en };

/** The texts for a locale such as `de-AT`; English when there is no translation. */
function chooseTexts(locale: string): ShellTexts {
  return languages[locale.split(/[-_]/u)[0]?.toLowerCase() ?? ''] ?? en;
}

/** The page's own session; it keeps what the page stores (theme, language) and nothing of others. */
const partition = 'persist:interlock';

/**
 * Starts the menu-bar app: guards first, then the host, then everything a person sees. Null when
 * this start ends at once: a second instance, another approver, a debugger, or a failure, which a
 * dialog explains.
 */
export async function startShell(options: ShellOptions): Promise<Shell | null> {
  const { app } = options.port;
  const startUp = prepareApp(options.port, {
    stateDirectory: options.paths.stateDirectory,
    platform: options.platform,
  });
  if (startUp !== 'go-on') {
    app.exit(startUp === 'debugged' ? 1 : 0);
    return null;
  }
  guardEverything(app);
  // The app lives in the menu bar: closing its windows does not end it.
  app.on('window-all-closed', () => undefined);
  await app.whenReady();
  const texts = chooseTexts(app.getLocale());
  try {
    return await startReadyShell(options, texts);
  } catch (error) {
    const refusal = refusalOf(error);
    const sentence = refusal === undefined ? String(error) : `${refusal.message} ${refusal.hint}`;
    options.port.dialog.showErrorBox(texts.dialog.failedTitle, sentence);
    app.exit(1);
    return null;
  }
}

async function startReadyShell(
  options: ShellOptions,
  texts: ReturnType<typeof chooseTexts>,
): Promise<Shell | null> {
  const { port, files } = options;
  const devTools = !port.app.isPackaged;
  const session = port.session.fromPartition(partition, { cache: false });
  lockDownSession(session, { devTools });
  session.protocol.handle(appScheme, serveFiles(await readPageFiles(files.renderer)));

  let shell: Shell | null = null;
  const facts = controllerFacts({ platform: options.platform, isPackaged: port.app.isPackaged });
  const start = await options.startHost(() => {
    shell?.focus();
    return shell?.link() ?? null;
  }, facts);
  if (start.kind === 'already-running') {
    const { shell: name, pid } = start.other;
    port.dialog.showErrorBox(texts.dialog.failedTitle, texts.dialog.runsElsewhere(name, pid));
    port.app.exit(0);
    return null;
  }
  shell = runController({ ...options, host: start.host, facts, session, devTools, texts });
  return shell;
}
