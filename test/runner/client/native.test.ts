import { spawnSync } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventFrames, hookFrames } from '../../../runner/ingress/http/streams.ts';
import { packageRoot } from '../../../runner/version.ts';
import { lengthPrefixed } from '../../../shared/ipc/macs.ts';

const sources = join(packageRoot(), 'runner/client');
const fixtures = join(import.meta.dirname, '../../fixtures/client');
const compiler = spawnSync('cc', ['--version'], { encoding: 'utf8' });
const isLong = process.env['INTERLOCK_LONG'] === '1';
const strict = ['-std=c11', '-O2', '-Wall', '-Wextra', '-Werror', '-Wshadow', '-Wconversion'];
const sanitized = ['-g', '-O1', '-fsanitize=address,undefined', '-fno-sanitize-recover'];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'il-native-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function compiled(name: string, files: readonly string[], flags: readonly string[]): string {
  const target = join(folder, name);
  const made = spawnSync('cc', [...flags, `-I${sources}`, '-o', target, ...files], {
    encoding: 'utf8',
  });
  expect(made.stderr).toBe('');
  return target;
}

/** Bytes that look like nothing and are the same in every run. */
const noise = (length: number): Buffer => {
  const parts: Buffer[] = [];
  for (let at = 0; at * 32 < length; at += 1)
    parts.push(createHash('sha256').update(String(at)).digest());
  return Buffer.concat(parts).subarray(0, length);
};

describe.skipIf(process.platform !== 'linux' || compiler.error !== undefined)(
  'the native client',
  () => {
    test('compiles without a warning, the analyser included', () => {
      const analyser = compiler.stdout.includes('Free Software') ? ['-fanalyzer'] : [];
      const files = readdirSync(sources).filter((name) => name.endsWith('.c'));
      compiled(
        'client',
        files.map((name) => join(sources, name)),
        [...strict, ...analyser],
      );
    });

    test('refuses by its exit status where a stream it needs is closed', () => {
      const files = readdirSync(sources).filter((name) => name.endsWith('.c'));
      const client = compiled(
        'closed',
        files.map((name) => join(sources, name)),
        strict,
      );
      const hook = [
        '/bin/true',
        '/x/runner/hook/main.cjs',
        'claude',
        '--agent',
        'a',
        '--wait',
        '9',
      ];
      for (const [closed, status] of [
        ['<&-', 2],
        ['>&-', 2],
        ['<&- >&- 2>&-', 2],
        ['2>&- </dev/null', 0],
      ] as const) {
        const shell = ['-c', `exec "$0" "$@" ${closed}`, client, ...hook];
        const env = { PATH: '/usr/bin:/bin', INTERLOCK_HOME: '/nowhere' };
        expect(spawnSync('/bin/sh', shell, { env }).status, closed).toBe(status);
      }
    });

    test('hashes and signs as the platform does', () => {
      const program = compiled(
        'signing',
        [join(fixtures, 'signing.c'), join(sources, 'sign.c')],
        [...strict, ...sanitized],
      );
      // Around the ends of blocks, where the padding changes.
      const lengths = [0, 1, 2, 3, 54, 55, 56, 57, 63, 64, 65, 119, 120, 128, 1_000, 1_000_000];
      for (const [at, length] of lengths.entries()) {
        const [input, key] = [noise(length), noise(32 + at).subarray(at)];
        const hmac = (times: number): string =>
          createHmac('sha256', key)
            .update(Buffer.concat(Array.from({ length: times }, () => field(input))))
            .digest('hex');
        const { stdout } = spawnSync(program, [key.toString('base64url')], {
          input,
          encoding: 'utf8',
          maxBuffer: 4_000_000,
        });
        expect(stdout.trimEnd().split('\n')).toEqual([
          createHash('sha256').update(input).digest('hex'),
          hmac(1),
          hmac(2),
          input.toString('base64url'),
          key.toString('hex'),
        ]);
      }
    });

    test('takes no key that is written in another way', () => {
      const program = compiled(
        'keys',
        [join(fixtures, 'signing.c'), join(sources, 'sign.c')],
        [...strict, ...sanitized],
      );
      const key = noise(32).toString('base64url');
      for (const other of [`${key}A`, key.slice(1), `${key.slice(0, 42)}+`, `${key.slice(0, 42)}B`])
        expect([other, spawnSync(program, [other], { input: '' }).status]).toEqual([other, 2]);
    });

    test('takes no step outside a broken answer', () => {
      const program = compiled(
        'fuzz',
        [join(fixtures, 'answer-fuzz.c'), join(sources, 'answer.c')],
        ['-std=c11', ...sanitized],
      );
      const head = Buffer.from('HTTP/1.1 200 OK\r\ncontent-type: x\r\ndate: now\r\n\r\n');
      const answers = [
        hookFrames({ stdout: 'x'.repeat(20_000), stderr: 'words\n', exitCode: 2 }),
        Buffer.concat([
          eventFrames({ type: 'stdout', id: 'i', data: 'out', encoding: 'utf8' }),
          eventFrames({ type: 'stderr', id: 'i', data: '/w==', encoding: 'base64' }),
          eventFrames({
            type: 'finished',
            id: 'i',
            exitCode: 0,
            signal: null,
            durationMs: 1,
            truncated: false,
            folder: '/somewhere',
          }),
        ]),
        eventFrames({
          type: 'refused',
          id: 'i',
          refusal: { code: 'rate-limit', message: 'Wait.', hint: '' },
        }),
      ];
      const rounds = isLong ? 2_000_000 : 10_000;
      for (const answer of answers) {
        const input = Buffer.concat([head, answer]);
        const fuzz = spawnSync(program, ['20261122', String(rounds)], { input });
        expect(String(fuzz.stderr)).toBe('');
        expect(fuzz.status).toBe(0);
        expect(Number(fuzz.stdout)).toBeGreaterThan(0);
        expect(Number(fuzz.stdout)).toBeLessThan(rounds);
      }
    });
  },
);

/** A field under its length, as `lengthPrefixed` writes texts. */
function field(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

test('fields stand under their length here as they do in every mac', () => {
  expect(lengthPrefixed(['ü'])).toEqual(field(Buffer.from('ü')));
});
