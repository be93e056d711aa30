import { readFile } from 'node:fs/promises';
import type { CustomScheme } from 'electron';
import { pageHeaders } from '../../host/csp.ts';
import { appOrigin, appScheme } from './origin.ts';
import type { FileMap } from './file-map.ts';

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
