import { create } from 'zustand';
import type { Catalogue } from '../text/en.ts';
import { callOrShow, useApp } from './app.ts';

/** What was changed, or what became of taking it back. */
type ToastKind = keyof Catalogue['toast']['kinds'];

/** What a person has just changed, for a few seconds. */
interface Toast {
  readonly kind: ToastKind;
  /** Tells one change from the next. */
  readonly id: string;
  /** Asks that were covered before it. */
  readonly before: ReadonlySet<string>;
  /** Takes it back, and answers whether it did; null where nothing can. */
  readonly undo: (() => Promise<boolean> | boolean) | null;
  /** What is said once it is taken back. */
  readonly undone: ToastKind;
}

export const useToast = create<{ readonly toast: Toast | null }>()(() => ({ toast: null }));

/** How long a toast stands, in milliseconds. */
const standsMs = 15_000;

let timer: ReturnType<typeof setTimeout> | null = null;
let count = 0;

function show(toast: Toast | null): void {
  if (timer !== null) clearTimeout(timer);
  timer = toast === null ? null : setTimeout(() => show(null), standsMs);
  useToast.setState({ toast });
}

/** Says what was changed, with a way back where there is one. */
export function showChange(
  kind: ToastKind,
  undo: Toast['undo'],
  undone: ToastKind = 'reverted',
): void {
  const covered = useApp.getState().state?.covered ?? [];
  count += 1;
  const before = new Set(covered.map((ask) => ask.id));
  show({ kind, id: `${kind} ${count}`, before, undo, undone });
}

/** Takes away what is said of such a change: it does not hold any more. */
export function dropChange(kind: ToastKind): void {
  if (useToast.getState().toast?.kind === kind) show(null);
}

/** An answer was remembered, as a rule or for a while, and can be taken back. */
export function showRemembered(id: string, kind: 'rule' | 'grant'): void {
  const takeOut = async (): Promise<boolean> => (await callOrShow('undoAlways', { id })) !== null;
  showChange(kind, takeOut, kind === 'rule' ? 'undone' : 'ungranted');
}

/** In a browser to which the menu-bar app led: what the person came for is done. */
export function showBackInApp(): void {
  const isBesideApp = useApp.getState().state?.canOpenBrowser === true;
  if (isBesideApp && window.interlock === undefined) showChange('back', null);
}

/** Takes back what a toast tells of. */
export async function undoChange(toast: Toast): Promise<void> {
  if (toast.undo === null) return;
  const done = await toast.undo();
  if (useToast.getState().toast?.id !== toast.id && !done) return;
  show(done ? { ...toast, kind: toast.undone, undo: null } : null);
}

/** How many asks the answer has allowed besides its own. */
export function useCoveredSince(toast: Toast | null): number {
  const covered = useApp(({ state }) => state?.covered) ?? [];
  if (toast === null || (toast.kind !== 'rule' && toast.kind !== 'grant')) return 0;
  return covered.filter(({ id }) => !toast.before.has(id)).length;
}
