import type { Session, WebContents, WebPreferences } from 'electron';
import { appOrigin } from './app-scheme.ts';
import type { ShellPort } from './types.ts';

/**
 * Every permission that a page could ask for, and why the answer is no. There is no entry that
 * says yes; a permission that is not in the table gets the same answer.
 */
export const refusedPermissions: Readonly<Record<string, string>> = {
  'clipboard-read': 'What a person copied elsewhere is none of the page’s business.',
  'clipboard-sanitized-write': 'A page copies through the selection, with the person’s own key.',
  'display-capture': 'Other windows stay unseen.',
  fileSystem: 'Files are read and written by the host, not by the page.',
  fullscreen: 'A prompt that fills the screen could pass for the desktop.',
  geolocation: 'Where the machine is plays no part in a decision.',
  hid: 'No devices.',
  'idle-detection': 'The shell itself knows when the screen is locked.',
  keyboardLock: 'The person keeps every key that leads out of the window.',
  media: 'No camera, no microphone.',
  mediaKeySystem: 'Nothing is played.',
  midi: 'No devices.',
  midiSysex: 'No devices.',
  notifications: 'Notifications come from the shell, which knows what they may offer.',
  openExternal: 'Text of a request must never start another program.',
  pointerLock: 'The pointer stays the person’s.',
  serial: 'No devices.',
  'speaker-selection': 'Nothing is played.',
  'storage-access': 'The page embeds no other site that could want its store.',
  'top-level-storage-access': 'The page embeds no other site that could want its store.',
  usb: 'No devices.',
  'window-management': 'The shell alone places windows.',
};

/** Whether a page may have a permission: never. */
function mayHave(_permission: string): false {
  return false;
}

/** Schemes that lead out of the app. They are blocked, as is every scheme but our own. */
export const blockedSchemes = ['http', 'https', 'ws', 'wss', 'ftp', 'file'] as const;

/** Whether a request of a page may go on: only the app's own files, and the tools of a source build. */
function mayRequest(url: string, devTools: boolean): boolean {
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

/** Keeps a page from navigating, opening windows and embedding anything. */
function guardContents(contents: WebContents): void {
  contents.on('will-navigate', (event) => event.preventDefault());
  contents.on('will-redirect', (event) => event.preventDefault());
  contents.on('will-frame-navigate', (event) => event.preventDefault());
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.setWindowOpenHandler(() => ({ action: 'deny' }));
}

/** Guards every web contents of the app, also one that no window of ours asked for. */
export function guardEverything(app: ShellPort['app']): void {
  app.on('web-contents-created', (_event, contents) => guardContents(contents));
  app.on('certificate-error', (event, _contents, _url, _error, _certificate, callback) => {
    event.preventDefault();
    callback(false);
  });
  app.on('select-client-certificate', (event) => event.preventDefault());
  app.on('login', (event) => event.preventDefault());
}

/** The preferences of every page that the app opens, all written out so that no default applies. */
export function webPreferences(options: {
  readonly preload: string;
  readonly session: Session;
  /** Only a build from source may open the developer tools. */
  readonly devTools: boolean;
}): WebPreferences {
  return {
    preload: options.preload,
    session: options.session,
    devTools: options.devTools,
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    experimentalFeatures: false,
    webviewTag: false,
    navigateOnDragDrop: false,
    safeDialogs: true,
    spellcheck: false,
    autoplayPolicy: 'document-user-activation-required',
    // The countdown of a hidden prompt must be right when the prompt is shown.
    backgroundThrottling: false,
  };
}
