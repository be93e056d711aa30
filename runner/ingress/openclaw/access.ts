import { refuse } from '../../../shared/base/index.ts';
import { readPrivateFile } from '../../../shared/home/index.ts';
import { GatewayFailure, checkSnapshot } from './frames.ts';
import type { GatewayConnection } from './connection.ts';
import type { PolicySnapshot } from './frames.ts';

export const defaultGatewayUrl = 'ws://127.0.0.1:18789';

export interface GatewayAddress {
  readonly url: string;
  /** Whether it is on this machine. */
  readonly isLocal: boolean;
}

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** An address of a Gateway. Without TLS only on this machine, because a token goes there. */
export function gatewayAddress(text: string): GatewayAddress {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw wrong('This is not an address of a Gateway.');
  }
  const isLocal = loopback.test(url.hostname);
  if (url.protocol !== 'wss:' && url.protocol !== 'ws:')
    throw wrong('The address of a Gateway begins with ws:// or wss://.');
  if (url.username !== '' || url.password !== '')
    throw wrong('An address with a user name or password in it is not taken.');
  if (url.protocol === 'ws:' && !isLocal)
    throw wrong('A Gateway on another machine is only spoken to over TLS.');
  return { url: url.href, isLocal };
}

function wrong(sentence: string): Error {
  return refuse(
    'invalid-request',
    sentence,
    'Write it like ws://127.0.0.1:18789 or wss://gateway.example.',
  );
}

/** The Gateway's token from its file: one line, 0600, ours. What it holds is part of no sentence. */
export function readGatewayToken(path: string, uid: number): string {
  const file = readPrivateFile(path, { uid, maxBytes: 4096 });
  if (file.kind === 'missing') throw unusable(path, 'does not exist');
  if (file.kind === 'unsafe') throw unusable(path, file.why);
  const token = file.text.trim();
  if (!/^[\x21-\x7e]{8,}$/.test(token)) throw unusable(path, 'does not hold a token on one line');
  return token;
}

function unusable(path: string, why: string): Error {
  return refuse(
    'config-invalid',
    `The token file ${path} ${why}.`,
    'Put the token of the Gateway into it, on one line, and run: chmod 600 FILE.',
  );
}

type Caller = Pick<GatewayConnection, 'call'>;

/** OpenClaw's own approvals policy: of the Gateway, or of a node. The socket's token is redacted there. */
export async function getPolicy(caller: Caller, nodeId: string | null): Promise<PolicySnapshot> {
  return snapshotOf(
    nodeId === null
      ? await caller.call('exec.approvals.get', {})
      : await caller.call('exec.approvals.node.get', { nodeId }),
  );
}

/** Replaces it, if it is still the one that `baseHash` names. */
export async function setPolicy(
  caller: Caller,
  wanted: {
    readonly file: Readonly<Record<string, unknown>>;
    readonly baseHash: string;
    readonly nodeId: string | null;
  },
): Promise<PolicySnapshot> {
  const { file, baseHash, nodeId } = wanted;
  return snapshotOf(
    nodeId === null
      ? await caller.call('exec.approvals.set', { file, baseHash })
      : await caller.call('exec.approvals.node.set', { file, baseHash, nodeId }),
  );
}

function snapshotOf(answer: unknown): PolicySnapshot {
  const checked = checkSnapshot(answer);
  if (checked.ok) return checked.value;
  throw new GatewayFailure(`OpenClaw's Gateway sent a policy that is none: ${checked.error}`);
}
