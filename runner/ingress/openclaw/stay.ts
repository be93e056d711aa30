import { statSync } from 'node:fs';
import type { GatewayAddress } from './address.ts';
import { keepConnected } from './keep-connected.ts';
import { createOperator } from './operator.ts';
import type { OperatorParts } from './operator.ts';
import { signIn } from './sign-in.ts';
import type { SignInOptions } from './sign-in.ts';

export interface StayOptions
  extends
    GatewayAddress,
    Pick<SignInOptions, 'clock' | 'version' | 'platform'>,
    Pick<OperatorParts, 'client' | 'say'> {
  /** Read anew for each connection. */
  readonly credentials: () => SignInOptions['credentials'];
  /** The agent that our key speaks for; null: each of OpenClaw's agents under a name of its own. */
  readonly agent: string | null;
  readonly signal: AbortSignal;
}

/** Answers OpenClaw's asks through the gate until the signal; rejects where only a person can help. */
export async function stayAtGateway(options: StayOptions): Promise<void> {
  const { url, isLocal, client, clock, say, agent, signal, credentials } = options;
  const { version, platform } = options;
  const operator = createOperator({ client, clock, say, question: { agent, isLocal, isFolder } });
  await keepConnected({
    operator,
    clock,
    random: Math.random,
    say,
    signal,
    connect: async () =>
      signIn({
        url,
        clock,
        version,
        platform,
        credentials: credentials(),
        scope: 'operator.approvals',
        onEvent: (event) => operator.onEvent(event),
      }),
  });
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
