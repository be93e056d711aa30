import { createPublicKey, randomUUID, verify } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';

export interface Call {
  readonly method: string;
  readonly params: Record<string, unknown>;
}

/** What a test tells the Gateway to answer: a payload, or an error. */
export type Reply =
  { readonly ok: true; readonly payload: unknown } | { readonly ok: false; readonly error: object };

export interface StandIn {
  readonly url: string;
  /** Calls after `connect`, in order. */
  readonly calls: readonly Call[];
  /** Params of every `connect` that was accepted. */
  readonly connects: readonly Record<string, unknown>[];
  /** Resolves with the next call of a method that was not waited for yet. */
  next(method: string): Promise<Call>;
  /** Sends an event to everybody who is signed in, as releases before 2026.9 do. */
  tell(event: string, payload: unknown): void;
  /** Sends one to those who may see the asks of other clients, as 2026.9.6 does. */
  tellReviewers(event: string, payload: unknown): void;
  /** Sends bytes as they are. */
  tellRaw(text: string): void;
  /** Breaks all connections off. */
  cut(): void;
  close(): Promise<void>;
}

export interface StandInOptions {
  readonly token: string;
  /** Answers calls other than `connect`; null leaves one without an answer. */
  readonly answer: (call: Call) => Reply | null;
  /** Stands in the place of `hello-ok`. */
  readonly hello?: () => Reply;
  /** By which it knows its approval runtime; a wrong one is passed over without a word. */
  readonly runtimeToken?: string;
}

interface Recorded {
  readonly pairingHello: { readonly auth: { readonly deviceToken: string } };
  readonly pairedHello: object;
  readonly adminHello: object;
  readonly requested: { readonly id: string };
}

/** What the real Gateway was recorded to send. */
export const recorded = JSON.parse(
  readFileSync(
    new URL('../../../fixtures/openclaw/2026.9.6.json', import.meta.url).pathname,
    'utf8',
  ),
) as Recorded;
const { pairingHello, pairedHello, adminHello } = recorded;
export const { deviceToken } = pairingHello.auth;

/** A Gateway of OpenClaw as far as the contract describes it, on a free port of loopback. */
export async function standInGateway(options: StandInOptions): Promise<StandIn> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  const calls: Call[] = [];
  const connects: Record<string, unknown>[] = [];
  const signedIn = new Set<WebSocket>();
  const reviewers = new Set<WebSocket>();
  const taken = new Map<string, number>();
  let heard: (() => void)[] = [];

  server.on('connection', (socket) => {
    const nonce = randomUUID();
    const send = (frame: object): void => socket.send(JSON.stringify(frame));
    send({ type: 'event', event: 'connect.challenge', payload: { nonce, ts: Date.now() } });
    socket.on('close', () => {
      signedIn.delete(socket);
      reviewers.delete(socket);
    });
    socket.on('message', (data: Buffer) => {
      const frame = JSON.parse(data.toString('utf8')) as Call & { id: string; type: string };
      const { id, method, params } = frame;
      if (frame.type !== 'req') return socket.close(1008);
      if (!signedIn.has(socket)) {
        const reply = options.hello?.() ?? greeting(frame, nonce, options.token);
        if (reply.ok) {
          signedIn.add(socket);
          if (isReviewer(params, options.runtimeToken)) reviewers.add(socket);
          connects.push(params);
        }
        return send({ type: 'res', id, ...reply });
      }
      calls.push({ method, params });
      for (const wake of heard.splice(0)) wake();
      const reply = options.answer({ method, params });
      return reply === null ? undefined : send({ type: 'res', id, ...reply });
    });
  });

  return {
    url: `ws://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    calls,
    connects,
    next: async (method) => {
      for (;;) {
        const seen = calls.filter((call) => call.method === method);
        const call = seen[taken.get(method) ?? 0];
        if (call !== undefined) {
          taken.set(method, (taken.get(method) ?? 0) + 1);
          return call;
        }
        await new Promise<void>((resolve) => {
          heard = [...heard, resolve];
        });
      }
    },
    tell: (event, payload) => {
      for (const socket of signedIn) socket.send(JSON.stringify({ type: 'event', event, payload }));
    },
    tellReviewers: (event, payload) => {
      for (const socket of reviewers)
        socket.send(JSON.stringify({ type: 'event', event, payload }));
    },
    tellRaw: (text) => {
      for (const socket of signedIn) socket.send(text);
    },
    cut: () => {
      for (const socket of server.clients) socket.terminate();
    },
    close: async () => {
      for (const socket of server.clients) socket.terminate();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Connecting {
  readonly client: { id: string; mode: string; platform: string };
  readonly device?: Record<'id' | 'publicKey' | 'signature' | 'nonce', string> & {
    readonly signedAt: number;
  };
  readonly auth: { token?: string; deviceToken?: string; approvalRuntimeToken?: string };
  readonly scopes: string[];
  readonly role: string;
}

/** Who may see the asks of other clients: administrators, and the approval runtime. */
function isReviewer(params: Call['params'], runtimeToken: string | undefined): boolean {
  const { client, auth, scopes } = params as unknown as Connecting;
  if (scopes.includes('operator.admin')) return true;
  const isBackend = client.id === 'gateway-client' && client.mode === 'backend';
  return isBackend && runtimeToken !== undefined && auth.approvalRuntimeToken === runtimeToken;
}

/** Checks `connect` as the Gateway does: version, role, token, and the device's signature. */
function greeting({ method, params }: Call, nonce: string, token: string): Reply {
  const refused = (code: string, message = 'unauthorized'): Reply => ({
    ok: false,
    error: {
      code: 'INVALID_REQUEST',
      message,
      details: { code, recommendedNextStep: 'update_auth_credentials' },
    },
  });
  const { client, device, auth, scopes, role } = params as unknown as Connecting;
  if (method !== 'connect' || params['minProtocol'] !== 4 || params['maxProtocol'] !== 4)
    return refused('PROTOCOL_MISMATCH');
  const shown = auth.token ?? auth.deviceToken;
  // The words of a Gateway that is careless: they must reach nobody as they are.
  if (role !== 'operator' || shown !== (auth.token === undefined ? deviceToken : token))
    return refused('AUTH_TOKEN_MISMATCH', `unauthorized: ${String(shown)}`);
  if (device === undefined) {
    const isLocalBackend = client.id === 'gateway-client' && auth.token !== undefined;
    return isLocalBackend ? { ok: true, payload: adminHello } : refused('DEVICE_REQUIRED');
  }
  const who = `v3|${device.id}|${client.id}|${client.mode}|${role}|${scopes.join(',')}`;
  const when = `${String(device.signedAt)}|${shown}|${nonce}|${client.platform}|`;
  const signed = `${who}|${when}`;
  const key = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: device.publicKey },
    format: 'jwk',
  });
  const isSigned = verify(
    null,
    Buffer.from(signed),
    key,
    Buffer.from(device.signature, 'base64url'),
  );
  if (!isSigned || device.nonce !== nonce) return refused('DEVICE_AUTH_SIGNATURE_INVALID');
  // A backend client is given no token of its own.
  if (client.id === 'gateway-client' && auth.token !== undefined)
    return { ok: true, payload: { ...pairedHello, auth: {} } };
  return { ok: true, payload: auth.token === undefined ? pairedHello : pairingHello };
}
