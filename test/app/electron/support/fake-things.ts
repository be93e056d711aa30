import { EventEmitter } from 'node:events';
import type { MenuItemConstructorOptions } from 'electron';

export interface FakeImage {
  readonly file: string;
  template: boolean;
}

export class FakeTray extends EventEmitter {
  static readonly all: FakeTray[] = [];
  image: FakeImage;
  tooltip = '';
  title = '';
  menu: readonly MenuItemConstructorOptions[] = [];
  destroyed = false;
  constructor(image: FakeImage) {
    super();
    this.image = image;
    FakeTray.all.push(this);
  }
  setImage(image: FakeImage): void {
    this.image = image;
  }
  setToolTip(text: string): void {
    this.tooltip = text;
  }
  setTitle(text: string): void {
    this.title = text;
  }
  setContextMenu(menu: { readonly template: readonly MenuItemConstructorOptions[] }): void {
    this.menu = menu.template;
  }
  popUpContextMenu(): void {
    this.emit('popped-up');
  }
  destroy(): void {
    this.destroyed = true;
  }
}

/** A process that ends as soon as it is asked to. */
export class FakeChild extends EventEmitter {
  readonly started: readonly unknown[];
  killed = false;
  constructor(...started: readonly unknown[]) {
    super();
    this.started = started;
  }
  kill(): boolean {
    this.killed = true;
    this.emit('exit', 0);
    return true;
  }
}

export interface NotificationOptions {
  readonly title: string;
  readonly body: string;
  readonly silent: boolean;
  readonly actions: readonly { readonly type: string; readonly text: string }[];
}

export class FakeNotification extends EventEmitter {
  static readonly all: FakeNotification[] = [];
  static supported = true;
  static isSupported(): boolean {
    return FakeNotification.supported;
  }
  readonly options: NotificationOptions;
  shown = false;
  closed = false;
  constructor(options: NotificationOptions) {
    super();
    this.options = options;
    FakeNotification.all.push(this);
  }
  show(): void {
    this.shown = true;
  }
  close(): void {
    this.closed = true;
  }
  /** Presses the button with this label. */
  press(label: string): void {
    const actionIndex = this.options.actions.findIndex(({ text }) => text === label);
    if (actionIndex < 0) throw new Error(`There is no button "${label}".`);
    this.emit('action', { actionIndex, selectionIndex: -1 }, actionIndex, -1);
  }
}

/** Finds an item of a menu by its label, in submenus too. */
export function menuItem(
  menu: readonly MenuItemConstructorOptions[],
  label: string,
): MenuItemConstructorOptions {
  const found = findItem(menu, label);
  if (found === null) throw new Error(`The menu has no item "${label}".`);
  return found;
}

function findItem(
  menu: readonly MenuItemConstructorOptions[],
  label: string,
): MenuItemConstructorOptions | null {
  for (const item of menu) {
    if (item.label === label) return item;
    const inside = Array.isArray(item.submenu) ? findItem(item.submenu, label) : null;
    if (inside !== null) return inside;
  }
  return null;
}

/** Clicks an item as Electron does. */
export function click(menu: readonly MenuItemConstructorOptions[], label: string): void {
  const item = menuItem(menu, label);
  (item.click as () => void)();
}
