import { randomBytes } from 'node:crypto';
import type { SecretStore } from '../../shared/home/index.ts';
import { refuse } from '../../shared/base/index.ts';
import { openedHead, sealedHead } from './chain.ts';
import type { ChainHead } from './chain.ts';

/** Name of the key in the secret store of the home. */
export const auditKeyName = 'audit-chain';
const keyBytes = 32;

/** The key of the chain; null when none was ever made. */
async function readAuditKey(secrets: SecretStore): Promise<Uint8Array | null> {
  const key = await secrets.get(auditKeyName);
  if (key === null || key.length === keyBytes) return key;
  throw refuse(
    'audit-unavailable',
    `The key of the audit log has ${key.length} bytes instead of ${keyBytes}.`,
    'Restore it from a backup, or move the audit folder and the key away to begin a new log.',
  );
}

/**
 * What the secret store keeps of the log: its key, and how far it had come when it was last told.
 * Whoever deletes the log, its checkpoint or all of the audit folder does not reach it.
 */
export interface AuditSeal {
  readonly key: Uint8Array;
  /** Null where none was ever kept, or what is kept was not made with the key. */
  readonly anchor: ChainHead | null;
}

/** Name of the anchor in the secret store of the home. */
const anchorName = 'audit-head';

/** Key and anchor; null when no key was ever made. */
export async function readAuditSeal(secrets: SecretStore): Promise<AuditSeal | null> {
  const key = await readAuditKey(secrets);
  if (key === null) return null;
  const kept = await secrets.get(anchorName);
  return { key, anchor: kept === null ? null : openedHead(key, Buffer.from(kept).toString()) };
}

/** Keeps how far the log has come. Only heads that are on the disk: the log must never fall behind. */
export async function keepAnchor(
  secrets: SecretStore,
  key: Uint8Array,
  head: ChainHead,
): Promise<void> {
  await secrets.set(anchorName, Buffer.from(sealedHead(key, head)));
}

/**
 * The key, made at the first use. A log whose key is gone is not continued with another one: a
 * person has to move it away, so that nobody can begin anew unnoticed.
 */
export async function openAuditKey(
  secrets: SecretStore,
  options: { readonly hasLog: boolean; readonly directory: string },
): Promise<AuditSeal & { readonly isNew: boolean }> {
  const known = await readAuditSeal(secrets);
  if (known !== null) return { ...known, isNew: false };
  if (options.hasLog)
    throw refuse(
      'audit-unavailable',
      'There is an audit log, but its key is gone.',
      `Restore the key "${auditKeyName}", or move ${options.directory} away to begin a new log.`,
    );
  const key = randomBytes(keyBytes);
  await secrets.set(auditKeyName, key);
  return { key, anchor: null, isNew: true };
}
