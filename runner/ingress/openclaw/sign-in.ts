import type { Clock } from '../../../shared/base/index.ts';
import type { Device } from '../../nodes/device.ts';
import { openConnection } from './connection.ts';
import type { GatewayConnection } from './connection.ts';
import { GatewayFailure, checkChallenge, checkHello } from './frames.ts';
import type { EventFrame, Hello } from './frames.ts';

/** What an approver may do at a Gateway; the policy needs the second. */
type OperatorScope = 'operator.approvals' | 'operator.admin';

/** By what a Gateway knows us. All tokens are secrets. */
export type Credentials =
  /** The Gateway's own token. Without a device it is for one use, and leaves nothing behind. */
  | { readonly kind: 'shared'; readonly token: string; readonly device: Device | null }
  /** The same, to be given a token for our device alone. */
  | { readonly kind: 'pairing'; readonly token: string; readonly device: Device }
  /** What came of a pairing, and what shows us the asks of other clients. */
  | {
      readonly kind: 'paired';
      readonly deviceToken: string;
      readonly runtimeToken: string;
      readonly device: Device;
    };

interface ConnectOptions {
  readonly credentials: Credentials;
  readonly scope: OperatorScope;
  readonly nonce: string;
  /** Milliseconds since the epoch, by the Gateway's clock where it told. */
  readonly now: number;
  readonly version: string;
  readonly platform: string;
}

/** Only a backend client is taken for the approval runtime; it is given no token of its own. */
const backend = { id: 'gateway-client', mode: 'backend' } as const;
const commandLine = { id: 'cli', mode: 'cli' } as const;
const role = 'operator';

/** What the Gateway is shown, and what of it the device signs for. */
function authOf(credentials: Credentials): {
  readonly auth: Readonly<Record<string, string>>;
  readonly signed: string;
} {
  if (credentials.kind !== 'paired')
    return { auth: { token: credentials.token }, signed: credentials.token };
  const { deviceToken, runtimeToken } = credentials;
  return { auth: { deviceToken, approvalRuntimeToken: runtimeToken }, signed: deviceToken };
}

/** Params of `connect`, protocol 4. The device signs the Gateway's own nonce, so a copy is worth nothing. */
function connectParams(options: ConnectOptions): Readonly<Record<string, unknown>> {
  const { credentials, scope, nonce, now, version, platform } = options;
  const { device } = credentials;
  const client = credentials.kind === 'pairing' ? commandLine : backend;
  const { auth, signed } = authOf(credentials);
  const proof = (one: Device): object => {
    const parts = ['v3', one.id, client.id, client.mode, role, scope, String(now), signed, nonce];
    const signature = one.sign([...parts, platform.toLowerCase(), ''].join('|'));
    return { id: one.id, publicKey: one.publicKey, signature, signedAt: now, nonce };
  };
  return {
    minProtocol: 4,
    maxProtocol: 4,
    client: { ...client, displayName: 'Interlock', version, platform },
    role,
    scopes: [scope],
    caps: ['approvals', 'exec-approvals'],
    auth,
    ...(device === null ? {} : { device: proof(device) }),
  };
}

export interface SignInOptions {
  readonly url: string;
  readonly credentials: Credentials;
  readonly scope: OperatorScope;
  readonly clock: Clock;
  readonly version: string;
  readonly platform: string;
  readonly onEvent: (event: EventFrame) => void;
}

const challengeTimeoutMs = 15_000;
const defaultTickMs = 30_000;

/** A connection with what the Gateway said when it accepted us. */
export interface SignedIn extends GatewayConnection {
  readonly hello: Hello;
}

/** A connection on which the Gateway has accepted us. Rejects with a `GatewayFailure`. */
export async function signIn(options: SignInOptions): Promise<SignedIn> {
  const { url, credentials, scope, clock, version, platform, onEvent } = options;
  let challenged: (event: EventFrame) => void = () => undefined;
  const challenge = new Promise<EventFrame>((resolve) => {
    challenged = resolve;
  });
  const connection = openConnection({
    url,
    clock,
    secrets: Object.values(authOf(credentials).auth),
    onEvent: (event) => (event.event === 'connect.challenge' ? challenged(event) : onEvent(event)),
  });
  const cancel = clock.after(challengeTimeoutMs, () => connection.dispose());
  try {
    const first = await Promise.race([challenge, connection.ended]);
    if (typeof first === 'string')
      throw new GatewayFailure(`OpenClaw's Gateway at ${url} cannot be reached: ${first}.`);
    const checked = checkChallenge(first.payload);
    if (!checked.ok) throw strange(`its challenge is not one: ${checked.error}`);
    const { nonce, ts: now = clock.now() } = checked.value;
    const params = connectParams({ credentials, scope, nonce, now, version, platform });
    const hello = checkHello(await connection.call('connect', params));
    if (!hello.ok) throw strange(`its greeting is not one of protocol 4: ${hello.error}`);
    connection.expectTicks(2 * (hello.value.policy?.tickIntervalMs ?? defaultTickMs));
    return { ...connection, hello: hello.value };
  } catch (error) {
    connection.dispose();
    throw error;
  } finally {
    cancel();
  }
}

function strange(what: string): GatewayFailure {
  return new GatewayFailure(
    `What answers is not an OpenClaw Gateway that Interlock knows: ${what}`,
    'Interlock speaks protocol 4 of the Gateway; see docs/agents/openclaw.md.',
    true,
  );
}
