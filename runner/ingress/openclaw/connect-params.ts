import type { Device } from './device.ts';

/** What an approver may do at a Gateway; the policy needs the second. */
export type OperatorScope = 'operator.approvals' | 'operator.admin';

export interface Credentials {
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
export function connectParams(options: ConnectOptions): Readonly<Record<string, unknown>> {
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
