import * as electron from 'electron';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openHome, systemClock } from '../../shared/home/index.ts';
import { startUiHost } from '../host/start.ts';
import { startShell } from './shell.ts';

const packageRoot = fileURLToPath(new URL('../../../', import.meta.url));
// A packed app keeps the runner as plain files beside its archive.
const runnerRoot = electron.app.isPackaged ? join(process.resourcesPath, 'runner') : packageRoot;
const home = openHome(process.env);

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
    renderer: join(packageRoot, 'dist', 'renderer'),
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
}).catch((error: unknown) => {
  console.error(error);
  electron.app.exit(1);
});
