import { ClientError } from './place.ts';

interface Options {
  readonly agent?: string;
  readonly timeoutMs?: number;
  readonly waitMs?: number;
  readonly session?: string;
  readonly reason?: string;
  readonly confirm: boolean;
}

/** What the command line wants. */
export type Wanted =
  | { readonly kind: 'help' | 'version' | 'detect' }
  | { readonly kind: 'status'; readonly agent: string | undefined }
  | { readonly kind: 'pause'; readonly options: Options }
  | {
      readonly kind: 'tool';
      readonly tool: string;
      readonly args: readonly string[];
      readonly stdin: boolean;
      readonly options: Options;
    }
  | {
      readonly kind: 'run';
      readonly what: { readonly argv: readonly string[] } | { readonly command: string };
      readonly stdin: boolean;
      readonly options: Options;
    };

interface Read {
  readonly options: Options & { readonly stdin: boolean; readonly command?: string };
  /** What stands behind the options. */
  readonly rest: readonly string[];
  readonly ended: boolean;
}

const valued = ['--agent', '--timeout', '--wait', '--session', '--reason', '-c'] as const;
type Valued = (typeof valued)[number];

/** Reads the words. Options stand before the tool; all behind it is the tool's. Throws a `ClientError`. */
export function parseClientArgs(words: readonly string[]): Wanted {
  const [first = '--help'] = words;
  if (['-h', '--help', 'help'].includes(first)) return { kind: 'help' };
  if (['-V', '--version'].includes(first)) return { kind: 'version' };
  const before = readOptions(words, false);
  const [word, ...behind] = before.rest;
  if (word === undefined) throw wrong('Say what the host is to do.');
  if (word === 'rpc') return rpcOf(behind, before.options.agent);
  if (word === 'run') return runOf(behind);
  if (word === 'pause') {
    const { options, rest } = readOptions(behind, false);
    if (rest.length > 0) throw wrong(`"${String(rest[0])}" is not understood.`);
    return { kind: 'pause', options: { ...before.options, ...options } };
  }
  const { stdin, ...options } = before.options;
  const wantsInput = stdin || behind.some((arg) => arg === '-' || arg.endsWith('=-'));
  return { kind: 'tool', tool: word, args: behind, stdin: wantsInput, options };
}

function rpcOf([word, ...rest]: readonly string[], agent: string | undefined): Wanted {
  if (rest.length === 0 && word === 'detect') return { kind: 'detect' };
  if (rest.length === 0 && word === 'status') return { kind: 'status', agent };
  throw new ClientError(
    'Of "interlock rpc" a sandbox has "detect" and "status".',
    'The rest is for a person, on the host.',
  );
}

function runOf(words: readonly string[]): Wanted {
  const { options, rest, ended } = readOptions(words, true);
  const { stdin, command, ...others } = options;
  if (command !== undefined) {
    if (rest.length > 0)
      throw wrong('Give shell text with -c, or a program behind "--"; not both.');
    return { kind: 'run', what: { command }, stdin, options: others };
  }
  if (!ended || rest.length === 0) throw wrong('Say the program behind "--".');
  return { kind: 'run', what: { argv: rest }, stdin, options: others };
}

function readOptions(words: readonly string[], withText: boolean): Read {
  const found: Partial<Record<Valued, string>> = {};
  let confirm = false;
  let stdin = false;
  let at = 0;
  let ended = false;
  for (; at < words.length && !ended; at += 1) {
    const word = words[at] ?? '';
    const [name = '', inline] = word.startsWith('--') ? splitOnce(word) : [word];
    if (word === '--') ended = true;
    else if (word === '--confirm') confirm = true;
    else if (word === '--stdin') stdin = true;
    else if (isValued(name) && (name !== '-c' || withText)) {
      const value = inline ?? words[(at += 1)];
      if (value === undefined) throw wrong(`${name} takes a value.`);
      found[name] = value;
    } else if (word.startsWith('-')) throw wrong(`"${word}" is not understood.`);
    else break;
  }
  const { '--timeout': timeout, '--wait': wait } = found;
  return {
    ended,
    rest: words.slice(at),
    options: {
      confirm,
      stdin,
      ...(found['--agent'] !== undefined && { agent: found['--agent'] }),
      ...(found['--session'] !== undefined && { session: found['--session'] }),
      ...(found['--reason'] !== undefined && { reason: found['--reason'] }),
      ...(found['-c'] !== undefined && { command: found['-c'] }),
      ...(timeout !== undefined && { timeoutMs: duration(timeout) }),
      ...(wait !== undefined && { waitMs: duration(wait) }),
    },
  };
}

function isValued(name: string): name is Valued {
  return (valued as readonly string[]).includes(name);
}

function splitOnce(word: string): readonly [string, string | undefined] {
  const at = word.indexOf('=');
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}

function duration(text: string): number {
  const [, number, unit = 's'] = /^(\d{1,6})(ms|s|m|h)?$/u.exec(text) ?? [];
  const ms = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }[unit] ?? NaN;
  if (number === undefined) throw wrong(`"${text}" is not a duration.`);
  return Number(number) * ms;
}

function wrong(sentence: string): ClientError {
  return new ClientError(sentence, 'See: interlock --help');
}
