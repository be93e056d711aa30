import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const { version } = createRequire(import.meta.url)('electron/package.json') as { version: string };

/** The marker by which `@electron/fuses` finds the fuses in a binary. */
const fuseSentinel = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';
const fuseCount = 9;

/**
 * A folder in the shape of an Electron distribution, with a text file for a program. It carries the
 * fuse wire, so that the packager's flipping of fuses can be looked at. It never runs.
 */
export function standInElectron(folder: string): string {
  mkdirSync(join(folder, 'resources'), { recursive: true });
  mkdirSync(join(folder, 'locales'));
  writeFileSync(join(folder, 'version'), version);
  writeFileSync(join(folder, 'locales', 'en-US.pak'), '');
  const wire = Buffer.concat([
    Buffer.from(fuseSentinel),
    Buffer.from([1, fuseCount]),
    Buffer.from('0'.repeat(fuseCount)),
  ]);
  writeFileSync(join(folder, 'electron'), wire, { mode: 0o755 });
  return folder;
}

/** The state of each fuse by its place in the wire: `1` on, `0` off, as the program carries it. */
export function fusesOf(program: string): readonly boolean[] {
  const bytes = readFileSync(program);
  const at = bytes.indexOf(fuseSentinel) + fuseSentinel.length + 2;
  return [...bytes.subarray(at, at + fuseCount)].map((state) => state === '1'.charCodeAt(0));
}
