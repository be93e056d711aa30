import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The version in the package's own manifest, which stands above the sources and above the build. */
export function readVersion(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    if (folder === dirname(folder)) return 'unknown';
    folder = dirname(folder);
  }
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly version?: unknown;
  };
  return typeof manifest.version === 'string' ? manifest.version : 'unknown';
}
