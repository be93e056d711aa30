import { existsSync } from 'node:fs';

/** The same engine without a window system: half the processor time of a page. */
const shells = ['/usr/bin/chromium-headless-shell'];

const browsers = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

function options(paths: readonly string[]): { executablePath?: string; args: string[] } {
  const executablePath = paths.find((path) => existsSync(path));
  return {
    ...(executablePath === undefined ? {} : { executablePath }),
    args: [
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-default-apps',
      '--disable-sync',
      '--no-first-run',
    ],
  };
}

/** What specs are shown in: the machine's headless shell, else its browser, else Playwright's own. */
export const quickBrowser = options([...shells, ...browsers]);

/** For what the shell has not got, such as notifications: the machine's browser, else Playwright's. */
export const wholeBrowser = options(browsers);
