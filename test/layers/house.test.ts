import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const products = ['shared', 'runner', 'app', 'demo', 'scripts'];
const extensions = /\.(?:ts|tsx|mts|cts|mjs|css)$/u;

interface Source {
  /** Relative to the checkout, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly lines: number;
}

const sources = [...products, 'test', 'e2e'].flatMap(sourcesBelow);
const product = sources.filter(({ path }) =>
  products.some((folder) => path.startsWith(`${folder}/`)),
);

function sourcesBelow(folder: string): readonly Source[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => extensions.test(name) && !name.includes('fixtures'))
    .map((name) => {
      const path = `${folder}/${name}`;
      const text = readFileSync(join(root, path), 'utf8');
      return { path, text, lines: text.split('\n').length - 1 };
    });
}

/** Files whose imports at run time name the package; type-only imports vanish in the build. */
function importersOf(name: string): readonly string[] {
  const load = new RegExp(
    String.raw`^(?:import|export)\s(?!type\b)[^;]*?from '${name}(?:/[^']*)?'|\b(?:import|require)\('${name}(?:/[^']*)?'\)|^import '${name}'`,
    'mu',
  );
  return product.filter(({ text }) => load.test(text)).map(({ path }) => path);
}

describe('house rules', () => {
  it('keeps every file within 400 lines', () => {
    expect(sources.filter(({ lines }) => lines > 400).map(({ path }) => path)).toEqual([]);
  });

  it('keeps the median file under 100 lines', () => {
    const lengths = product.map(({ lines }) => lines).toSorted((a, b) => a - b);
    expect(lengths.length).toBeGreaterThan(100);
    expect(lengths[Math.floor(lengths.length / 2)]).toBeLessThan(100);
  });

  it.each([
    ['electron', ['app/electron/main.ts', 'app/electron/preload.cts']],
    ['node-ipc', ['shared/node/transport/ipc.ts']],
    ['keytar', ['shared/node/secrets/keytar.ts']],
  ])('loads %s in one fenced place only', (name, places) => {
    expect(importersOf(name).filter((path) => !places.includes(path))).toEqual([]);
    expect(importersOf(name)).not.toEqual([]);
  });

  it('takes nothing from a page as markup', () => {
    const unsafe = product.filter(({ text }) =>
      /dangerouslySetInnerHTML|\.innerHTML\s*=/u.test(text),
    );
    expect(unsafe.map(({ path }) => path)).toEqual([]);
  });

  it('leaves no note to itself behind', () => {
    const notes = /\b(?:TODO|FIXME|XXX)\b|not written yet|not yet:/u;
    const found = product.filter(({ text }) => notes.test(text)).map(({ path }) => path);
    expect(found).toEqual([]);
  });

  it('names no dependency by a range, so that one lockfile tells what runs', () => {
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<
      'dependencies' | 'devDependencies' | 'optionalDependencies',
      Record<string, string>
    >;
    const versions = Object.values({
      ...manifest.dependencies,
      ...manifest.devDependencies,
      ...manifest.optionalDependencies,
    });
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/u.test(version))).toEqual([]);
  });
});
