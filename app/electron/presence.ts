import { refusalOf, refuse } from '../../shared/base/index.ts';
import type { ShellTexts } from './texts/texts.ts';
import type { ShellHost, ShellPort } from './types.ts';

/** Asks the system to confirm that a person is present. */
interface Presence {
  /** Whether this machine can ask at all. */
  readonly available: () => boolean;
  /** Resolves when the person confirmed; else rejects with a `confirm-rejected` refusal. */
  readonly confirm: () => Promise<void>;
}

/** Touch ID on a Mac that has it; elsewhere never available. It comes on top of the passphrase. */
export function touchId(
  port: Pick<ShellPort, 'systemPreferences'>,
  platform: NodeJS.Platform,
  texts: ShellTexts,
): Presence {
  return {
    available: () => platform === 'darwin' && port.systemPreferences.canPromptTouchID(),
    confirm: async () => {
      try {
        await port.systemPreferences.promptTouchID(texts.touchId.reason);
      } catch (cause) {
        throw refuse('confirm-rejected', texts.touchId.refused, texts.touchId.hint, { cause });
      }
    },
  };
}

/**
 * Passes calls of the page on to the host. An unlock first asks the system whether a person is
 * there, where it can and the settings say so; without that answer the passphrase goes nowhere.
 */
export function guardUnlock(
  host: Pick<ShellHost, 'handle'>,
  presence: Presence,
  wanted: () => boolean,
): ShellHost['handle'] {
  return async (name, args) => {
    if (name === 'unlock' && wanted() && presence.available()) {
      try {
        await presence.confirm();
      } catch (error) {
        const refusal = refusalOf(error);
        if (refusal === undefined) throw error;
        return { ok: false, refusal };
      }
    }
    return host.handle(name, args);
  };
}
