import { spawn } from 'node:child_process';
import { Duplex } from 'node:stream';
import { displayPlain, messageOf, refuse } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import { programOnPath } from '../../shared/home/index.ts';
import { keepTrying } from '../limits/keep-trying.ts';
import { openStreamDoor } from './listener.ts';
import type { StreamDoorOptions } from './listener.ts';

/** Nodes that the gateway comes to, by the system's `ssh`: its keys, its known hosts, its settings. */

/** Seconds for a connection to come about, and between the signs of life of SSH's own. */
const seconds = '15';
/** What ssh may ask, do or pass on besides: nothing. What is said in the person's own file holds. */
const sshOptions = [
  'BatchMode=yes',
  'ClearAllForwardings=yes',
  'ForwardAgent=no',
  'ForwardX11=no',
  'ControlPath=none',
  'EscapeChar=none',
  'PermitLocalCommand=no',
  'RequestTTY=no',
  `ConnectTimeout=${seconds}`,
  `ServerAliveInterval=${seconds}`,
  'ServerAliveCountMax=3',
  'LogLevel=ERROR',
];
/** What ssh has to know of this process; nothing of Interlock's own, and no secret. */
const passed = ['HOME', 'USER', 'LOGNAME', 'PATH', 'SSH_AUTH_SOCK', 'LANG', 'LC_ALL'];
/** A connection that has stood for so long went well. */
const wellMs = 60_000;
const killAfterMs = 2_000;
const longestWhy = 300;

/** The arguments of `ssh`. Throws `invalid-request` for what ssh could take for an option. */
export function sshArguments(destination: string): readonly string[] {
  const host = destination.slice(destination.lastIndexOf('@') + 1);
  if (destination.startsWith('-') || host === '' || host.startsWith('-'))
    throw refuse(
      'invalid-request',
      `"${displayPlain(destination)}" is not a machine that ssh could connect to.`,
      'Write it as HOST or USER@HOST.',
    );
  return [
    ...sshOptions.flatMap((each) => ['-o', each]),
    '--',
    destination,
    'interlock',
    'node',
    'stdio',
  ];
}

interface SshOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** From 0 up to 1: spreads the attempts. */
  readonly random: () => number;
}

export interface NodeCallsOptions extends SshOptions, StreamDoorOptions {
  readonly destinations: readonly string[];
  /** Why there is no connection to a node, one line; null where there is one, or none is wanted. */
  readonly onProblem: (destination: string, why: string | null) => void;
}

/** Keeps a connection to each of these nodes until it is disposed of, with growing waits between. */
export function callNodes(options: NodeCallsOptions): { readonly dispose: () => Promise<void> } {
  const { destinations, onProblem } = options;
  const door = openStreamDoor(options);
  const stop = new AbortController();
  const calls = destinations.map(async (destination) => {
    await callOverSsh({
      ...options,
      destination,
      signal: stop.signal,
      onStream: (stream) => door.take(stream, destination),
      onProblem: (why) => onProblem(destination, why),
    });
    onProblem(destination, null);
  });
  return {
    dispose: async () => {
      stop.abort();
      door.dispose();
      await Promise.all(calls);
    },
  };
}

interface CallOptions extends SshOptions {
  readonly destination: string;
  readonly signal: AbortSignal;
  /** A stream to the node is there, before anybody has proven anything. */
  readonly onStream: (stream: Duplex) => void;
  readonly onProblem: (why: string | null) => void;
}

/** Never rejects. */
async function callOverSsh(one: CallOptions): Promise<void> {
  const { clock, random, signal, onProblem } = one;
  await keepTrying({
    clock,
    random,
    signal,
    firstMs: 1_000,
    longestMs: 60_000,
    attempt: async (wentWell) => {
      const cancel = clock.after(wellMs, wentWell);
      try {
        const why = await callOnce(one);
        if (!signal.aborted) onProblem(why);
      } catch (error) {
        onProblem(displayPlain(messageOf(error)));
      } finally {
        cancel();
      }
      return 'again';
    },
  });
}

/** One connection, until it ends. Resolves with why it ended. */
async function callOnce({
  destination,
  env,
  clock,
  signal,
  onStream,
  onProblem,
}: CallOptions): Promise<string> {
  const program = programOnPath('ssh', env['PATH'] ?? '');
  if (program === null) return 'There is no ssh on this machine.';
  const child = spawn(program, sshArguments(destination), {
    stdio: ['pipe', 'pipe', 'pipe'],
    cwd: '/',
    env: Object.fromEntries(passed.flatMap((key) => (env[key] ? [[key, env[key]]] : []))),
  });
  const stream = Duplex.from({ readable: child.stdout, writable: child.stdin });
  // What breaks here shows in the end of the child.
  for (const each of [stream, child.stdin, child.stdout, child.stderr])
    each.on('error', () => undefined);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-longestWhy);
  });
  let isStopped = false;
  let cancelKill = (): void => undefined;
  const stop = (): void => {
    isStopped = true;
    child.kill('SIGTERM');
    cancelKill = clock.after(killAfterMs, () => child.kill('SIGKILL'));
  };
  // The link is over: so is the connection that carried it.
  stream.once('close', stop);
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code) =>
      resolve(said.trim() || (isStopped ? 'The connection ended.' : `ssh ended with ${code}.`)),
    );
  });
  child.stdout.once('readable', () => onProblem(null));
  onStream(stream);
  try {
    return displayPlain((await ended).replaceAll(/\s+/gu, ' '));
  } finally {
    cancelKill();
    signal.removeEventListener('abort', stop);
    stream.destroy();
  }
}
