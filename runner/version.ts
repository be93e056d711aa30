import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder of the installed package: the one with the manifest, above the sources and above the build. */
export function packageRoot(): string {
  const start = dirname(fileURLToPath(import.meta.url));
  let folder = start;
  while (!existsSync(join(folder, 'package.json'))) {
    if (folder === dirname(folder)) return start;
    folder = dirname(folder);
  }
  return folder;
}

/** The version in the package's own manifest. */
export function readVersion(): string {
  const path = join(packageRoot(), 'package.json');
  if (!existsSync(path)) return 'unknown';
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as { readonly version?: unknown };
  return typeof manifest.version === 'string' ? manifest.version : 'unknown';
}
