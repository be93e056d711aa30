import type { Session } from 'electron';
import { appOrigin } from '../scheme/origin.ts';
import { mayHave } from './permissions.ts';

/** Schemes that reach out of the app. All are blocked; so is every other one but our own. */
export const blockedSchemes = ['http', 'https', 'ws', 'wss', 'ftp', 'file'] as const;

/** Whether a request of a page may go on: only the app's own files, and the tools of a source build. */
export function mayRequest(url: string, devTools: boolean): boolean {
  if (url.startsWith(`${appOrigin}/`)) return true;
  return devTools && url.startsWith('devtools://');
}

/** Takes from a session everything that the page does not need. */
export function lockDownSession(session: Session, options: { readonly devTools: boolean }): void {
  session.setPermissionRequestHandler((_contents, permission, callback) =>
    callback(mayHave(permission)),
  );
  session.setPermissionCheckHandler((_contents, permission) => mayHave(permission));
  session.setDevicePermissionHandler(() => false);
  session.setDisplayMediaRequestHandler((_request, callback) => callback({}));
  session.setSpellCheckerEnabled(false);
  session.webRequest.onBeforeRequest((details, callback) =>
    callback({ cancel: !mayRequest(details.url, options.devTools) }),
  );
  session.on('will-download', (event) => event.preventDefault());
}
