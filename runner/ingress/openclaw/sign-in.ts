import type { Clock } from '../../../shared/base/index.ts';
import type { Device } from './access.ts';
import { openConnection } from './connection.ts';
import type { GatewayConnection } from './connection.ts';
import { GatewayFailure, checkChallenge, checkHello } from './frames.ts';
import type { EventFrame } from './frames.ts';

/** What an approver may do at a Gateway; the policy needs the second. */
type OperatorScope = 'operator.approvals' | 'operator.admin';

interface Credentials {
  readonly token: string;
  readonly device: Device;
}

export interface ConnectOptions {
  readonly credentials: Credentials;
  readonly scope: OperatorScope;
  readonly nonce: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly version: string;
  readonly platform: string;
}

const client = { id: 'gateway-client', mode: 'backend' } as const;
const role = 'operator';

/** Params of `connect`, protocol 4. The device signs the Gateway's own nonce, so a copy is worth nothing. */
function connectParams(options: ConnectOptions): Readonly<Record<string, unknown>> {
  const { credentials, scope, nonce, now, version, platform } = options;
  const { token, device } = credentials;
  const signed = [
    'v3',
    device.id,
    client.id,
    client.mode,
    role,
    scope,
    String(now),
    token,
    nonce,
    platform.toLowerCase(),
    '',
  ].join('|');
  return {
    minProtocol: 4,
    maxProtocol: 4,
    client: { ...client, displayName: 'Interlock', version, platform },
    role,
    scopes: [scope],
    caps: ['approvals', 'exec-approvals'],
    auth: { token },
    device: {
      id: device.id,
      publicKey: device.publicKey,
      signature: device.sign(signed),
      signedAt: now,
      nonce,
    },
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

/** A connection on which the Gateway has accepted us. Rejects with a `GatewayFailure`. */
export async function signIn(options: SignInOptions): Promise<GatewayConnection> {
  const { url, credentials, scope, clock, version, platform, onEvent } = options;
  let challenged: (event: EventFrame) => void = () => undefined;
  const challenge = new Promise<EventFrame>((resolve) => {
    challenged = resolve;
  });
  const connection = openConnection({
    url,
    clock,
    onEvent: (event) => (event.event === 'connect.challenge' ? challenged(event) : onEvent(event)),
  });
  const cancel = clock.after(challengeTimeoutMs, () => connection.dispose());
  try {
    const first = await Promise.race([challenge, connection.ended]);
    if (typeof first === 'string')
      throw new GatewayFailure(`OpenClaw's Gateway at ${url} cannot be reached: ${first}.`);
    const checked = checkChallenge(first.payload);
    if (!checked.ok) throw strange(`its challenge is not one: ${checked.error}`);
    const now = clock.now();
    const { nonce } = checked.value;
    const params = connectParams({ credentials, scope, nonce, now, version, platform });
    const hello = checkHello(await connection.call('connect', params));
    if (!hello.ok) throw strange(`its greeting is not one of protocol 4: ${hello.error}`);
    connection.expectTicks(2 * (hello.value.policy?.tickIntervalMs ?? defaultTickMs));
    return connection;
  } catch (error) {
    connection.dispose();
    throw error;
  } finally {
    cancel();
  }
}

function strange(what: string): GatewayFailure {
  return new GatewayFailure(
    `What answers is no OpenClaw Gateway that Interlock knows: ${what}`,
    'Interlock speaks protocol 4 of the Gateway; see docs/agents/openclaw.md.',
    true,
  );
}
