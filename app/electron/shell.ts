import { refusalOf } from '../../shared/refusal/refusal.ts';
import { runDesk } from './desk.ts';
import { deskFacts } from './facts.ts';
import { serveFiles } from './scheme/app-scheme.ts';
import { readFileMap } from './scheme/file-map.ts';
import { appScheme } from './scheme/origin.ts';
import { lockDownSession } from './session/lock-down.ts';
import type { Shell, ShellOptions } from './shell-options.ts';
import { prepareApp } from './start-up.ts';
import { chooseTexts } from './texts/choose.ts';
import { guardEverything } from './window/guard.ts';

/** The page's own session; it keeps what the page stores (theme, language) and nothing of others. */
export const partition = 'persist:interlock';

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
  session.protocol.handle(appScheme, serveFiles(await readFileMap(files.renderer)));

  let shell: Shell | null = null;
  const facts = deskFacts({ platform: options.platform, isPackaged: port.app.isPackaged });
  const start = await options.startHost(() => {
    shell?.focus();
    return null;
  }, facts);
  if (start.kind === 'already-running') {
    const { shell: name, pid } = start.other;
    port.dialog.showErrorBox(texts.dialog.failedTitle, texts.dialog.runsElsewhere(name, pid));
    port.app.exit(0);
    return null;
  }
  shell = runDesk({ ...options, host: start.host, facts, session, devTools, texts });
  return shell;
}
