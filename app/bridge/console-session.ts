/**
 * How a page in a browser gets from its one-time link to a connection. The session is a bearer that
 * only the page's own origin can read: a cookie would go to every other port of this machine too,
 * and those may belong to another user.
 */

/** `POST` with `{"token"}` as JSON; answers `{"session"}`, or 403 and a refusal. */
export const sessionPath = '/session';

/**
 * `POST` with `{}`: answers `{"nonce"}` for a passkey to sign, or 403 where none is made for this
 * host name. What it signed goes to `sessionPath` as `{"nonce", "assertion"}`.
 */
export const passkeyPath = '/passkey';

/** Where the WebSocket is. */
export const socketPath = '/bridge';

/** The subprotocol that the console chooses. */
export const subprotocol = 'interlock.1';

const sessionPrefix = 'session.';

/** A console token or session: 32 random bytes, base64url. */
const secretForm = /^[A-Za-z0-9_-]{43}$/;

/** Whether a text has the form of a one-time token or of a session. */
export function isConsoleSecret(text: unknown): text is string {
  return typeof text === 'string' && secretForm.test(text);
}

/** The subprotocols that a page offers: the real one, and one that carries its session. */
export function subprotocolsFor(session: string): string[] {
  return [subprotocol, `${sessionPrefix}${session}`];
}

/** The session among offered subprotocols, or null. */
export function sessionOf(offered: readonly string[]): string | null {
  if (!offered.includes(subprotocol)) return null;
  const offer = offered.find((name) => name.startsWith(sessionPrefix));
  const session = offer?.slice(sessionPrefix.length);
  return isConsoleSecret(session) ? session : null;
}

/**
 * What a link's fragment (`#token=…`, with the view after it) holds: the token, null where it has the
 * form of none, and the view, such as `/asks/ID`. The page takes the token out of the address at once.
 */
export function partsOfFragment(
  fragment: string,
): { readonly token: string | null; readonly view: string } | null {
  const parts = /^#token=([^/]*)(.*)$/su.exec(fragment);
  if (parts === null) return null;
  const [, token, view = ''] = parts;
  return { token: isConsoleSecret(token) ? token : null, view };
}

/** The fragment of a link. `view`: what the page shows first, such as `/asks/ID`. */
export function fragmentFor(token: string, view = ''): string {
  return `#token=${token}${view}`;
}

/** Close code of the WebSocket when its session is not known (any more): a new link is needed. */
export const sessionEndedCode = 4401;

/**
 * Where a device posts. `nonce`: `{}` for `{"nonce"}`; `invitation`: `{"code"}` for what it invites
 * to; `pair`: what the device made, for `{"device"}`; `session`: what its key signed, for
 * `{"session"}`, which opens one connection, once.
 */
export const devicePaths = {
  nonce: '/device/nonce',
  invitation: '/device/invitation',
  pair: '/device/pair',
  session: '/device/session',
} as const;

/** The code in the fragment of an invitation (`#pair=…`), or null. */
export function codeOfFragment(fragment: string): string | null {
  const code = /^#pair=(.*)$/.exec(fragment)?.[1];
  return isConsoleSecret(code) ? code : null;
}
