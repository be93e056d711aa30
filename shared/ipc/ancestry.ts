import { execFile } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { displayPlain } from '../base/index.ts';
import type { AncestorProcess } from '../engine/index.ts';
import { parseStat } from '../home/index.ts';

/** One process as the system lists it. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  /** Words joined by spaces; empty where it cannot be read. */
  readonly command: string;
}

/** Looks up one process; null when it is gone or may not be read. */
export type ProcessLookup = (pid: number) => Promise<ProcessRow | null>;

/** Longest command line that is read, in bytes. */
const longestCommand = 4_096;
const run = promisify(execFile);

/** The processes of this machine. */
async function processLookup(platform = process.platform): Promise<ProcessLookup> {
  if (platform === 'linux') return linuxLookup('/proc');
  if (platform === 'darwin') return psLookup(await psText());
  return () => Promise.resolve(null);
}

/** `proc`: where procfs is mounted. */
export function linuxLookup(proc: string): ProcessLookup {
  return async (pid) => {
    try {
      const stat = parseStat(await readFile(`${proc}/${String(pid)}/stat`, 'utf8'));
      if (stat === null) return null;
      const command = await head(`${proc}/${String(pid)}/cmdline`);
      return { pid, parent: stat.parent, name: stat.name, command };
    } catch {
      return null;
    }
  };
}

async function head(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    const buffer = Buffer.alloc(longestCommand);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    return buffer.subarray(0, bytesRead).toString('utf8').replaceAll('\0', ' ').trim();
  } finally {
    await file.close();
  }
}

/** Two listings: a program's path may hold spaces, so each has one free column, at its end. */
async function psText(): Promise<{ readonly names: string; readonly commands: string }> {
  const options = { env: { LC_ALL: 'C' }, timeout: 2_000, maxBuffer: 16 * 1024 * 1024 };
  try {
    const [names, commands] = await Promise.all([
      run('/bin/ps', ['-axwwo', 'pid=,ppid=,comm='], options),
      run('/bin/ps', ['-axwwo', 'pid=,command='], options),
    ]);
    return { names: names.stdout, commands: commands.stdout };
  } catch {
    return { names: '', commands: '' };
  }
}

/** From two listings of `ps`: `pid ppid comm` and `pid command`. */
export function psLookup(text: {
  readonly names: string;
  readonly commands: string;
}): ProcessLookup {
  const commands = new Map<number, string>();
  for (const line of text.commands.split('\n')) {
    const [, pid, command] = /^\s*(\d+)\s+(.*)$/.exec(line) ?? [];
    if (pid !== undefined && command !== undefined) commands.set(Number(pid), command);
  }
  const rows = new Map<number, ProcessRow>();
  for (const line of text.names.split('\n')) {
    const [, pid, parent, path] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    if (pid === undefined || parent === undefined || path === undefined) continue;
    rows.set(Number(pid), {
      pid: Number(pid),
      parent: Number(parent),
      name: path.slice(path.lastIndexOf('/') + 1).trim(),
      command: (commands.get(Number(pid)) ?? '').slice(0, longestCommand),
    });
  }
  return (pid) => Promise.resolve(rows.get(pid) ?? null);
}

/** Nobody reads further, and a process could make a chain of any length. */
const longestChain = 16;
const longestName = 64;
const longestShownCommand = 200;

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
    command: oneLine(row.command, longestShownCommand),
  };
}

/** Cut first, so that a mark that stands for a character is never cut in two. */
function oneLine(text: string, longest: number): string {
  const flat = displayPlain(text.replaceAll(/[\r\n\t]+/g, ' ').slice(0, longest * 2));
  return flat.length <= longest ? flat : `${flat.slice(0, longest - 1)}…`;
}
