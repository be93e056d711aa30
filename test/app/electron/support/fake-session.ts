import { EventEmitter } from 'node:events';

type Request = { readonly url: string };
type Answer = (answer: { readonly cancel?: boolean }) => void;

/** A session that keeps the handlers it is given, for a test to call. */
export class FakeSession extends EventEmitter {
  permissionRequest:
    ((contents: null, name: string, answer: (yes: boolean) => void) => void) | null = null;
  permissionCheck: ((contents: null, name: string) => boolean) | null = null;
  devicePermission: (() => boolean) | null = null;
  displayMedia: ((request: null, answer: (streams: object) => void) => void) | null = null;
  beforeRequest: ((request: Request, answer: Answer) => void) | null = null;
  spellChecker = true;
  readonly schemes = new Map<string, (request: globalThis.Request) => Promise<Response>>();

  readonly protocol = {
    handle: (scheme: string, handler: (request: globalThis.Request) => Promise<Response>): void => {
      this.schemes.set(scheme, handler);
    },
  };
  readonly webRequest = {
    onBeforeRequest: (handler: (request: Request, answer: Answer) => void): void => {
      this.beforeRequest = handler;
    },
  };
  setPermissionRequestHandler(handler: never): void {
    this.permissionRequest = handler;
  }
  setPermissionCheckHandler(handler: never): void {
    this.permissionCheck = handler;
  }
  setDevicePermissionHandler(handler: never): void {
    this.devicePermission = handler;
  }
  setDisplayMediaRequestHandler(handler: never): void {
    this.displayMedia = handler;
  }
  setSpellCheckerEnabled(on: boolean): void {
    this.spellChecker = on;
  }
  /** Whether a request of the page would be stopped. */
  blocks(url: string): boolean {
    let blocked = false;
    this.beforeRequest?.({ url }, ({ cancel }) => {
      blocked = cancel === true;
    });
    return blocked;
  }
}
