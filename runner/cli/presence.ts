import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline/promises';
import type { ReadStream } from 'node:tty';
import { listProcesses, readBootId } from '../../shared/home/index.ts';
import type { Home } from '../../shared/home/index.ts';
import {
  commandProcesses,
  hasPassphrase,
  setPassphrase,
  shortestPassphrase,
} from '../../shared/operations/index.ts';
import { CliError } from './failure.ts';
import { say } from './io.ts';
import type { Io } from './io.ts';

/** Throws unless a terminal is on both ends: only a person answers asks, never a script. */
export function requirePerson(io: Io): void {
  if (io.stdin.isTTY === true && io.stdout.isTTY === true) return;
  throw new CliError(
    'Only a person at a terminal can do this, and this is not a terminal.',
    'Run the command in a terminal of your own, without pipes and redirections.',
  );
}

/** Asks for one of these words and tells whether it came. Anything else, end of input included, is no. */
export async function confirm(
  io: Io,
  question: string,
  words: readonly string[],
  signal?: AbortSignal,
): Promise<boolean> {
  return words.includes((await readAnswer(io, question, signal)).toLowerCase());
}

/** Asks for a line, less the space around it; empty where the input ends before, or the signal comes. */
export async function readAnswer(io: Io, question: string, signal?: AbortSignal): Promise<string> {
  // Not readline's own line editor: the terminal's keeps Ctrl-C what it is.
  const lines = createInterface({ input: io.stdin, output: io.stdout, terminal: false });
  const given = new AbortController();
  const giveUp = (): void => given.abort();
  lines.once('close', giveUp);
  signal?.addEventListener('abort', giveUp);
  try {
    return (await lines.question(question, { signal: given.signal })).trim();
  } catch {
    return '';
  } finally {
    signal?.removeEventListener('abort', giveUp);
    lines.close();
  }
}

/** Tells a person why nothing seems to happen. */
export function sayWait(io: Io): (ms: number) => void {
  return (ms) =>
    say(io.stdout, `There were wrong passphrases; this one waits ${String(ms / 1_000)} s.`);
}

const longest = 1_024;

/**
 * Asks for a line at the terminal without showing it. Backspace, Ctrl-U and Enter mean what they
 * always mean; Ctrl-C and Ctrl-D give up, which throws a `CliError`. What is typed beyond `most`
 * characters is left out.
 */
export async function readHidden(
  io: Io,
  question: string,
  most: number = longest,
): Promise<string> {
  const input = io.stdin as Io['stdin'] & Partial<Pick<ReadStream, 'setRawMode'>>;
  io.stdout.write(question);
  input.setRawMode?.(true);
  const decoder = new TextDecoder();
  try {
    return await new Promise<string>((resolve, reject) => {
      let typed: string[] = [];
      const settle = (end: () => void): void => {
        input.off('data', take);
        input.off('end', gaveUp);
        input.pause();
        end();
      };
      const gaveUp = (): void => settle(() => reject(cancelled()));
      const take = (chunk: Buffer | string): void => {
        const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
        const keys = Array.from(text);
        for (const [at, key] of keys.entries()) {
          if (key === '\r' || key === '\n') {
            const rest = keys.slice(at + 1).join('');
            settle(() => resolve(typed.join('')));
            if (rest !== '') input.unshift(Buffer.from(rest));
            return;
          }
          if (key === '\u0003' || key === '\u0004') return gaveUp();
          if (key === '\u007f' || key === '\b') typed = typed.slice(0, -1);
          else if (key === '\u0015') typed = [];
          else if (key >= ' ' && typed.length < most) typed.push(key);
        }
      };
      input.on('data', take);
      input.once('end', gaveUp);
      input.resume();
    });
  } finally {
    input.setRawMode?.(false);
    io.stdout.write('\n');
  }
}

function cancelled(): CliError {
  return new CliError('Nothing was changed.', 'Run it again when you are ready.');
}

/** Has a person type a new passphrase twice, and sets it. Throws when they differ or it is short. */
export async function choosePassphrase(
  io: Io,
  file: { readonly path: string; readonly uid: number },
): Promise<void> {
  say(io.stdout, 'The passphrase is what unlocks Interlock after a lockout. It is kept nowhere.');
  const wanted = `New passphrase (at least ${String(shortestPassphrase)} characters): `;
  const first = await readHidden(io, wanted);
  const second = await readHidden(io, 'The same once more: ');
  if (first !== second)
    throw new CliError('The two were not the same; nothing was set.', 'Run it again.');
  await setPassphrase(first, { ...file, random: randomBytes });
}

/** Lets a person at a terminal set the passphrase now; an empty line leaves it for later. */
export async function offerPassphrase(io: Io, home: Home): Promise<void> {
  if (io.stdin.isTTY !== true || io.stdout.isTTY !== true) return;
  const file = { path: home.passphrase, uid: home.uid };
  if (hasPassphrase(file)) return;
  say(io.stdout, 'A passphrase unlocks Interlock after a lockout.');
  const first = await readHidden(io, 'New passphrase (Enter to set it later): ');
  if (first === '') {
    say(io.stdout, 'Set it later with "interlock passphrase".');
    return;
  }
  if ((await readHidden(io, 'The same once more: ')) !== first) {
    say(io.stdout, 'The two were not the same; set it later with "interlock passphrase".');
    return;
  }
  await setPassphrase(first, { ...file, random: randomBytes });
  say(io.stdout, 'The passphrase is set.');
}

/** Throws unless a terminal is on both ends and this is not a command that an agent had run. */
export function requirePersonHere(io: Io, home: Home): void {
  requirePerson(io);
  requireNoAgentsCommand(home);
}

/**
 * Throws when this is a command that an agent had run: an agent can make a terminal, but not shed
 * where it comes from without leaving its session and environment.
 */
export function requireNoAgentsCommand(home: Home): void {
  const processes = listProcesses();
  const own = chain(process.pid, new Map(processes.map(({ pid, parent }) => [pid, parent])));
  const { pick } = commandProcesses(home, home.uid, () => processes);
  const bootId = readBootId();
  // Nothing is to be spared here: our own ancestors are what we look for.
  const commands = pick({ processes, bootId, spare: -1 });
  if (!commands.some(({ pid }) => own.has(pid))) return;
  throw new CliError(
    'This is a command that an agent had run, and only a person can do this.',
    'Open a terminal of your own and run it there.',
  );
}

function chain(pid: number, parents: ReadonlyMap<number, number>): ReadonlySet<number> {
  const seen = new Set<number>();
  for (let here: number | undefined = pid; here !== undefined && !seen.has(here);) {
    seen.add(here);
    here = parents.get(here);
  }
  return seen;
}
