import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { product, root, sources } from './sources.ts';
import type { Source } from './sources.ts';

/** Files whose imports at run time name the package; type-only imports vanish in the build. */
function importersOf(name: string): readonly string[] {
  const load = new RegExp(
    String.raw`^(?:import|export)\s(?!type\b)[^;]*?from '${name}(?:/[^']*)?'|\b(?:import|require)\('${name}(?:/[^']*)?'\)|^import '${name}'`,
    'mu',
  );
  return product.filter(({ text }) => load.test(text)).map(({ path }) => path);
}

/** Each circle of files that import one another at run time, as the paths along it. */
function circles(files: readonly Source[]): readonly string[] {
  const imports = new Map(files.map(({ path, text }) => [path, runtimeImports(path, text)]));
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, way: readonly string[]): void => {
    const at = way.indexOf(path);
    if (at >= 0) found.push([...way.slice(at), path].join(' → '));
    if (at >= 0 || done.has(path)) return;
    for (const next of imports.get(path) ?? []) visit(next, [...way, path]);
    done.add(path);
  };
  for (const path of imports.keys()) visit(path, []);
  return found;
}

/**
 * Each circle of imports, those of types included, that leads through more than one folder: a path
 * that comes back to its first file.
 */
function circlesAcrossFolders(files: readonly Source[]): readonly string[] {
  const imports = new Map(files.map(({ path, text }) => [path, allImports(path, text)]));
  return files.flatMap(({ path }) => {
    const outside = (imports.get(path) ?? []).filter((to) => dirname(to) !== dirname(path));
    return outside.flatMap((to) => wayBack(to, path, imports) ?? []);
  });
}

function wayBack(
  from: string,
  to: string,
  imports: ReadonlyMap<string, readonly string[]>,
): string | null {
  const cameFrom = new Map<string, string>([[from, to]]);
  for (const at of cameFrom.keys()) {
    if (at === to) break;
    for (const next of imports.get(at) ?? []) if (!cameFrom.has(next)) cameFrom.set(next, at);
  }
  if (!cameFrom.has(to)) return null;
  const way = [to];
  for (let at = cameFrom.get(to); at !== undefined && at !== to; at = cameFrom.get(at))
    way.push(at);
  return [...way, to].toReversed().join(' → ');
}

function allImports(path: string, text: string): readonly string[] {
  const places = text.matchAll(/(?:\bfrom\s|\bimport\()\s*'(\.[^']+)'/gu);
  return [...places].map(([, to = '']) => join(dirname(path), to));
}

function runtimeImports(path: string, text: string): readonly string[] {
  const statements = text.matchAll(/^(?:import|export)\s(?!type\b)[^;]*?from '(\.[^']+)'/gmu);
  return [...statements].map(([, to = '']) => join(dirname(path), to));
}

describe('house rules', () => {
  it('keeps every file within 400 lines', () => {
    expect(sources.filter(({ lines }) => lines > 400).map(({ path }) => path)).toEqual([]);
  });

  it('keeps no folder for a single file', () => {
    const inFolder = new Map<string, string[]>();
    for (const { path } of product.filter(({ path: each }) =>
      /^(?:shared|runner|app)\//u.test(each),
    )) {
      const folder = dirname(path);
      inFolder.set(folder, [...(inFolder.get(folder) ?? []), path]);
    }
    const folders = new Set([...inFolder.keys()].map(dirname));
    const lonely = [...inFolder].filter(
      ([folder, files]) => files.length === 1 && !folders.has(folder),
    );
    expect(lonely.map(([, [path]]) => path)).toEqual([]);
  });

  it.each(['shared', 'shared/engine', 'runner', 'app'])(
    'names each folder of %s in the list of the architecture',
    (folder) => {
      const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
      const [, list = ''] = /## Folders\n[^]*?```\n([^]*?)```/u.exec(text) ?? [];
      const folders = readdirSync(join(root, folder), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name);
      expect(folders.filter((name) => !new RegExp(`\\b${name}/`, 'u').test(list))).toEqual([]);
    },
  );

  it('knows no circle of imports that run', () => {
    expect(circles(product)).toEqual([]);
  });

  it('knows no circle of imports across folders, not even of types', () => {
    expect(circlesAcrossFolders(product)).toEqual([]);
  });

  it('finds a circle of types across folders', () => {
    const file = (path: string, to: string): Source => {
      return { path, text: `import type { A } from '${to}';`, lines: 1 };
    };
    const planted = [file('a/one.ts', './two.ts'), file('a/two.ts', '../b/three.ts')];
    expect(circlesAcrossFolders(planted)).toEqual([]);
    expect(circlesAcrossFolders([...planted, file('b/three.ts', '../a/one.ts')])).toEqual([
      'a/two.ts → b/three.ts → a/one.ts → a/two.ts',
      'b/three.ts → a/one.ts → a/two.ts → b/three.ts',
    ]);
  });

  it('asks who it is in one place, and for the user by whom the kernel decides', () => {
    const asking = product.filter(
      ({ path, text }) =>
        !path.startsWith('scripts/') && !/\.[ch]$/u.test(path) && /\bget(?:e)?uid\b/u.test(text),
    );
    expect(asking.map(({ path }) => path)).toEqual(['shared/home/paths.ts']);
  });

  it('reads config.json in one place', () => {
    const reading = product.filter(({ text }) => /\bparseConfig\b/u.test(text));
    expect(reading.map(({ path }) => path).toSorted()).toEqual([
      'runner/cli/config-edit.ts',
      'shared/engine/config-schema.ts',
      'shared/engine/index.ts',
      'shared/home/config-file.ts',
    ]);
  });

  it.each([
    ['electron', ['app/electron/main.ts', 'app/electron/preload.cts']],
    ['node-ipc', ['shared/ipc/transport/ipc.ts']],
    ['keytar', ['shared/home/keytar.ts']],
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

  it('has one decision of each number, under the title that says it', () => {
    const folder = join(root, 'docs/decisions');
    const numbers = readdirSync(folder).map((name) => name.slice(0, 4));
    expect(numbers.filter((number, at) => numbers.indexOf(number) !== at)).toEqual([]);
    const untitled = readdirSync(folder).filter(
      (name) => !readFileSync(join(folder, name), 'utf8').startsWith(`# ${name.slice(0, 4)} `),
    );
    expect(untitled).toEqual([]);
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
