import { createHash } from 'node:crypto';
import type { Clock } from '../../clock/types.ts';
import { refuse } from '../../refusal/refusal.ts';
import { checkSecretName } from './name.ts';
import type { Keychain, SecretStore } from './types.ts';

/** A locked keychain may show a dialog; a headless runner must not wait for it for good. */
const answerWithinMs = 10_000;

export interface KeychainOptions {
  /** `INTERLOCK_HOME`: two homes of one user keep their secrets apart. */
  readonly home: string;
  readonly clock: Clock;
}

/** Secrets in the system keychain. Every failure is a refusal that names neither secret nor value. */
export function keychainSecretStore(keychain: Keychain, options: KeychainOptions): SecretStore {
  const scope = createHash('sha256').update(options.home).digest('hex').slice(0, 12);
  const service = `interlock-${scope}`;
  const ask = async <T>(name: string, call: () => Promise<T>): Promise<T> => {
    checkSecretName(name);
    return withinDeadline(call, options.clock);
  };
  return {
    kind: 'keychain',
    get: async (name) => {
      const text = await ask(name, async () => keychain.getPassword(service, name));
      return text === null ? null : Buffer.from(text, 'base64url');
    },
    set: async (name, value) =>
      ask(name, async () =>
        keychain.setPassword(service, name, Buffer.from(value).toString('base64url')),
      ),
    remove: async (name) => ask(name, async () => keychain.deletePassword(service, name)),
  };
}

async function withinDeadline<T>(call: () => Promise<T>, clock: Clock): Promise<T> {
  let cancel = (): void => {};
  const deadline = new Promise<never>((_resolve, reject) => {
    cancel = clock.after(answerWithinMs, () => reject(new Error('no answer in time')));
  });
  try {
    return await Promise.race([call(), deadline]);
  } catch (cause) {
    throw refuse(
      'config-invalid',
      'The system keychain did not answer.',
      'Unlock the keychain, or sign in to the desktop session that owns it, and try again.',
      { cause },
    );
  } finally {
    cancel();
  }
}
