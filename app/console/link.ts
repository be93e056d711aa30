import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { writeFileAtomic } from '../../shared/home/index.ts';
import type { HomePaths } from '../../shared/home/index.ts';

type Paths = Pick<HomePaths, 'consoleLink'>;

/** A page that leads to the link, so that the link is on no command line when a browser is started. */
export function redirectPath({ consoleLink }: Paths): string {
  return join(dirname(consoleLink), 'open-console.html');
}

/** Leaves the link where `interlock ui` and a browser find it; both files are 0600. */
export function keepLink(paths: Paths, link: string): void {
  writeFileAtomic(paths.consoleLink, `${link}\n`);
  writeFileAtomic(redirectPath(paths), redirectPage(link));
}

/** Removes both files: the link was used, or the console ends. */
export function dropLink(paths: Paths): void {
  rmSync(paths.consoleLink, { force: true });
  rmSync(redirectPath(paths), { force: true });
}

/** The link is ours: `http://localhost:PORT/#token=`, base64url, and a view as a part of an address. */
function redirectPage(link: string): string {
  return [
    '<!doctype html>',
    '<meta charset="utf-8">',
    '<meta name="referrer" content="no-referrer">',
    `<meta http-equiv="refresh" content="0;url=${link}">`,
    '<title>Interlock</title>',
    `<a href="${link}">Open Interlock</a>`,
    '',
  ].join('\n');
}

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['explorer'],
};

/** Opens a local file in the person's browser. Without a browser nothing happens: the link is printed. */
export function openInBrowser(path: string, platform: NodeJS.Platform): void {
  const [program = 'xdg-open', ...args] = openers[platform] ?? ['xdg-open'];
  const child = spawn(program, [...args, pathToFileURL(path).href], {
    stdio: 'ignore',
    detached: true,
  });
  child.on('error', () => undefined);
  child.unref();
}
