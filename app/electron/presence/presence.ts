import { refuse } from '../../../shared/refusal/refusal.ts';
import type { ShellPort } from '../port.ts';
import type { ShellTexts } from '../texts/types.ts';

/** Asks the system whether a person is there. */
export interface Presence {
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
