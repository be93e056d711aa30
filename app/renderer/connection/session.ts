import { isConsoleSecret, sessionPath, tokenOfFragment } from '../../bridge/console-session.ts';

const storageKey = 'interlock.session';

/**
 * The session of this tab: swapped for the one-time token of the link, or the one that was kept
 * over a reload. Null when there is neither. The token leaves the address before anything else
 * happens, so that it is in no history and no screenshot.
 */
export async function openSession(): Promise<string | null> {
  const token = tokenOfFragment(location.hash);
  if (location.hash.startsWith('#token=')) history.replaceState(null, '', location.pathname);
  if (token === null) return keptSession();
  const answer = await fetch(sessionPath, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
    credentials: 'omit',
    cache: 'no-store',
  });
  const body = (await answer.json()) as { readonly session?: unknown };
  // A link that was used before may be opened again in the tab that used it.
  if (!answer.ok || !isConsoleSecret(body.session)) return keptSession();
  sessionStorage.setItem(storageKey, body.session);
  return body.session;
}

/** Forgets a session that the host does not know any more. */
export function forgetSession(): void {
  sessionStorage.removeItem(storageKey);
}

function keptSession(): string | null {
  const kept = sessionStorage.getItem(storageKey);
  return isConsoleSecret(kept) ? kept : null;
}
