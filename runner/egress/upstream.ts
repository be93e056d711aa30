import { Agent } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls, createSecureContext } from 'node:tls';
import type { SecureContext } from 'node:tls';
import { messageOf } from '../../shared/base/index.ts';
import { targetText } from '../../shared/engine/index.ts';
import type { Target } from '../../shared/engine/index.ts';
import { upstreamGone } from './answers.ts';
import type { Permission } from './permit.ts';
import type { EgressPorts } from './ports.ts';

/** Ends in an error: no name is looked up behind the one that was decided on. */
export function neverLookedUp(
  _name: string,
  _options: unknown,
  callback: (error: Error) => void,
): void {
  callback(new Error('a name was to be looked up where none may be'));
}

type Connected = (error: Error | null, socket?: Duplex) => void;

/** Opens a connection on a way: encrypted ones end at a server that proves its name. */
function connector(encrypted: Encrypted, way: Permission, isPlain: boolean) {
  return (_options: unknown, callback: Connected): undefined => {
    const open = async (): Promise<Duplex> => {
      const raw = await way.connect();
      way.onRevoked(() => raw.destroy());
      return isPlain ? raw : encrypted(raw, way.target);
    };
    const give = async (): Promise<void> => {
      const opened = await open().catch((error: unknown) => error as Error);
      if (opened instanceof Error) callback(opened);
      else callback(null, opened);
    };
    void give();
  };
}

const mostSessions = 1_000;
/** For so long a server need not prove its name again. */
const sessionMs = 10 * 60_000;

/** What a server gave to go on with, and when it proved its name. */
type Sessions = Map<string, { readonly session: Buffer; readonly at: number }>;

type Encrypted = (raw: Socket, target: Target) => Promise<Duplex>;

/** Encrypts connections to upstreams, which have to prove their names. */
function createEncrypted({ roots, clock }: Pick<EgressPorts, 'roots' | 'clock'>): Encrypted {
  let trust: { readonly of: readonly string[]; readonly context: SecureContext } | null = null;
  /** By target: who proved its name here need not do so for each connection. */
  let sessions: Sessions = new Map();
  // A system trusts well over a hundred certificates: they are read once, not for each connection.
  const trusted = (): SecureContext | undefined => {
    const ca = roots?.();
    if (ca === undefined) return undefined;
    if (trust?.of !== ca) {
      // What others vouched for counts no more.
      sessions = new Map();
      trust = { of: ca, context: createSecureContext({ ca: [...ca], minVersion: 'TLSv1.2' }) };
    }
    return trust.context;
  };
  return async (raw, target) => {
    const secureContext = trusted();
    // One that ends after the trust has changed leaves nothing for those that come then.
    const own = sessions;
    return new Promise((resolve, reject) => {
      const isName = target.address === null;
      const key = targetText(target);
      const known = own.get(key);
      const isFresh = known !== undefined && clock.elapsed() - known.at < sessionMs;
      const socket = connectTls({
        socket: raw,
        host: target.host,
        ...(isName && { servername: target.host }),
        ...(secureContext !== undefined && { secureContext }),
        ...(isFresh && { session: known.session }),
        ALPNProtocols: ['http/1.1'],
        minVersion: 'TLSv1.2',
        rejectUnauthorized: true,
      });
      const failed = (error: Error): void => {
        own.delete(key);
        raw.destroy();
        reject(upstreamGone(`its certificate or encryption does not hold (${messageOf(error)})`));
      };
      socket.once('error', failed);
      socket.once('secureConnect', () => {
        socket.off('error', failed);
        // Its time begins when the name was proved, and not anew with each connection that goes on.
        const at = socket.isSessionReused() && known !== undefined ? known.at : clock.elapsed();
        const keep = (session: Buffer): void => {
          if (own.size >= mostSessions) own.clear();
          own.set(key, { session, at });
        };
        // TLS 1.3 sends them later, and a new one with each connection; 1.2 has one by now.
        socket.on('session', keep);
        const now = socket.getSession();
        if (socket.getProtocol() === 'TLSv1.2' && now !== undefined) keep(now);
        resolve(socket);
      });
    });
  };
}

/** Makes the agent of a client's connection: what it opens is dialled by the way that was allowed. */
export function createUpstreams(ports: Pick<EgressPorts, 'roots' | 'clock'>): () => Agent {
  const encrypted = createEncrypted(ports);
  return () => {
    const agent = new Agent({ keepAlive: true, maxFreeSockets: 8 });
    const nameOf = agent.getName.bind(agent);
    // A connection that is not encrypted is none for what has to be.
    agent.getName = (options) =>
      `${String((options as { readonly isPlain?: boolean }).isPlain)} ${nameOf(options)}`;
    agent.createConnection = (options, callback) => {
      const { way, isPlain } = options as unknown as {
        readonly way: Permission;
        readonly isPlain: boolean;
      };
      return connector(encrypted, way, isPlain)(options, callback as never);
    };
    return agent;
  };
}
