import { refuse } from '../../shared/base/index.ts';
import { admitToolCall, readToolPolicy } from '../../shared/home/index.ts';
import type { AdmittedToolCall } from '../../shared/home/index.ts';
import type { Vault } from './vault.ts';

/** The name of the host on which brokered tools run. */
export const brokerHost = 'tools';

/** What the policy of a tool says of one request. */
export type Brokered = AdmittedToolCall;

/** Holds requests for tools against the policies of the tools. */
export interface Broker {
  /**
   * What holds for this request. Rejects with `policy-deny` for what the policy does not name,
   * `config-invalid` where it cannot be read or a secret that it needs is not kept.
   */
  admit(request: Parameters<typeof admitToolCall>[0]): Promise<Brokered>;
  /** Rejects with `binding-drift` where the policy is another one by now. */
  requireSame(brokered: Brokered): Promise<void>;
}

interface BrokerOptions {
  /** `policy` below the home. */
  readonly directory: string;
  readonly uid: number;
  readonly vault: Pick<Vault, 'open'>;
}

/** The broker over the policies of a home, which are read for each request. */
export function createBroker({ directory, uid, vault }: BrokerOptions): Broker {
  const kept = async (): Promise<ReadonlySet<string>> =>
    new Set((await vault.open()).list().map(({ name }) => name));
  return {
    admit: (request) => admitToolCall(request, { directory, uid, kept }),
    requireSame: async ({ policy, hash }) => {
      const now = await readToolPolicy(directory, policy.tool, uid);
      if (now.ok && now.hash === hash) return;
      throw refuse(
        'binding-drift',
        `The policy of ${policy.tool} changed between the decision and the start.`,
        'Nothing was run. Ask again.',
      );
    },
  };
}
