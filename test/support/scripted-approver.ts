import type { Ask, Decision } from '../../shared/engine/ask.ts';
import { homePaths } from '../../shared/home/paths.ts';
import { readPolicyFile } from '../../shared/home/policy-file.ts';
import { digestOf } from '../../shared/ipc/macs.ts';
import { Channel } from '../../shared/ipc/protocol/channel.ts';
import { contextOf } from '../../shared/ipc/protocol/context.ts';
import { acceptHello, nextLine, sendChallenge } from '../../shared/ipc/protocol/handshake.ts';
import type { Duplex } from '../../shared/ipc/transport/duplex.ts';
import { listen } from '../../shared/ipc/transport/ipc.ts';
import { approverBodyChecks, runnerBodyChecks } from '../../shared/wire/frames-v2.ts';
import type { RunnerBody } from '../../shared/wire/frames-v2.ts';

export interface AskedMessage {
  readonly type: string;
  readonly ask: Ask;
  readonly digest: string;
  readonly id?: string;
  readonly reason?: string;
  readonly code?: string;
}

/** The body that answers an ask, which may be told to say something else. */
export function decisionOn(asked: AskedMessage, decision: Partial<Decision>): string {
  return JSON.stringify({
    type: 'decision',
    id: asked.ask.id,
    askDigest: asked.digest,
    ...decision,
  });
}

interface Listening {
  /** Sends a body as it stands. It can also lie, which an honest session would not let it. */
  readonly send: (body: string) => void;
  readonly close: () => Promise<void>;
}

/**
 * Listens as an approver of this home does, and tells each body that a runner sends. It reads the
 * token once, as a program would that copied it.
 */
export async function listenAsApprover(
  home: string,
  tell: (message: object) => void,
): Promise<Listening> {
  const uid = process.getuid?.() ?? -1;
  const paths = homePaths({ INTERLOCK_HOME: home });
  const file = readPolicyFile(paths.policy, { uid, keepLastGood: false });
  const token = file.ok ? file.document.socket?.token : undefined;
  if (token === undefined) throw new Error(`${paths.policy} has no token.`);
  let channel: Channel<RunnerBody> | null = null;
  const serve = async (duplex: Duplex): Promise<void> => {
    const context = contextOf({ token, uid });
    const challenge = sendChallenge(duplex, context);
    const hello = await nextLine(duplex, context.clock, context.limits.challengeTtlMs);
    const key = acceptHello(hello, challenge, { ...context, duplex });
    channel = new Channel(duplex, {
      context,
      key,
      direction: 'approver',
      checks: runnerBodyChecks,
      onBody: (body, text) =>
        tell(body.type === 'ask' ? { ...body, digest: digestOf(text) } : body),
    });
    channel.onClose((end) => tell({ type: 'closed', ...end }));
    channel.start();
  };
  const listener = await listen(
    paths.approvalsSocket,
    (duplex) => void serve(duplex).catch(() => duplex.destroy()),
  );
  return {
    send: (body) => {
      const { type } = JSON.parse(body) as { readonly type: keyof typeof approverBodyChecks };
      if (!approverBodyChecks[type](JSON.parse(body)).ok) throw new Error(`not a body: ${body}`);
      channel?.send(body);
    },
    close: () => listener.dispose(),
  };
}
