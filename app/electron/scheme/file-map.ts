import { readdir } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';

/** A file that the page may load: the path in its address, the file on disk, and its type. */
export interface MappedFile {
  readonly file: string;
  readonly contentType: string;
}

export type FileMap = ReadonlyMap<string, MappedFile>;

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
};

/**
 * The files below a built page's folder, by address. It is read once at start: an address is looked
 * up and never joined to a path, so nothing outside the folder can be named. Files of other types
 * are left out.
 */
export async function readFileMap(folder: string): Promise<FileMap> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const map = new Map<string, MappedFile>();
  for (const entry of entries) {
    const contentType = contentTypes[extname(entry.name)];
    if (!entry.isFile() || contentType === undefined) continue;
    const file = join(entry.parentPath, entry.name);
    map.set(`/${relative(folder, file).split(sep).join('/')}`, { file, contentType });
  }
  const index = map.get('/index.html');
  if (index !== undefined) map.set('/', index);
  return map;
}
