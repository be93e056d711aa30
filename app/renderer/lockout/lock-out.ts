import { useApp } from '../state/app.ts';
import { callOrShow } from '../state/call.ts';
import { usePreferences } from '../state/preferences.ts';
import { catalogueFor } from '../text/languages.ts';

/** Locks everything out at once. What it did is kept for the panel that then shows. */
export async function lockOut(): Promise<void> {
  const { language } = usePreferences.getState();
  const { reason } = catalogueFor(language, navigator.languages).lockout;
  const done = await callOrShow('lockout', { reason });
  if (done !== null) useApp.getState().lockedOut(done);
}
