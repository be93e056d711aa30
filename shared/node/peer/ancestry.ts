import type { AncestorProcess } from '../../ask/types.ts';
import { displayPlain } from '../../display/display.ts';
import type { ProcessLookup, ProcessRow } from './process-table.ts';
import { processLookup } from './process-table.ts';

/** Nobody reads further, and a process could make a chain of any length. */
const longestChain = 16;
const longestName = 64;
const longestCommand = 200;

/** Terminals, editors and servers of sessions: what started one of these says nothing more. */
const ends = new Set([
  'Alacritty',
  'Cursor',
  'Electron',
  'Ghostty',
  'Hyper',
  'Terminal',
  'Warp',
  'alacritty',
  'code',
  'cursor',
  'foot',
  'ghostty',
  'gnome-terminal-',
  'gnome-terminal-server',
  'iTerm2',
  'kitty',
  'konsole',
  'login',
  'ptyxis',
  'screen',
  'sshd',
  'sshd-session',
  'terminator',
  'tilix',
  'tmux: server',
  'wezterm-gui',
  'xfce4-terminal',
  'xterm',
  'zed-editor',
]);

/**
 * The chain of processes from `pid` (first) up to the terminal or app that started it. At most 16;
 * shorter when a process is gone or may not be read. Every text is display-safe. It is a picture of
 * this moment, for showing: a pid may be someone else's by the time it is read.
 */
export async function ancestryOf(
  pid: number,
  lookup?: ProcessLookup,
): Promise<readonly AncestorProcess[]> {
  const find = lookup ?? (await processLookup());
  const chain: AncestorProcess[] = [];
  const seen = new Set<number>();
  let next = pid;
  while (next > 0 && chain.length < longestChain && !seen.has(next)) {
    // Init starts everything; it says something only where it is itself who asks.
    if (next === 1 && chain.length > 0) break;
    seen.add(next);
    const row = await find(next);
    if (row === null) break;
    chain.push(shown(row));
    if (ends.has(row.name)) break;
    next = row.parent;
  }
  return chain;
}

function shown(row: ProcessRow): AncestorProcess {
  return {
    pid: row.pid,
    name: oneLine(row.name, longestName),
    command: oneLine(row.command, longestCommand),
  };
}

/** Cut first, so that a mark that stands for a character is never cut in two. */
function oneLine(text: string, longest: number): string {
  const flat = displayPlain(text.replaceAll(/[\r\n\t]+/g, ' ').slice(0, longest * 2));
  return flat.length <= longest ? flat : `${flat.slice(0, longest - 1)}…`;
}
