import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBuckets } from '../../runner/limits/bucket.ts';
import { createLimits } from '../../runner/limits/limits.ts';
import { authenticateSigned } from '../../runner/principals/callers.ts';
import { openNonceWindow } from '../../runner/principals/nonce-window.ts';
import { defaultConfig } from '../../shared/engine/index.ts';
import { bodyDigest, readSignature, signCall } from '../../shared/ipc/index.ts';
import { redact } from '../../shared/engine/index.ts';

/** One part of what a request costs at the door; the median batch, in microseconds. */
export interface AdmissionFigure {
  readonly name: string;
  readonly micros: number;
}

const batches = 40;
const batchSize = 50;
const body = { argv: ['git', 'status', '-s'], cwd: '/srv/project', agent: 'claude', session: 's1' };
const payload = JSON.stringify(body);
const call = { method: 'POST', path: '/v1/exec', body, payload };
const everyday = 'git commit -m "change" && git push origin main # '.padEnd(4_000, 'word ');
const hostile = 'A-eyJaaaaaaaaaaaa'.repeat(236).slice(0, 4_000);

/** Signing and verifying, limits, and the redaction of a command of 4,000 characters. */
export async function measureAdmission(): Promise<readonly AdmissionFigure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-door-'));
  const uid = process.getuid?.() ?? -1;
  const key = randomBytes(32);
  const now = Date.now;
  const signer = { agent: 'claude', key, now, random: randomBytes };
  const nonces = openNonceWindow({ path: join(folder, 'nonces'), uid, now });
  const parts = { principals: { key: async () => key }, nonces, now };
  const most = 1e9;
  const limits = createLimits({
    settings: () => ({
      ...defaultConfig.limits,
      requestsPerMinute: most,
      burst: most,
      requestsPerMinuteInAll: most,
      burstInAll: most,
    }),
    buckets: createBuckets({ elapsed: () => performance.now(), levels: {} }),
    changed: () => {},
  });
  const principal = { agent: 'claude', uid, pid: 1, session: null, claimed: null };
  const works: Readonly<Record<string, () => unknown>> = {
    'sign a request (client)': () => signCall(signer, call),
    'sign and verify it, nonce on file (runner)': async () => {
      const signature = readSignature(signCall(signer, call));
      if (signature !== null)
        await authenticateSigned({ signature, ...call, digest: bodyDigest(payload) }, parts);
    },
    'limits: in at the door, the rate, out again': () => {
      const leave = limits.enter(principal);
      limits.meter(principal, ['/usr/bin/git']);
      leave();
    },
    'redact 4,000 everyday characters': () => redact(everyday),
    'redact 4,000 hostile characters': () => redact(hostile),
  };
  try {
    const figures: AdmissionFigure[] = [];
    for (const [name, work] of Object.entries(works))
      figures.push({ name, micros: await microsOf(work) });
    return figures;
  } finally {
    nonces.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The median batch counts: what else the machine does meanwhile falls on the others. */
async function microsOf(work: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let batch = 0; batch < batches; batch += 1) {
    const start = performance.now();
    for (let index = 0; index < batchSize; index += 1) await work();
    times.push(performance.now() - start);
  }
  const warm = times.slice(batches / 4).toSorted((a, b) => a - b);
  return ((warm[Math.floor(warm.length / 2)] ?? NaN) * 1_000) / batchSize;
}
