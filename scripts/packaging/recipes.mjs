// @ts-check
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { root } from '../lib/root.mjs';
import { manifest } from './tree.mjs';

/** Fills the recipes of Homebrew and Arch with the archive that lies in the folder of the release. */

const output = resolve(process.argv[2] ?? join(root, 'release'));
const { version } = manifest();
const archive = join(output, `interlock-gate-interlock-${version}.tgz`);
const sha256 = createHash('sha256').update(readFileSync(archive)).digest('hex');
for (const name of ['interlock.rb', 'PKGBUILD']) {
  const recipe = readFileSync(join(root, 'scripts/packaging/recipes', name), 'utf8');
  const filled = recipe.replaceAll('@VERSION@', version).replaceAll('@SHA256@', sha256);
  writeFileSync(join(output, name), filled);
  console.log(join(output, name));
}
