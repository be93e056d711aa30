import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { HomePaths } from '../../shared/node/home/paths.ts';
import { writeFileAtomic } from '../../shared/node/files/atomic-write.ts';

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

/** The link is ours and holds only `http://127.0.0.1:PORT/#token=` and base64url. */
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
