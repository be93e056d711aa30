import { randomBytes } from 'node:crypto';
import type { SecretStore } from '../../shared/home/index.ts';
import { refuse } from '../../shared/base/index.ts';

/** Name of the key in the secret store of the home. */
export const auditKeyName = 'audit-chain';
const keyBytes = 32;

/** The key of the chain; null when none was ever made. */
export async function readAuditKey(secrets: SecretStore): Promise<Uint8Array | null> {
  const key = await secrets.get(auditKeyName);
  if (key === null || key.length === keyBytes) return key;
  throw refuse(
    'audit-unavailable',
    `The key of the audit log has ${key.length} bytes instead of ${keyBytes}.`,
    'Restore it from a backup, or move the audit folder and the key away to begin a new log.',
  );
}

/**
 * The key, made at the first use. A log whose key is gone is not continued with another one: a
 * person has to move it away, so that nobody can begin anew unnoticed.
 */
export async function openAuditKey(
  secrets: SecretStore,
  options: { readonly hasLog: boolean; readonly directory: string },
): Promise<{ readonly key: Uint8Array; readonly isNew: boolean }> {
  const known = await readAuditKey(secrets);
  if (known !== null) return { key: known, isNew: false };
  if (options.hasLog)
    throw refuse(
      'audit-unavailable',
      'There is an audit log, but its key is gone.',
      `Restore the key "${auditKeyName}", or move ${options.directory} away to begin a new log.`,
    );
  const key = randomBytes(keyBytes);
  await secrets.set(auditKeyName, key);
  return { key, isNew: true };
}
