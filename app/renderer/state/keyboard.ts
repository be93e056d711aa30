/** Whether keys belong to a text field or an open dialog just now, and mean no action. */
export function isTyping(target: EventTarget | null): boolean {
  if (document.querySelector('dialog[open]') !== null) return true;
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement)
    return target.type !== 'radio' && target.type !== 'checkbox';
  return target.matches('textarea, select, [contenteditable]');
}

/** Whether the arrow keys already do something where the focus is. */
export function ownsArrows(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, [tabindex="0"], [role="row"]');
}
