import { parse } from 'yaml';
import { joinPath, parentOf } from '../plan/paths.ts';
import type { FileView } from '../plan/types.ts';
import { readText } from './repository/find.ts';

export type Table = Readonly<Record<string, unknown>>;

/** What a compose file holds; null where it cannot be read or is not surely understood. */
export function documentOf(file: string, files: FileView): Table | null {
  const text = readText(files, file);
  if (text === null) return null;
  try {
    const document: unknown = parse(text, { merge: true, maxAliasCount: 100, logLevel: 'error' });
    return isTable(document) ? document : null;
  } catch {
    return null;
  }
}

const mostTakenIn = 32;

/**
 * All files that these say more in: what they include and extend, variables, Dockerfiles, a program
 * of this machine. Null where one of them lies elsewhere, or is named by a variable.
 */
export function takenIn(
  first: readonly string[],
  base: string,
  files: FileView,
): readonly string[] | null {
  const found = new Set<string>();
  const left = first.map((file) => ({ file, base }));
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { file, base: from } = next;
    if (found.has(file)) continue;
    found.add(file);
    const document = documentOf(file, files);
    if (document === null || found.size > mostTakenIn) return null;
    for (const { path, kind } of namedIn(document)) {
      if (typeof path !== 'string' || /\$|^[a-z][\w+.-]+:|^git@|^~|\\/i.test(path)) return null;
      const whole = joinPath(from, path);
      if (kind === 'more') left.push({ file: whole, base: parentOf(whole) });
      else if (files.facts(whole)?.kind === 'file') found.add(whole);
    }
  }
  return [...found];
}

/** Paths in a compose file: of `more` such files, and of others that it goes by. */
function namedIn(document: Table): readonly { readonly path: unknown; readonly kind: string }[] {
  const more = (path: unknown) => listOf(path).map((one) => ({ path: one, kind: 'more' }));
  const other = (path: unknown) => listOf(path).map((one) => ({ path: one, kind: 'other' }));
  const included = listOf(document['include']).flatMap((one) =>
    isTable(one)
      ? [...more(one['path']), ...other(one['env_file']), ...unplaced(one['project_directory'])]
      : more(one),
  );
  const services = Object.values(tableOf(document['services'])).map(tableOf);
  return [
    ...included,
    ...services.flatMap(({ build, provider, ...service }) => {
      const { context = build, dockerfile = 'Dockerfile' } = tableOf(build);
      const inFolder = typeof context === 'string' ? context : '.';
      return [
        ...more(tableOf(service['extends'])['file']),
        ...listOf(service['env_file']).flatMap((one) => other(isTable(one) ? one['path'] : one)),
        ...other(service['label_file']),
        ...(build === undefined || typeof dockerfile !== 'string'
          ? []
          : other(dockerfile.startsWith('/') ? dockerfile : `${inFolder}/${dockerfile}`)),
        ...other(tableOf(provider)['type']),
      ];
    }),
  ];
}

/** A folder of its own changes what the paths of the included file mean. */
function unplaced(folder: unknown): readonly { readonly path: unknown; readonly kind: string }[] {
  return folder === undefined ? [] : [{ path: null, kind: 'other' }];
}

export function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

export function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function tableOf(value: unknown): Table {
  return isTable(value) ? value : {};
}
