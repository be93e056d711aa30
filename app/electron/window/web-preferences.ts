import type { Session, WebPreferences } from 'electron';

/** The rights of every page that the app opens, written out so that no default can change them. */
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
    // The countdown of a hidden prompt must not lag when it is shown.
    backgroundThrottling: false,
  };
}
