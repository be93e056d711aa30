import type { BoxAgent } from '../../shared/engine/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import type { Entry } from '../hosts/sandbox/message.ts';
import { commandOf } from './agent-keys.ts';
import type { BoxExec } from './runtime.ts';

/** tmux in a box: one server, one session, a window for each agent and one for a shell. */

const mostMs = 5_000;
const mostBytes = 64 * 1024;

/**
 * What a short command in a box says. Whoever is in the box may have stopped tmux, or be it: what
 * takes too long or says too much is ended, and counts as failed.
 */
export async function heard(
  done: BoxExec,
  clock: Clock,
): Promise<{ readonly code: number; readonly text: string }> {
  const texts: Buffer[] = [];
  let bytes = 0;
  let isEnded = false;
  let stop = (): void => undefined;
  const stopped = new Promise<null>((resolve) => {
    stop = () => {
      isEnded = true;
      done.signal('SIGKILL');
      resolve(null);
    };
  });
  const cancel = clock.after(mostMs, stop);
  for (const stream of [done.stdout, done.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= mostBytes) texts.push(chunk);
      else if (!isEnded) stop();
    });
    stream?.on('error', () => {});
  }
  const finished = async (): Promise<{ readonly code: number; readonly text: string }> => {
    const begun = await done.report.begun;
    const ended = await done.report.ended;
    await done.report.closed;
    const text = Buffer.concat(texts).toString('utf8');
    return begun.ok
      ? { code: ended?.exitCode ?? 1, text }
      : { code: 1, text: `${begun.step}: ${begun.error}` };
  };
  const result = await Promise.race([finished(), stopped]);
  cancel();
  done.close();
  return result === null || isEnded
    ? { code: 1, text: 'it took too long or said too much' }
    : result;
}

/** Where tmux is looked for in a box; the folder is the system's, read-only. */
export const tmuxProgram = '/usr/bin/tmux';
const configPath = '/etc/interlock-tmux.conf';
const session = 'box';

/** So many lines of each window can be scrolled back to. */
export const scrollback = 50_000;

const config = `set -g history-limit ${String(scrollback)}
set -g prefix C-b
set -g mouse on
set -g default-terminal "tmux-256color"
set -g escape-time 25
set -g destroy-unattached off
set -g exit-empty off
set -g set-clipboard off
set -g allow-passthrough off
set -g status-left "[#{host}] "
`;

/** The settings, as a file of the box's root. */
export const tmuxEntries: readonly Entry[] = [
  { kind: 'file', target: configPath, content: config },
];

/** A server of its own by name, and our settings in the place of anybody's. */
const server = ['tmux', '-L', 'interlock', '-f', configPath, '-u'] as const;

/** Begins the session with its windows: agents, then a shell. */
export function openSession(agents: readonly BoxAgent[], cwd: string): readonly string[] {
  const windows = [
    ...agents.map((agent) => ({ name: agent.name, command: commandOf(agent) })),
    { name: 'shell', command: [] },
  ];
  const [first, ...others] = windows.map(({ name, command }) => [
    '-n',
    name,
    '-c',
    folder(cwd),
    ...after(command),
  ]);
  const kept = agents.flatMap(({ name }) => [
    ';',
    'set-option',
    '-w',
    '-t',
    `${session}:${name}`,
    'remain-on-exit',
    'on',
  ]);
  return [
    ...server,
    'new-session',
    '-d',
    '-s',
    session,
    ...(first ?? []),
    ...others.flatMap((words) => [';', 'new-window', '-d', '-t', session, ...words]),
    ...kept,
  ];
}

/** Words of a program for tmux: it takes several as they are, and a last semicolon as its own. */
function after(command: readonly string[]): readonly string[] {
  if (command.length === 0) return [];
  // One word would be read by a shell; with `env` before it there are two.
  return ['--', '/usr/bin/env', '--', ...command].map(word);
}

/** A word as it is: tmux takes a last semicolon as its own. */
function word(text: string): string {
  return text.replace(/;$/, '\\;');
}

/** A folder to begin in: tmux reads a form in it, which may name variables and run programs. */
function folder(path: string): string {
  return word(path.replaceAll('#', '##'));
}

export const attachSession: readonly string[] = [...server, 'attach-session', '-t', session];

/** A new window with a shell, then the session. */
export function attachToShell(cwd: string): readonly string[] {
  return [
    ...server,
    'new-window',
    '-t',
    session,
    '-n',
    'shell',
    '-c',
    folder(cwd),
    ';',
    'attach-session',
    '-t',
    session,
  ];
}

/** Its windows, a line each: index, name, whether its program ended, clients that are attached. */
export const listWindows: readonly string[] = [
  ...server,
  'list-windows',
  '-t',
  session,
  '-F',
  '#{window_index} #{pane_dead} #{session_attached} #{window_name}',
];

export interface BoxWindow {
  readonly index: number;
  readonly name: string;
  /** Its program has ended, and what it wrote is still shown. */
  readonly hasEnded: boolean;
}

/** Reads what `listWindows` says; a line of another form is left out. */
export function readWindows(text: string): {
  readonly windows: readonly BoxWindow[];
  readonly attached: number;
} {
  const rows = [...text.matchAll(/^(\d{1,6}) ([01]) (\d{1,6}) (.{0,200})$/gmu)];
  return {
    windows: rows.map(([, index = '', dead, , name = '']) => ({
      index: Number(index),
      name,
      hasEnded: dead === '1',
    })),
    attached: Number(rows[0]?.[3] ?? 0),
  };
}

/** What a window shows and showed, as plain text. */
export function captureWindow(window: string, lines: number): readonly string[] {
  return [
    ...server,
    'capture-pane',
    '-p',
    '-J',
    '-t',
    `${session}:${window}`,
    '-S',
    `-${String(lines)}`,
  ];
}

/**
 * Has all that a window writes from now on come out of the program that this is, after what it shows
 * by now. A pipe of its own between the two, because tmux lends no descriptor.
 */
export function pipeWindow(index: number): readonly string[] {
  const tmux = [tmuxProgram, ...server.slice(1)].join(' ');
  const script = `umask 077
folder=$(mktemp -d /tmp/.log-XXXXXXXX) && mkfifo "$folder/pipe" || exit 1
printf '%s\\n' "$(${tmux} capture-pane -p -S - -t "$1")"
${tmux} pipe-pane -O -t "$1" "exec cat >$folder/pipe" || { rm -r "$folder"; exit 0; }
${tmux} wait-for -S "$2"
exec 3<"$folder/pipe"
rm -r "$folder"
exec cat <&3`;
  return ['/bin/sh', '-c', script, 'sh', `${session}:${String(index)}`, pipedName(index)];
}

/** Ends once `pipeWindow` has all of a window: what it writes from then on comes out. */
export function windowPiped(index: number): readonly string[] {
  return [tmuxProgram, ...server.slice(1), 'wait-for', pipedName(index)];
}

const pipedName = (index: number): string => `interlock-piped-${String(index)}`;
