import { messageOf } from '../../shared/base/index.ts';
import { settleToken, watchFile } from '../../shared/home/index.ts';
import type { SettleTokenOptions } from '../../shared/home/index.ts';
import { note } from './log.ts';
import type { Parts, PartsOptions } from './parts.ts';

type Base = Pick<PartsOptions, 'paths' | 'uid' | 'clock' | 'log' | 'audit' | 'secrets'>;

/** Connects whenever the approver appears, and again when the secret has changed. */
export function keepConnected({ link, policy }: Parts, { paths, clock }: Base): () => void {
  // What the policy says for the token changes with it, also where the token itself is elsewhere.
  const said = (): string | undefined => {
    const file = policy.current();
    return file.ok ? file.document.socket?.token : undefined;
  };
  let known = said();
  policy.onChange(() => {
    if (said() === known) return;
    known = said();
    link.drop();
    void link.reach();
  });
  return watchFile(paths.approvalsSocket, { clock, look: () => void link.reach() });
}

/**
 * Keeps the approvals token where `approvals.v1` wants it: moved at the start, when the setting
 * changes, and when somebody has written the policy by hand. Settles when it was looked at once, and
 * hands back how to stop. A store that does not answer leaves the token where it is, and is told once.
 */
export async function keepTokenInPlace(
  { policy, config }: Pick<Parts, 'policy' | 'config'>,
  base: Base,
): Promise<() => void> {
  const { paths, uid, clock, log, secrets } = base;
  let told: string | null = null;
  const tell = (why: string | null): void => {
    if (why !== null && why !== told) log.error(`The approvals token was not moved: ${why}`);
    told = why;
  };
  const settle = async (): Promise<void> => {
    if (config.problem() !== null) return;
    const { v1 } = config.current().approvals;
    const options: SettleTokenOptions = { uid, v1, openStore: async () => secrets };
    try {
      const moved = await settleToken(paths, options);
      tell(moved?.rotated === false ? moved.why : null);
      if (moved?.rotated !== true) return;
      const text = v1
        ? 'approvals.v1 is on: the policy has a new token.'
        : 'approvals.v1 is off: a new token is in the secret store, and the policy refers to it.';
      log.info(text);
      note(base, 'approvals-token-moved', text);
    } catch (error) {
      tell(messageOf(error));
    }
  };
  let last = settle();
  const again = (): void => {
    last = last.then(settle);
  };
  await last;
  policy.onChange(again);
  return watchFile(paths.config, { clock, look: again });
}
