import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { PermitBody } from '../../../../shared/wire/api.ts';
import type { PermitRequest } from '../../../../shared/wire/requests.ts';
import { RefusalError } from '../../../../shared/base/refusal.ts';
import type { RefusalCode } from '../../../../shared/base/refusal.ts';
import { systemClock } from '../../../../shared/home/clock.ts';
import { openDevice } from '../../../../runner/nodes/device.ts';
import type {
  ApprovalRecord,
  ApprovalRequest,
} from '../../../../runner/ingress/openclaw/frames.ts';
import { keepConnected } from '../../../../runner/ingress/openclaw/stay.ts';
import { createOperator } from '../../../../runner/ingress/openclaw/operator.ts';
import { signIn } from '../../../../runner/ingress/openclaw/sign-in.ts';
import { fakeClock } from '../../../support/fake-clock.ts';
import type { FakeClock } from '../../../support/fake-clock.ts';
import { standInGateway } from './gateway.ts';
import type { Call, Reply, StandIn, StandInOptions } from './gateway.ts';

export const token = 'gateway-token-of-this-test';
export const folder = '/tmp';

/** A request as the Gateway tells it; it expires a minute after the test's clock began. */
export function record(id: string, request: Partial<ApprovalRequest> = {}): ApprovalRecord {
  const now = fakeClock().now();
  return {
    id,
    request: { command: 'ls -la', cwd: folder, host: 'gateway', agentId: 'main', ...request },
    createdAtMs: now,
    expiresAtMs: now + 60_000,
  };
}

/** One question that reached the gate, and how to answer it. */
export interface Asked {
  readonly request: PermitRequest;
  readonly signal: AbortSignal;
  readonly yes: () => void;
  readonly no: (code: RefusalCode) => void;
}

export interface Gate {
  readonly permit: (request: PermitRequest, signal?: AbortSignal) => Promise<PermitBody>;
  next(): Promise<Asked>;
  readonly count: () => number;
}

/** A gate whose answers the test gives. */
export function gate(): Gate {
  const queue: Asked[] = [];
  let wake = (): void => undefined;
  let count = 0;
  return {
    count: () => count,
    permit: async (request, signal = new AbortController().signal) =>
      new Promise((resolve, reject) => {
        count += 1;
        queue.push({
          request,
          signal,
          yes: () =>
            resolve({ ok: true, id: 'r1', permission: { code: 'allow-once', by: 'person' } }),
          no: (code) => reject(new RefusalError({ code, message: 'No.', hint: '' })),
        });
        signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
        wake();
      }),
    next: async () => {
      for (;;) {
        const asked = queue.shift();
        if (asked !== undefined) return asked;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

export interface Joined {
  readonly gateway: StandIn;
  readonly gate: Gate;
  readonly clock: FakeClock;
  readonly said: readonly string[];
  readonly done: Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Answers of a Gateway where this list waits. */
export function listing(waiting: () => readonly unknown[]): (call: Call) => Reply {
  return ({ method }) => ({
    ok: true,
    payload: method === 'exec.approval.list' ? waiting() : { ok: true },
  });
}

/** An operator that keeps itself connected to a stand-in; asks expire by the test's own clock. */
export async function joined(
  options: Partial<StandInOptions> = {},
  question: { readonly agent?: string } = {},
): Promise<Joined> {
  const gateway = await standInGateway({ token, answer: listing(() => []), ...options });
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'il-openclaw-')));
  const device = openDevice(join(home, 'device.pem'), process.getuid?.() ?? -1);
  const clock = fakeClock();
  const said: string[] = [];
  const asking = gate();
  const stop = new AbortController();
  const operator = createOperator({
    client: asking,
    clock,
    say: (line) => void said.push(line),
    question: { agent: null, isLocal: true, isFolder: (path) => path === folder, ...question },
  });
  const done = keepConnected({
    operator,
    clock: { ...systemClock, after: (_ms, run) => systemClock.after(1, run) },
    random: () => 0,
    say: (line) => void said.push(line),
    signal: stop.signal,
    connect: async () =>
      signIn({
        url: gateway.url,
        credentials: { kind: 'shared', token, device },
        scope: 'operator.approvals',
        clock: systemClock,
        version: '0.1.0',
        platform: 'linux',
        onEvent: (event) => operator.onEvent(event),
      }),
  });
  done.catch(() => undefined);
  const end = async (): Promise<void> => {
    stop.abort();
    await done.catch(() => undefined);
  };
  onTestFinished(async () => {
    await end();
    await gateway.close();
    rmSync(home, { recursive: true, force: true });
  });
  return { gateway, gate: asking, clock, said, done, stop: end };
}
