import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ask } from '../../shared/engine/index.ts';
import { ownUid } from '../../shared/home/index.ts';
import { connect, listen, openRunnerSession, serveApprovals } from '../../shared/ipc/index.ts';
import type { SessionOptions } from '../../shared/ipc/index.ts';
import { sampleAsk } from '../support/sample-ask.ts';

/** What one run of the round-trip benchmark found. Times in milliseconds. */
export interface RoundTripFigures {
  readonly rounds: number;
  /** One ask at a time: the machine's part of what a person waits. */
  readonly perSecond: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  /** Connect, handshake with both proofs, ready to ask. */
  readonly openMs: number;
}

/**
 * Measures ask → decision over a real Unix socket: schema, seal, node-ipc, unseal and back, with an
 * approver that answers at once. Both sides share this process, so each figure is an upper bound.
 */
export async function measureRoundTrips(rounds = 2_000): Promise<RoundTripFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const path = join(folder, 's');
  const options: SessionOptions = {
    token: 'a-token-for-the-benchmark-of-32-bytes',
    uid: ownUid(),
    // The limit is made for people; here it would only measure itself.
    limits: { burst: 1_000_000, framesPerSecond: 1_000_000 },
  };
  const listener = await listen(path, (duplex) => {
    serveApprovals(duplex, {
      v2: {
        ...options,
        onSession(session) {
          session.onAsk(({ id }, askDigest) => {
            session.decide({ id, askDigest, decision: 'allow-once' });
          });
        },
      },
      v1: null,
    });
  });
  try {
    const opening = performance.now();
    const runner = await openRunnerSession(await connect(path, { timeoutMs: 5_000 }), options);
    const openMs = performance.now() - opening;
    let decided: () => void = () => {};
    runner.onDecision(() => {
      decided();
    });
    const round = (ask: Ask): Promise<void> =>
      new Promise((resolve) => {
        decided = resolve;
        runner.ask(ask);
      });
    const expiresAt = Date.now() + 3_600_000;
    const asks = (count: number, prefix: string): Ask[] =>
      Array.from({ length: count }, (_, index) =>
        sampleAsk({ id: `${prefix}-${String(index)}`, expiresAt }),
      );
    for (const ask of asks(200, 'warm')) await round(ask);
    const times: number[] = [];
    for (const ask of asks(rounds, 'round')) {
      const start = performance.now();
      await round(ask);
      times.push(performance.now() - start);
    }
    runner.dispose();
    const total = times.reduce((sum, time) => sum + time, 0);
    times.sort((a, b) => a - b);
    return {
      rounds,
      perSecond: (rounds * 1_000) / total,
      medianMs: times[Math.floor(rounds / 2)] ?? NaN,
      p99Ms: times[Math.floor(rounds * 0.99)] ?? NaN,
      openMs,
    };
  } finally {
    await listener.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
}
