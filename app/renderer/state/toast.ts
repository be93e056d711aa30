import { create } from 'zustand';
import { callOrShow, useApp } from './app.ts';

/** What a person's answer has just changed, for a few seconds. */
export interface Toast {
  readonly kind: 'rule' | 'grant' | 'undone';
  /** The ask whose answer it was. */
  readonly id: string;
  /** Asks that were covered before it. */
  readonly before: ReadonlySet<string>;
}

export const useToast = create<{ readonly toast: Toast | null }>()(() => ({ toast: null }));

/** How long a toast stands, in milliseconds. */
const standsMs = 15_000;

let timer: ReturnType<typeof setTimeout> | null = null;

function show(toast: Toast | null): void {
  if (timer !== null) clearTimeout(timer);
  timer = toast === null ? null : setTimeout(() => show(null), standsMs);
  useToast.setState({ toast });
}

/** An answer was remembered: as a rule, which can be taken out again, or for a while. */
export function showRemembered(id: string, kind: 'rule' | 'grant'): void {
  const covered = useApp.getState().state?.covered ?? [];
  show({ kind, id, before: new Set(covered.map((ask) => ask.id)) });
}

/** Takes the rules of the answer out again. */
export async function undoRemembered({ id, before }: Toast): Promise<void> {
  const result = await callOrShow('undoAlways', { id });
  show(result === null ? null : { kind: 'undone', id, before });
}

/** How many asks the answer has allowed besides its own. */
export function useCoveredSince(toast: Toast | null): number {
  const covered = useApp(({ state }) => state?.covered) ?? [];
  return toast === null ? 0 : covered.filter(({ id }) => !toast.before.has(id)).length;
}
