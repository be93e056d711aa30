import { resolve } from 'node:path';
import type { AskMode, Security } from '../../shared/engine/index.ts';
import { maxStdinBytes } from '../../shared/wire/index.ts';
import type { ExecRequest } from '../../shared/wire/index.ts';
import { CliError } from './failure.ts';
import type { Input, Io } from './io.ts';
import { parseDuration } from './options.ts';
import { claimsFrom } from './trust-claims.ts';
import type { ClaimOptions } from './trust-claims.ts';

/** The flags of `interlock run` as commander hands them over. */
export interface RunOptions extends ClaimOptions {
  readonly command?: string;
  readonly ticket?: string;
  readonly tellFolder?: boolean;
  readonly agent?: string;
  readonly key?: string;
  readonly session?: string;
  readonly host?: string;
  readonly node?: string;
  readonly security?: Security;
  readonly ask?: AskMode;
  readonly cwd?: string;
  readonly timeout?: string;
  readonly reason?: string;
  readonly stdin?: boolean;
  readonly env?: readonly string[];
  readonly passEnv?: readonly string[];
  readonly json?: boolean;
  readonly verbose?: boolean;
}

/** The request that flags and words stand for; reads standard input when `--stdin` was given. */
export async function requestOf(
  words: readonly string[],
  options: RunOptions,
  io: Io,
): Promise<ExecRequest> {
  const { command, agent, session, host, node, security, ask, timeout, reason } = options;
  const env = variablesOf(options, io.env);
  return {
    ...commandOf(words, command),
    cwd: resolve(folderOf(io), options.cwd ?? '.'),
    ...(env !== undefined && { env }),
    ...(agent !== undefined && { agent }),
    ...(session !== undefined && { session }),
    ...(host !== undefined && { host }),
    ...(node !== undefined && { node }),
    ...(security !== undefined && { security }),
    ...(ask !== undefined && { ask }),
    ...claimsFrom(options, io.env),
    ...(timeout !== undefined && { timeoutMs: parseDuration(timeout) }),
    ...(reason !== undefined && { statedReason: reason }),
    ...(options.stdin === true && { stdin: await readStdin(io.stdin) }),
  };
}

/** Exactly one of `argv` and `command`, or an error that says so. */
export function commandOf(
  words: readonly string[],
  command: string | undefined,
): { readonly argv: readonly string[] } | { readonly command: string } {
  if (command !== undefined && words.length > 0)
    throw new CliError(
      'Both -c and separate words were given.',
      "Use either -c 'shell text' or -- program arguments.",
    );
  // Node hands over what is no UTF-8 with this character in its place: another file may have that name.
  if ([command ?? '', ...words].some((word) => word.includes('\uFFFD')))
    throw new CliError(
      'A word of the command is not valid UTF-8, or holds the character that stands for what is not.',
      "Name the file by a pattern that fits it, as in: -c 'rm ./name*'.",
    );
  if (command !== undefined) return { command };
  if (words.length === 0)
    throw new CliError(
      'There is no command to look at.',
      "Write it after --, as in: interlock run -- git status, or as shell text: -c 'ls | head -3'.",
    );
  return { argv: words };
}

/** The folder that the person stands in, or a sentence when it was removed under them. */
export function folderOf(io: Pick<Io, 'cwd'>): string {
  try {
    return io.cwd();
  } catch (error) {
    throw new CliError('The folder you are in is gone.', 'Change to another one, or give --cwd.', {
      cause: error,
    });
  }
}

function variablesOf(
  options: Pick<RunOptions, 'env' | 'passEnv'>,
  own: Io['env'],
): Record<string, string> | undefined {
  const variables: Record<string, string> = {};
  for (const name of options.passEnv ?? []) {
    const value = own[name];
    if (value === undefined)
      throw new CliError(
        `There is no variable ${name} to pass on.`,
        `Set it, or give it a value: --env ${name}=VALUE.`,
      );
    variables[name] = value;
  }
  for (const pair of options.env ?? []) {
    const cut = pair.indexOf('=');
    if (cut < 1)
      throw new CliError(
        '--env takes NAME=VALUE.',
        'To pass your own value on, use --pass-env NAME.',
      );
    variables[pair.slice(0, cut)] = pair.slice(cut + 1);
  }
  return Object.keys(variables).length === 0 ? undefined : variables;
}

async function readStdin(stdin: Input): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of stdin) {
    const bytes = Buffer.from(part as Uint8Array | string);
    size += bytes.length;
    if (size > maxStdinBytes)
      throw new CliError(
        'Standard input is larger than 10 MiB.',
        'Write it to a file and let the command read that.',
      );
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString('base64');
}
