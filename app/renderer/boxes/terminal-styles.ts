/**
 * How a terminal of `@xterm/xterm` draws under a content security policy without inline styles, which
 * stays as strict as it is: what it would write into `style` elements goes to constructed style sheets,
 * and what it sets as `style` attributes to the objects behind them. The policy lets a script do both.
 */

/** Does what makes `style` elements, with sheets of the document in their place. */
export function withSheets(work: () => void): void {
  const make = document.createElement.bind(document);
  // The option `documentOverride` does not reach all that a terminal makes.
  Object.defineProperty(document, 'createElement', {
    configurable: true,
    value: (name: string, options?: ElementCreationOptions) =>
      name === 'style' ? sheetElement() : make(name, options),
  });
  try {
    work();
  } finally {
    Reflect.deleteProperty(document, 'createElement');
  }
}

/** Stands for a `style` element: its text is a sheet of the document for as long as it is not removed. */
function sheetElement(): HTMLElement {
  // A style element, though empty, would count as an inline style.
  const element = document.createElementNS('http://www.w3.org/1999/xhtml', 'template');
  const sheet = new CSSStyleSheet();
  let text = '';
  Object.defineProperties(element, {
    textContent: {
      get: () => text,
      set: (next: string) => {
        text = next;
        sheet.replaceSync(next);
        if (!document.adoptedStyleSheets.includes(sheet)) document.adoptedStyleSheets.push(sheet);
      },
    },
    remove: {
      value: () => {
        document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet);
        Element.prototype.remove.call(element);
      },
    },
  });
  return element;
}

/**
 * Has `setAttribute('style', …)` of a span do what `style.cssText` does. For all spans of the page,
 * because a terminal makes those of its rows whenever it draws.
 */
export function letSpansHaveStyles(): void {
  const { prototype } = HTMLSpanElement;
  if (Object.hasOwn(prototype, 'setAttribute')) return;
  Object.defineProperty(prototype, 'setAttribute', {
    value(this: HTMLSpanElement, name: string, value: string) {
      if (name === 'style') this.style.cssText = value;
      else Element.prototype.setAttribute.call(this, name, value);
    },
  });
}
