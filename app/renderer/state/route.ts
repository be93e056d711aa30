export const views = ['asks', 'allowlist', 'history', 'missed', 'health', 'settings'] as const;
export type View = (typeof views)[number];

/** What an address names. */
export interface Route {
  readonly view: View;
  /** The ask that is to be brought on screen, while it waits. */
  readonly ask: string | null;
}

/** `#/history` names a view, `#/asks/<id>` an ask; anything else is the asks. */
export function routeOf(hash: string): Route {
  const [view, id] = hash.replace(/^#\//, '').split('/');
  const found = views.find((each) => each === view) ?? 'asks';
  return { view: found, ask: found === 'asks' && id !== undefined ? decoded(id) : null };
}

function decoded(text: string): string | null {
  try {
    return text === '' ? null : decodeURIComponent(text);
  } catch {
    return null;
  }
}
