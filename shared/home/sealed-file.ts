import { mkdirSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { compile, readJson, refuse, s } from '../base/index.ts';
import { ensurePrivateDirectory, readPrivateFile, writeFileAtomic } from './files.ts';
import type { NamedSecretsOptions, SecretValues } from './named-secrets.ts';

const checkValues = compile(s.record(s.string({ maxLength: 16_384 }), { maxProperties: 500 }));
const checkPlace = compile(s.object({ keyFile: s.string({ pattern: '^/[^\\u0000]*$' }) }));

const maxBytes = 8 * 1024 * 1024;

/**
 * All values in one file in the format of age (`keys/secrets.age`), and its key in a 0600 file
 * outside of the home, so that a copy or a backup of the home alone opens nothing. The home says
 * where the key is: programs that come with other variables find the same one.
 */
export function openSealedFile({
  directory,
  keyDirectory,
  uid,
}: Pick<NamedSecretsOptions, 'directory' | 'keyDirectory' | 'uid'>): SecretValues {
  const path = join(directory, 'secrets.age');
  const keyFile = keyPlace({ directory, keyDirectory, uid });
  const key = (): string | null => {
    const file = readPrivateFile(keyFile.path, { uid, maxBytes: 4_096 });
    if (file.kind === 'missing') return null;
    if (file.kind === 'text') return file.text.trim();
    throw refuse(
      'config-invalid',
      `The key of the secrets, ${keyFile.path}, ${file.why}.`,
      `Run: chmod 600 ${keyFile.path}`,
    );
  };
  const read = async (): Promise<Readonly<Record<string, string>>> => {
    const file = readPrivateFile(path, { uid, maxBytes });
    if (file.kind === 'missing') return {};
    if (file.kind === 'unsafe') throw cannotOpen(`${path} ${file.why}`);
    const identity = key();
    if (identity === null) throw cannotOpen(`their key ${keyFile.path} is not there`);
    try {
      const { armor, Decrypter } = await import('age-encryption');
      const decrypter = new Decrypter();
      decrypter.addIdentity(identity);
      const text = await decrypter.decrypt(armor.decode(file.text), 'text');
      const values = readJson(checkValues, text);
      if (values.ok) return values.value;
    } catch {
      // What the library says may hold parts of the file; the sentence says all that helps.
    }
    throw cannotOpen(`the key ${keyFile.path} does not open ${path}, or it was changed`);
  };
  const write = async (values: Readonly<Record<string, string>>): Promise<void> => {
    const { armor, Encrypter, generateX25519Identity, identityToRecipient } =
      await import('age-encryption');
    let identity = key();
    if (identity === null) {
      identity = await generateX25519Identity();
      mkdirSync(dirname(keyFile.folder), { recursive: true });
      ensurePrivateDirectory(keyFile.folder, { uid });
      writeFileAtomic(keyFile.path, `${identity}\n`);
      writeFileAtomic(keyFile.record, `${JSON.stringify({ keyFile: keyFile.path })}\n`);
    }
    const encrypter = new Encrypter();
    encrypter.addRecipient(await identityToRecipient(identity));
    const sealed = await encrypter.encrypt(JSON.stringify(values));
    writeFileAtomic(path, armor.encode(sealed));
  };
  return {
    sentence: `Values are kept in ${path}, encrypted with the key in ${keyFile.path}: no keychain answered. Programs of your user that can read both files can open it.`,
    get: async (name) => {
      const values = await read();
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      return value === undefined ? null : Buffer.from(value, 'base64');
    },
    set: async (name, value) => write({ ...(await read()), [name]: value.toString('base64') }),
    remove: async (name) => {
      const { [name]: value, ...rest } = await read();
      if (value === undefined) return false;
      await write(rest);
      return true;
    },
  };
}

/** Where the key of this home is, or is to be. */
function keyPlace({
  directory,
  keyDirectory,
  uid,
}: Pick<NamedSecretsOptions, 'directory' | 'keyDirectory' | 'uid'>) {
  const record = join(directory, 'secrets-key.json');
  const file = readPrivateFile(record, { uid, maxBytes: 8_192 });
  const scope = createHash('sha256').update(directory).digest('hex').slice(0, 12);
  const fresh = join(keyDirectory, `${scope}.key`);
  if (file.kind === 'missing') return { record, path: fresh, folder: keyDirectory };
  const said = file.kind === 'text' ? readJson(checkPlace, file.text) : null;
  if (said?.ok === true)
    return { record, path: said.value.keyFile, folder: dirname(said.value.keyFile) };
  throw refuse(
    'config-invalid',
    `${record} does not say where the key of the secrets is.`,
    'Restore it from a backup (mode 600).',
  );
}

function cannotOpen(why: string): Error {
  return refuse(
    'config-invalid',
    `The secrets cannot be opened: ${why}.`,
    'Put the files back from a backup, or move secrets.age, secrets.json and secrets-key.json away and set the secrets again.',
  );
}
