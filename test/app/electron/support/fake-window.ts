import { EventEmitter } from 'node:events';

let lastId = 0;

/** Web contents that record what is done to them. */
export class FakeContents extends EventEmitter {
  readonly id = (lastId += 1);
  url = '';
  readonly sent: [string, unknown][] = [];
  windowOpen: ((details: object) => { action: string }) | null = null;
  readonly mainFrame = { routingId: 1, processId: 7 };
  getURL(): string {
    return this.url;
  }
  setWindowOpenHandler(handler: (details: object) => { action: string }): void {
    this.windowOpen = handler;
  }
  send(channel: string, value: unknown): void {
    this.sent.push([channel, value]);
  }
}

/** A window that records what is done to it; it loads nothing. */
export class FakeWindow extends EventEmitter {
  static readonly all: FakeWindow[] = [];
  readonly webContents = new FakeContents();
  readonly urls: string[] = [];
  readonly calls: string[] = [];
  title = '';
  bounds: object = {};
  visible = false;
  focused = false;
  destroyed = false;
  readonly options: Record<string, unknown> & { readonly webPreferences: Record<string, unknown> };
  constructor(options: never) {
    super();
    this.options = options;
    FakeWindow.all.push(this);
  }
  async loadURL(url: string): Promise<void> {
    this.urls.push(url);
    this.webContents.url = url;
  }
  show(): void {
    this.calls.push('show');
    this.visible = true;
    this.focused = true;
  }
  showInactive(): void {
    this.calls.push('showInactive');
    this.visible = true;
  }
  focus(): void {
    this.calls.push('focus');
    this.focused = true;
  }
  hide(): void {
    this.calls.push('hide');
    this.visible = false;
    this.focused = false;
  }
  destroy(): void {
    this.destroyed = true;
    this.emit('closed');
  }
  restore(): void {
    this.calls.push('restore');
  }
  isVisible(): boolean {
    return this.visible;
  }
  isFocused(): boolean {
    return this.focused;
  }
  isMinimized(): boolean {
    return false;
  }
  setTitle(title: string): void {
    this.title = title;
  }
  setBounds(bounds: object): void {
    this.bounds = bounds;
  }
  setAlwaysOnTop(...args: unknown[]): void {
    this.calls.push(`setAlwaysOnTop ${args.join(' ')}`);
  }
  setVisibleOnAllWorkspaces(on: boolean): void {
    this.calls.push(`setVisibleOnAllWorkspaces ${on}`);
  }
}
