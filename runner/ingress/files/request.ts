import { realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { compile, refuse } from '../../../shared/base/index.ts';
import type { Config } from '../../../shared/engine/index.ts';
import { readStrictYaml } from '../../../shared/home/index.ts';
import type { SharedFile } from '../../../shared/home/index.ts';
import { descriptorSchema, pauseWord, teardownSchema } from '../../../shared/wire/index.ts';
import type { Descriptor, ExecRequest, Teardown } from '../../../shared/wire/index.ts';
import { brokerHost } from '../../tools/broker.ts';

const checkDescriptor = compile(descriptorSchema);
const checkTeardown = compile(teardownSchema);

/** The id in the name of a file; null for names that mean nothing here. */
export function idOf(name: string): string | null {
  return /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.yaml$/u.exec(name)?.[1] ?? null;
}

/** A file of the shared folder as it is understood, or what is wrong with it. */
type Understood<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

/** Reads a request; its id has to be the one of its name. Never rejects. */
export async function readDescriptor(
  file: SharedFile,
  id: string,
): Promise<Understood<Descriptor>> {
  const read = await readBody(file);
  if (!read.ok) return read;
  const checked = checkDescriptor(read.value);
  if (!checked.ok) return { ok: false, why: checked.error };
  if (checked.value.id !== id) return { ok: false, why: 'Its id is not the one of its name.' };
  const why = objectionTo(checked.value);
  return why === null ? { ok: true, value: checked.value } : { ok: false, why };
}

/** Reads a teardown in the same way. */
export async function readTeardown(file: SharedFile, id: string): Promise<Understood<Teardown>> {
  const read = await readBody(file);
  if (!read.ok) return read;
  const checked = checkTeardown(read.value);
  if (!checked.ok) return { ok: false, why: checked.error };
  if (checked.value.id !== id) return { ok: false, why: 'Its id is not the one of its name.' };
  return { ok: true, value: checked.value };
}

async function readBody(file: SharedFile): Promise<Understood<unknown>> {
  if (file.kind === 'missing') return { ok: false, why: 'It is gone.' };
  if (file.kind === 'unsafe') return { ok: false, why: `The file ${file.why}.` };
  const read = await readStrictYaml(file.text);
  return read.ok ? read : { ok: false, why: read.problem };
}

const mostNonce = 2n ** 64n - 1n;

function objectionTo({ nonce, subcommand, tool, args, argv, command, ...rest }: Descriptor) {
  if (BigInt(nonce) > mostNonce) return 'Its nonce is larger than 64 bits.';
  const ways = [subcommand, tool, argv, command].filter((way) => way !== undefined);
  if (ways.length !== 1) return 'It takes one of "subcommand", "tool", "argv" and "command".';
  if (args !== undefined && subcommand === undefined && tool === undefined)
    return '"args" goes with "subcommand" or "tool".';
  if (Number.isNaN(Date.parse(rest.created_at))) return 'Its created_at is no time.';
  const { env, cwd, stdin, timeout_sec: timeout, requires_confirm: confirm } = rest;
  const more = [args, env, cwd, stdin, timeout, confirm].some((field) => field !== undefined);
  return subcommand === pauseWord && more ? 'A pause takes a "reason" and nothing else.' : null;
}

/** Whether it asks for a pause, and for nothing to be run. */
export function isPause({ subcommand }: Pick<Descriptor, 'subcommand'>): boolean {
  return subcommand === pauseWord;
}

/**
 * What the gate is asked for. Throws `invalid-request` for a folder outside of the shared one, and
 * `policy-deny` for more time than this way of asking gives.
 */
export async function execRequestOf(
  descriptor: Descriptor,
  { folder, rpc }: { readonly folder: string; readonly rpc: Config['rpc'] },
): Promise<ExecRequest> {
  const { principal, argv, command, env, stdin, session, reason } = descriptor;
  const name = descriptor.subcommand ?? descriptor.tool;
  const timeoutMs = (descriptor.timeout_sec ?? rpc.timeoutMs / 1_000) * 1_000;
  if (timeoutMs > rpc.maxTimeoutMs)
    throw refuse(
      'policy-deny',
      `A command that comes through a shared folder gets at most ${String(rpc.maxTimeoutMs / 1_000)} s.`,
      'Ask for less time, or have a person raise rpc.maxTimeoutMs.',
    );
  return {
    agent: principal,
    cwd: await realFolder(folder, descriptor.cwd ?? '.'),
    timeoutMs,
    ...(name === undefined
      ? { ...(argv !== undefined && { argv }), ...(command !== undefined && { command }) }
      : { host: brokerHost, argv: [name, ...(descriptor.args ?? [])] }),
    ...(env !== undefined && { env }),
    ...(stdin !== undefined && { stdin }),
    ...(session !== undefined && { session }),
    ...(reason !== undefined && { statedReason: reason }),
    ...(descriptor.requires_confirm === true && { ask: 'always' as const }),
  };
}

/** The same for the record, where it cannot be had: as it was written. */
export function askedFor(descriptor: Descriptor, folder: string): ExecRequest {
  const { principal, argv, command, args = [] } = descriptor;
  const name = descriptor.subcommand ?? descriptor.tool;
  const what = command !== undefined ? { command } : { argv: argv ?? [name ?? '', ...args] };
  return { agent: principal, cwd: folder, ...what };
}

/** Links inside of the folder may lead on inside of it, and nowhere else. */
async function realFolder(shared: string, below: string): Promise<string> {
  const outside = refuse(
    'invalid-request',
    `The folder ${below} is not there below the shared folder.`,
    'Ask from within the folder that is shared; "cwd" is relative to it.',
  );
  let root: string;
  let real: string;
  try {
    [root, real] = await Promise.all([realpath(shared), realpath(join(shared, below))]);
  } catch {
    throw outside;
  }
  if (real !== root && !real.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)) throw outside;
  return real;
}
