import { spawn } from 'node:child_process';
import { pathToFileURL } from 'node:url';

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
