import * as electron from 'electron';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { randomBytes } from 'node:crypto';
import { openHome, systemClock } from '../../shared/home/index.ts';
import { openInBrowser } from '../console/link.ts';
import { readPageFiles } from '../host/page-files.ts';
import { startUiHost } from '../host/start.ts';
import { startShell } from './shell.ts';

const packageRoot = fileURLToPath(new URL('../../../', import.meta.url));
// A packed app keeps the runner as plain files beside its archive.
const runnerRoot = electron.app.isPackaged ? join(process.resourcesPath, 'runner') : packageRoot;
const home = openHome(process.env);
const renderer = join(packageRoot, 'dist', 'renderer');

// Not awaited: Electron becomes ready only after this module has been evaluated.
startShell({
  port: electron,
  platform: process.platform,
  env: process.env,
  argv: process.argv,
  executable: process.execPath,
  uid: home.uid,
  paths: home,
  files: {
    renderer,
    preload: fileURLToPath(new URL('preload.cjs', import.meta.url)),
    assets: join(packageRoot, 'assets'),
    runner: join(runnerRoot, 'dist', 'runner', 'main.js'),
  },
  config: home.configOrSafe(),
  clock: systemClock,
  loadUpdater: async () => (await import('electron-updater')).default.autoUpdater,
  startHost: async (onFocus, facts) => {
    // The first start of an app that was installed without the command line.
    if (!existsSync(home.config)) await home.init(Date.now);
    return startUiHost({ home, env: process.env, packageRoot, shell: 'electron', onFocus, facts });
  },
  serveBrowser: async (options) => {
    // Loaded when the person first goes there: most never do.
    const { openConsole } = await import('../console/server.ts');
    const { consoleIdleMs: idleMs, consolePort: port } = home.configOrSafe().ui;
    const files = await readPageFiles(renderer);
    return openConsole({ ...options, files, idleMs, port, random: randomBytes });
  },
  openFile: (path) => openInBrowser(path, process.platform),
}).catch((error: unknown) => {
  console.error(error);
  electron.app.exit(1);
});
