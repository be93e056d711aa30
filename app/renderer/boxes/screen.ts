import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import type { ITheme } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import { makeHarmless } from './harmless.ts';
import { letSpansHaveStyles, withSheets } from './terminal-styles.ts';

/** Sixteen colours on a light ground and on a dark one; contrast is seen to by the terminal. */
const colours = {
  light: {
    black: '#1b1d1f',
    red: '#a81d1c',
    green: '#2f6b1f',
    yellow: '#7a5200',
    blue: '#1f4fa3',
    magenta: '#7d2f86',
    cyan: '#0a5f6b',
    white: '#63666a',
    brightBlack: '#63666a',
    brightRed: '#c02a27',
    brightGreen: '#3a7d28',
    brightYellow: '#8f6200',
    brightBlue: '#2b63c4',
    brightMagenta: '#97409f',
    brightCyan: '#0f6f7c',
    brightWhite: '#1b1d1f',
  },
  dark: {
    black: '#2d3237',
    red: '#ff9b92',
    green: '#9bd08a',
    yellow: '#e6bf70',
    blue: '#8fb6f2',
    magenta: '#d8a3df',
    cyan: '#72c9d3',
    white: '#eceae5',
    brightBlack: '#9a9da0',
    brightRed: '#ffb4ad',
    brightGreen: '#b4e0a6',
    brightYellow: '#f2d496',
    brightBlue: '#b0cdf8',
    brightMagenta: '#e6c0eb',
    brightCyan: '#98dbe3',
    brightWhite: '#ffffff',
  },
} as const;

/** What is parsed before anything else in the page has its turn, in bytes. */
const mostParsed = 4_096;

/** A terminal in an element of the page. */
export interface Screen {
  readonly size: () => { readonly columns: number; readonly rows: number };
  readonly write: (bytes: Uint8Array) => Promise<void>;
  /** Takes nothing that is typed while it is closed. */
  readonly open: (isOpen: boolean) => void;
  readonly clear: () => void;
  readonly focus: () => void;
  /** Takes up the colours that the element has by now. */
  readonly recolour: () => void;
  readonly dispose: () => void;
}

interface ScreenOptions {
  readonly label: string;
  readonly onType: (text: string) => void;
  readonly onSize: () => void;
  /** The person wants to go on elsewhere in the page. */
  readonly onLeave: () => void;
}

/** Draws a terminal into an element, with its colours and its font, as large as it is. */
export function openScreen(element: HTMLElement, options: ScreenOptions): Screen {
  letSpansHaveStyles();
  const { fontFamily, fontSize } = getComputedStyle(element);
  const terminal = new Terminal({
    fontFamily,
    fontSize: Number.parseFloat(fontSize),
    theme: themeOf(element),
    minimumContrastRatio: 4.5,
    // tmux keeps what is scrolled back to.
    scrollback: 0,
    macOptionClickForcesSelection: true,
    disableStdin: true,
    logLevel: 'off',
  });
  makeHarmless(terminal.parser);
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  withSheets(() => terminal.open(element));
  terminal.textarea?.setAttribute('aria-label', options.label);
  terminal.attachCustomKeyEventHandler((event) => keyOf(event, terminal, options.onLeave));
  const typed = terminal.onData(options.onType);
  const sized = terminal.onResize(options.onSize);
  fit.fit();
  const resized = new ResizeObserver(() => fit.fit());
  resized.observe(element);
  return {
    size: () => ({ columns: terminal.cols, rows: Math.max(2, terminal.rows) }),
    write: async (bytes) => {
      for (let from = 0; from < bytes.length; from += mostParsed)
        await new Promise<void>((resolve) =>
          terminal.write(bytes.subarray(from, from + mostParsed), resolve),
        );
    },
    open: (isOpen) => {
      terminal.options.disableStdin = !isOpen;
    },
    clear: () => terminal.reset(),
    focus: () => terminal.focus(),
    recolour: () => {
      terminal.options.theme = themeOf(element);
    },
    dispose: () => {
      resized.disconnect();
      typed.dispose();
      sized.dispose();
      terminal.dispose();
    },
  };
}

/** Keys that are for the page; all others are typed. */
function keyOf(event: KeyboardEvent, terminal: Terminal, leave: () => void): boolean {
  const isCopy = event.code === 'KeyC' && event.ctrlKey && event.shiftKey;
  const isLeave = event.key === 'F6' && event.shiftKey;
  if (!isCopy && !isLeave) return true;
  event.preventDefault();
  if (event.type !== 'keydown') return false;
  if (isLeave) leave();
  else if (terminal.hasSelection()) document.execCommand('copy');
  return false;
}

function themeOf(element: HTMLElement): ITheme {
  const { color, backgroundColor } = getComputedStyle(element);
  const isDark = lightness(backgroundColor) < 128;
  return {
    ...colours[isDark ? 'dark' : 'light'],
    foreground: color,
    background: backgroundColor,
    cursor: color,
    cursorAccent: backgroundColor,
    selectionBackground: isDark ? '#3d5a60' : '#b9d9dd',
  };
}

/** From 0 to 255, of a colour as the browser writes it. */
function lightness(colour: string): number {
  const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/gu) ?? []).map(Number);
  return red * 0.3 + green * 0.59 + blue * 0.11;
}
