import { createPublicKey, randomUUID, verify } from 'node:crypto';
import { once } from 'node:events';
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
  /** Sends an event to everybody who is signed in. */
  tell(event: string, payload: unknown): void;
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
}

/** A Gateway of OpenClaw as far as the contract describes it, on a free port of loopback. */
export async function standInGateway(options: StandInOptions): Promise<StandIn> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  const calls: Call[] = [];
  const connects: Record<string, unknown>[] = [];
  const signedIn = new Set<WebSocket>();
  const taken = new Map<string, number>();
  let heard: (() => void)[] = [];

  server.on('connection', (socket) => {
    const nonce = randomUUID();
    const send = (frame: object): void => socket.send(JSON.stringify(frame));
    send({ type: 'event', event: 'connect.challenge', payload: { nonce, ts: Date.now() } });
    socket.on('close', () => signedIn.delete(socket));
    socket.on('message', (data: Buffer) => {
      const frame = JSON.parse(data.toString('utf8')) as Call & { id: string; type: string };
      const { id, method, params } = frame;
      if (frame.type !== 'req') return socket.close(1008);
      if (!signedIn.has(socket)) {
        const reply = options.hello?.() ?? greeting(frame, nonce, options.token);
        if (reply.ok) {
          signedIn.add(socket);
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

/** Checks `connect` as the Gateway does: version, role, token, and the device's signature. */
function greeting({ method, params }: Call, nonce: string, token: string): Reply {
  const refused = (code: string): Reply => ({
    ok: false,
    error: {
      code: 'INVALID_REQUEST',
      message: 'unauthorized',
      details: { code, recommendedNextStep: 'update_auth_credentials' },
    },
  });
  const { client, device, auth, scopes, role } = params as {
    readonly client: { id: string; mode: string; platform: string };
    readonly device: Record<'id' | 'publicKey' | 'signature' | 'nonce', string> & {
      readonly signedAt: number;
    };
    readonly auth: { token: string };
    readonly scopes: string[];
    readonly role: string;
  };
  if (method !== 'connect' || params['minProtocol'] !== 4 || params['maxProtocol'] !== 4)
    return refused('PROTOCOL_MISMATCH');
  if (role !== 'operator' || auth.token !== token) return refused('AUTH_TOKEN_MISMATCH');
  const who = `v3|${device.id}|${client.id}|${client.mode}|${role}|${scopes.join(',')}`;
  const when = `${String(device.signedAt)}|${auth.token}|${nonce}|${client.platform}|`;
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
  return {
    ok: true,
    payload: { type: 'hello-ok', protocol: 4, policy: { tickIntervalMs: 15_000 } },
  };
}
