import { readFileSync } from 'node:fs';
import { homePaths } from '../../../shared/node/home/paths.ts';
import { readPolicyFile } from '../../../shared/node/policy-file/read.ts';
import { writePolicyFile } from '../../../shared/node/policy-file/write.ts';
import type { Edited } from '../../../shared/policy/edit.ts';
import { parsePolicy } from '../../../shared/policy/parse.ts';
import type { PolicyDocument } from '../../../shared/policy/types.ts';
import { RefusalError } from '../../../shared/refusal/refusal.ts';
import { CliError } from '../failure.ts';
import type { Io } from '../io.ts';

/** A valid policy file as it was read, ready to be edited. */
export interface OpenPolicy {
  readonly path: string;
  readonly document: PolicyDocument;
  readonly hash: string;
}

/** The policy of this home. Throws what is wrong with it when it is not valid. */
export function openPolicy(io: Io): OpenPolicy {
  const path = homePaths(io.env).policy;
  const file = readPolicyFile(path, { uid: uidOf() });
  if (file.ok) return { path, document: file.document, hash: file.hash };
  if (file.missing)
    throw new CliError(
      `There is no policy: ${path} does not exist.`,
      'Run "interlock init" first.',
    );
  throw new RefusalError(file.problem);
}

/** Writes an edit if the file is still the one that was read; hands back the new hash. */
export async function savePolicy(edited: Edited, { path, hash }: OpenPolicy): Promise<string> {
  if (!edited.ok) throw new RefusalError(edited.problem);
  const written = await writePolicyFile(path, edited.document, { uid: uidOf(), baseHash: hash });
  return written.hash;
}

/** The policy in a file that somebody names; owner and mode do not matter, its content does. */
export function readOtherPolicy(file: string): PolicyDocument {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new CliError(`${file} cannot be read.`, 'Give the path of a policy file.', {
      cause: error,
    });
  }
  const parsed = parsePolicy(text);
  if (!parsed.ok) throw new RefusalError(parsed.problem);
  return parsed.document;
}

/** The document as it may be shown and passed around: without the socket and its token. */
export function withoutSocket(document: PolicyDocument): PolicyDocument {
  const { socket: _socket, ...rest } = document;
  return rest;
}

function uidOf(): number {
  return process.getuid?.() ?? -1;
}
