/** Whether keys currently belong to a text field or an open dialog, not to actions. */
export function isTyping(target: EventTarget | null): boolean {
  if (document.querySelector('dialog[open]') !== null) return true;
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement)
    return target.type !== 'radio' && target.type !== 'checkbox';
  return target.matches('textarea, select, [contenteditable]');
}

/** Whether the arrow keys already have a meaning where the focus is. */
export function ownsArrows(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, [tabindex="0"], [role="row"]');
}

/** A click this soon after the window gained focus is taken for the one that focused it. */
const focusClickMs = 250;

let focusedAt = document.hasFocus() ? performance.now() : Number.POSITIVE_INFINITY;
const listeners = new Set<() => void>();

function become(value: number): void {
  focusedAt = value;
  for (const listener of listeners) listener();
}

/** When the window last gained focus, as `performance.now()`; infinity while it has none. */
export function windowFocusedAt(): number {
  return focusedAt;
}

/** Calls back at each gain and loss of focus. */
export function onWindowFocus(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Swallows the click that focuses the window where it could answer an ask or let commands go on:
 * in what is marked `data-guarded`. Everything else takes it. A browser may report the focus as late
 * as with the first click, and who only opens a view must not have to click twice.
 */
export function startFocusGuard(): void {
  let swallow = false;
  window.addEventListener('focus', () => become(performance.now()));
  window.addEventListener('blur', () => become(Number.POSITIVE_INFINITY));
  const guard = (event: Event): void => {
    if (event.type === 'pointerdown') {
      const { target } = event;
      const guarded = !(target instanceof Element) || target.closest('[data-guarded]') !== null;
      swallow = guarded && performance.now() - focusedAt < focusClickMs && sinceLoad();
    }
    if (!swallow) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    if (event.type === 'click') swallow = false;
  };
  for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click']) {
    document.addEventListener(type, guard, { capture: true });
  }
}

function sinceLoad(): boolean {
  return performance.now() > 2 * focusClickMs;
}
