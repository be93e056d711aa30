// @ts-check
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { root } from '../lib/root.mjs';
import { manifest, sourceDate } from './tree.mjs';

/**
 * Writes the list of what the product is made of (CycloneDX, by `npm sbom`): the packages that it loads,
 * and those that became a part of its bundles. npm counts the latter as tools of the developers.
 */

/** @typedef {{ 'bom-ref': string, name: string, version: string }} Component */

const output = resolve(process.argv[2] ?? join(root, 'release'));
const { version } = manifest();
const npm = (/** @type {string[]} */ ...args) =>
  JSON.parse(
    execFileSync('npm', ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', ...args], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 256 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );

const all = npm();
const loaded = new Set(npm('--omit=dev').components.map(refOf));
const bundled = bundledPackages();
/** @type {Component[]} */
const components = all.components.filter(
  (/** @type {Component} */ one) =>
    loaded.has(refOf(one)) || bundled.has(`${one.name}@${one.version}`),
);
const there = new Set(components.map(({ name, version: of }) => `${name}@${of}`));
const missing = [...bundled].filter((name) => !there.has(name));
if (missing.length > 0) throw new Error(`npm does not know of ${missing.join(', ')}.`);

const refs = new Set([...components.map(refOf), all.metadata.component['bom-ref']]);
const { tools, lifecycles, component } = all.metadata;
const bom = {
  ...all,
  metadata: {
    timestamp: new Date(sourceDate() * 1_000).toISOString(),
    lifecycles,
    tools,
    component: { ...component, name: '@interlock-gate/interlock' },
  },
  components,
  dependencies: all.dependencies
    .filter((/** @type {{ ref: string }} */ { ref }) => refs.has(ref))
    .map((/** @type {{ ref: string, dependsOn?: string[] }} */ { ref, dependsOn = [] }) => ({
      ref,
      dependsOn: dependsOn.filter((one) => refs.has(one)),
    })),
};
// Of the content, so that the same sources make the same list.
const digest = createHash('sha256').update(JSON.stringify(bom.components)).digest('hex');
bom.serialNumber = `urn:uuid:${digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/u, '$1-$2-4$3-8$4-$5')}`;
mkdirSync(output, { recursive: true });
const file = join(output, `interlock-${version}.cdx.json`);
writeFileSync(file, `${JSON.stringify(bom, null, 2)}\n`);
console.log(file);

/** @param {Component} one */
function refOf(one) {
  return one['bom-ref'];
}

/** The packages in the bundles, as `name@version`, by the licences that the build wrote down. */
function bundledPackages() {
  const texts = ['dist/chunks/licenses.txt', 'dist/renderer/licenses.txt'].map((path) =>
    readFileSync(join(root, path), 'utf8'),
  );
  return new Set(
    texts.flatMap((text) =>
      [...text.matchAll(/^## (\S+) - (\S+) \(/gmu)].map(([, name, of]) => `${name}@${of}`),
    ),
  );
}
