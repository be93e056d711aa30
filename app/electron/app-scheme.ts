import type { CustomScheme } from 'electron';
import { readFile, readdir } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { pageHeaders } from '../host/page-headers.ts';

/** The one scheme and host that the app's page comes from. */
export const appScheme = 'app';
export const appOrigin = 'app://interlock';

/** The address of the page, with the place inside it after the hash. */
export function pageUrl(place: string): string {
  return `${appOrigin}/${place === '' ? '' : `#${place}`}`;
}

/** A file that the page may load: the path in its address, the file on disk, and its type. */
export interface MappedFile {
  readonly file: string;
  readonly contentType: string;
}

type FileMap = ReadonlyMap<string, MappedFile>;

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

/** The rights of our scheme; registered before the app is ready. */
export const appSchemePrivileges: CustomScheme = {
  scheme: appScheme,
  privileges: {
    standard: true,
    secure: true,
    supportFetchAPI: true,
    bypassCSP: false,
    allowServiceWorkers: false,
    corsEnabled: false,
    stream: false,
  },
};

/** Answers the requests of the page from a fixed map of files; anything else is not found. */
export function serveFiles(map: FileMap): (request: Request) => Promise<Response> {
  return async (request) => {
    const found = request.method === 'GET' ? lookUp(map, request.url) : undefined;
    if (found === undefined)
      return new Response('Not found', { status: 404, headers: pageHeaders });
    const body = await readFile(found.file);
    return new Response(body, { headers: { ...pageHeaders, 'content-type': found.contentType } });
  };
}

function lookUp(map: FileMap, address: string) {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (`${url.protocol}//${url.host}` !== appOrigin) return undefined;
  return map.get(url.pathname === '' ? '/' : url.pathname);
}
