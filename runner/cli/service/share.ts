import { dirname } from 'node:path';
import { maxConfigLength, parseConfig } from '../../../shared/config/parse.ts';
import { writeFileAtomic } from '../../../shared/node/files/atomic-write.ts';
import { readPrivateFile } from '../../../shared/node/files/private-file.ts';
import { ensurePrivateDirectory } from '../../../shared/node/files/private-directory.ts';
import { RefusalError } from '../../../shared/refusal/refusal.ts';
import { CliError } from '../failure.ts';

export interface ShareOptions {
  readonly configPath: string;
  /** Who owns the home. */
  readonly owner: number;
  /** The shared socket, or null to leave what the file says of it. */
  readonly socket: { readonly path: string; readonly gid: number } | null;
  /** Users who may act as any agent from now on; those who are listed stay. */
  readonly uids: readonly number[];
}

/**
 * Writes into `config.json` who may use the shared socket. All else in the file stays. Throws, and
 * writes nothing, when the file is not valid before or after.
 */
export function shareWith({ configPath, owner, socket, uids }: ShareOptions): readonly number[] {
  ensurePrivateDirectory(dirname(configPath), { uid: owner });
  const file = readPrivateFile(configPath, { uid: owner, maxBytes: maxConfigLength });
  if (file.kind !== 'text')
    throw new CliError(
      file.kind === 'missing' ? `${configPath} is not there.` : `${configPath} ${file.why}.`,
      'Run "interlock init" as the user of the runner first.',
    );
  const before = parseConfig(file.text);
  if (!before.ok) throw new RefusalError(before.problem);
  const { users } = before.config;
  const known = new Set(users.map(({ uid }) => uid));
  const added = uids.filter((uid) => uid !== owner && !known.has(uid));
  const raw = JSON.parse(file.text) as { readonly service?: object };
  const next = {
    ...raw,
    users: [...users, ...added.map((uid) => ({ uid, agents: ['*'] }))],
    ...(socket !== null && { service: { ...raw.service, sharedSocket: socket } }),
  };
  const text = `${JSON.stringify(next, null, 2)}\n`;
  const after = parseConfig(text);
  if (!after.ok) throw new RefusalError(after.problem);
  if (text !== file.text) writeFileAtomic(configPath, text);
  return added;
}
