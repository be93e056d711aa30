import type { Clock } from '../../shared/base/index.ts';
import { createNonceMemory, serveApprovals } from '../../shared/ipc/index.ts';
import type { ApproverSession, Duplex, V1Handlers } from '../../shared/ipc/index.ts';
import { refusalOfError } from './refusals.ts';

export interface ConnectionServerOptions {
  readonly uid: number;
  readonly clock: Clock;
  readonly log: (line: string) => void;
  /** The token of the policy file as it is now; null while the file is not valid. */
  readonly token: () => string | null;
  /** A connection was closed because it broke the protocol. */
  readonly onBreach: (code: string, pid: number | null) => void;
  readonly onSession: (session: ApproverSession) => void;
  readonly version1: V1Handlers | null;
}

/** More open connections than this are refused, as none of them need have authenticated yet. */
const mostConnections = 64;

/** Serves connections to the approvals socket. Without a token nobody can authenticate. */
export function connectionServer(options: ConnectionServerOptions): (duplex: Duplex) => void {
  const { uid, clock, log, token, onBreach, onSession, version1 } = options;
  const nonces = createNonceMemory(clock);
  let open = 0;
  return (duplex) => {
    const secret = token();
    if (secret === null || open >= mostConnections) {
      log(
        secret === null
          ? 'refused a connection: the policy file has no valid token'
          : 'refused a connection: too many are open',
      );
      duplex.destroy();
      return;
    }
    open += 1;
    duplex.onClose(() => {
      open -= 1;
    });
    try {
      serveApprovals(duplex, {
        v2: {
          token: secret,
          uid,
          clock,
          nonces,
          onViolation: ({ code, detail }) => {
            log(`closed a connection: ${code}: ${detail}`);
            onBreach(code, duplex.peer?.pid ?? null);
          },
          onSession,
        },
        v1: version1,
      });
    } catch (error) {
      log(`refused a connection: ${refusalOfError(error).message}`);
      duplex.destroy();
    }
  };
}
