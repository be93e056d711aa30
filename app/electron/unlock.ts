import { refusalOf } from '../../shared/refusal/refusal.ts';
import type { BridgeCall, BridgeResult } from '../bridge/types.ts';
import type { ShellHost } from './port.ts';
import type { Presence } from './presence/presence.ts';

/**
 * Passes calls of the page on to the host. An unlock first asks the system whether a person is
 * there, where it can and the settings say so; without that answer the passphrase goes nowhere.
 */
export function guardUnlock(
  host: Pick<ShellHost, 'handle'>,
  presence: Presence,
  wanted: () => boolean,
): (name: BridgeCall, args: unknown) => Promise<BridgeResult<BridgeCall>> {
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
