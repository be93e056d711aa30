import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { refuse } from '../../refusal/refusal.ts';
import { writeFileAtomic } from '../files/atomic-write.ts';
import { ensurePrivateDirectory } from '../files/private-directory.ts';
import { readPrivateFile } from '../files/private-file.ts';
import { checkSecretName } from './name.ts';
import type { SecretStore } from './types.ts';

const maxBytes = 4_096;

/** One 0600 file a secret, base64url, below a 0700 directory. The fallback where no keychain answers. */
export function fileSecretStore(directory: string, options: { readonly uid: number }): SecretStore {
  const pathOf = (name: string): string => {
    checkSecretName(name);
    ensurePrivateDirectory(directory, options);
    return join(directory, `${name}.secret`);
  };
  return {
    kind: 'file',
    get: async (name) => {
      const path = pathOf(name);
      const file = readPrivateFile(path, { uid: options.uid, maxBytes });
      if (file.kind === 'missing') return null;
      if (file.kind === 'text') return Buffer.from(file.text.trim(), 'base64url');
      throw refuse(
        'config-invalid',
        `The key file ${path} ${file.why}.`,
        'Restore its mode and owner (chmod 600), or remove it and issue the key again.',
      );
    },
    set: async (name, value) => {
      writeFileAtomic(pathOf(name), `${Buffer.from(value).toString('base64url')}\n`);
    },
    remove: async (name) => removeFile(pathOf(name)),
  };
}

function removeFile(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch (error) {
    if ((error as { readonly code?: string }).code === 'ENOENT') return false;
    throw error;
  }
}
