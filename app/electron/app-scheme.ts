import type { CustomScheme } from 'electron';
import { pageHeaders } from '../host/page-files.ts';
import type { PageFile, PageFiles } from '../host/page-files.ts';

/** The one scheme and host that the app's page comes from. */
export const appScheme = 'app';
export const appOrigin = 'app://interlock';

/** The address of the page, with the place inside it after the hash. */
export function pageUrl(place: string): string {
  return `${appOrigin}/${place === '' ? '' : `#${place}`}`;
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
export function serveFiles(files: PageFiles): (request: Request) => Promise<Response> {
  return async (request) => {
    const file = request.method === 'GET' ? lookUp(files, request.url) : undefined;
    if (file === undefined) return new Response('Not found', { status: 404, headers: pageHeaders });
    return new Response(new Uint8Array(file.body), {
      headers: { ...pageHeaders, 'content-type': file.type },
    });
  };
}

function lookUp(files: PageFiles, address: string): PageFile | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (`${url.protocol}//${url.host}` !== appOrigin) return undefined;
  return files.get(url.pathname === '' ? '/' : url.pathname);
}
