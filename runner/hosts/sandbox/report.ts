import { constants } from 'node:os';
import type { Readable } from 'node:stream';

/** What a launch came to, as far as the command itself is concerned. */
export interface Ended {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** It looked for a way out of a network that has none: the kernel counted that. */
  readonly unreached?: true;
  /** Processes that it started go on in its box. */
  readonly behind?: true;
  /** Nobody saw it end: who had started it ended first, and it may still run. */
  readonly isLost?: true;
}

/** What the kernel holds a command to, and what of it could not be had here. */
export interface Held {
  readonly held: readonly string[];
  /** Each with the name of the error that said so. */
  readonly missing: readonly string[];
  /** Version of Landlock; 0 where there is none. */
  readonly landlock: number;
}

/** One line for the record. */
export function wordsOfHold({ held, missing, landlock }: Held): string {
  const version = landlock === 0 ? [] : [`Landlock ${landlock}`];
  const without = missing.length === 0 ? '' : `; without ${missing.join(', ')}`;
  return [...version, ...held.filter((name) => name !== 'landlock')].join(', ') + without;
}

/** How a launch began. */
export type Begun =
  /** `held` is null where nothing holds it. */
  | { readonly ok: true; readonly held: Held | null }
  /** A step of the launch failed: nothing of the command ran. */
  | { readonly ok: false; readonly step: string; readonly error: string };

/** The answers of a launcher while it works. All promises settle; none rejects. */
export interface LaunchReport {
  /** The number of the command's process; null where there never was one, or it was not said. */
  readonly pid: Promise<number | null>;
  readonly begun: Promise<Begun>;
  /** Null where the launcher itself was ended before it could say. */
  readonly ended: Promise<Ended | null>;
  /** Why the program could not be run, by the name of the error; null as far as it could. */
  readonly notRun: () => string | null;
  /** Nothing more will be said. */
  readonly closed: Promise<void>;
}

const mostBytes = 64 * 1024;

/** Reads the lines of `launcher/report.h`. What it does not know counts as a failure. */
export function readReport(stream: Readable): LaunchReport {
  const begun = settleable<Begun>();
  const ended = settleable<Ended | null>();
  const pid = settleable<number | null>();
  const closed = settleable<undefined>();
  const held: string[] = [];
  const missing: string[] = [];
  let landlock = 0;
  let notRun: string | null = null;
  let seen: Pick<Ended, 'unreached' | 'behind'> = {};
  const fail = (step: string, error: string): void => {
    begun.resolve({ ok: false, step, error });
  };
  const take = (line: string): void => {
    const [word = '', ...rest] = line.split(' ');
    const last = Number(rest.at(-1));
    if (word === 'held') held.push(rest.join(' '));
    else if (word === 'missing') missing.push(`${rest[0] ?? ''} (${errorName(last)})`);
    else if (word === 'landlock') landlock = last;
    else if (word === 'pid') pid.resolve(last);
    else if (word === 'started' || word === 'kept')
      begun.resolve({ ok: true, held: { held, missing, landlock } });
    else if (word === 'failed') fail(rest[0] ?? 'launch', errorName(last));
    else if (word === 'refused') fail('plan', rest.join(' '));
    else if (word === 'unreached') seen = { ...seen, unreached: true };
    else if (word === 'behind') seen = { ...seen, behind: true };
    else if (word === 'exited') ended.resolve({ exitCode: last, signal: null, ...seen });
    else if (word === 'killed')
      ended.resolve({ exitCode: null, signal: signalName(last), ...seen });
    else if (word === 'exec') notRun = errorName(last);
    else fail('report', 'an unknown line');
  };
  let rest = '';
  stream.setEncoding('latin1');
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(take);
    if (rest.length > mostBytes) stream.destroy();
  });
  stream.on('error', () => {});
  stream.on('close', () => {
    fail('launch', 'it ended without a word');
    ended.resolve(null);
    pid.resolve(null);
    closed.resolve(undefined);
  });
  return {
    begun: begun.promise,
    ended: ended.promise,
    notRun: () => notRun,
    pid: pid.promise,
    closed: closed.promise,
  };
}

function settleable<T>() {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

function errorName(number: number): string {
  const found = Object.entries(constants.errno).find(([, value]) => value === number);
  return found?.[0] ?? `error ${number}`;
}

function signalName(number: number): string {
  const found = Object.entries(constants.signals).find(([, value]) => value === number);
  return found?.[0] ?? `SIG${number}`;
}
