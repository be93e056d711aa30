import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withFileLock } from '../../shared/home/file-lock.ts';
import { readConfigFile } from '../../shared/home/config-file.ts';
import { hashOfText } from '../../shared/home/files.ts';
import { readPolicyFile } from '../../shared/home/policy-file.ts';
import { maxPolicyBytes } from '../../shared/home/policy-file.ts';
import type { PolicyFile } from '../../shared/home/policy-file.ts';
import { watchPolicyFile } from '../../shared/home/policy-file.ts';
import { writePolicyFile } from '../../shared/home/policy-file.ts';
import { firstPolicy } from '../../shared/engine/policy/edit.ts';
import { serialisePolicy } from '../../shared/engine/policy/parse.ts';
import type { PolicyDocument } from '../../shared/engine/policy/types.ts';

const uid = process.getuid?.() ?? 0;
const policy = firstPolicy({ path: '~/x.sock', token: 't'.repeat(43) });
const good = serialisePolicy(policy);
let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'interlock-policy-'));
  path = join(folder, 'exec-approvals.json');
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function put(text: string, mode = 0o600): void {
  const temporary = join(folder, 'put');
  writeFileSync(temporary, text, { mode });
  chmodSync(temporary, mode);
  renameSync(temporary, path);
}

describe('reading the policy file', () => {
  it('hands back the document with the hash of its raw text, and keeps a last good copy', () => {
    put(good);
    expect(readPolicyFile(path, { uid })).toEqual({
      ok: true,
      document: policy,
      hash: hashOfText(good),
    });
    expect(readFileSync(`${path}.last-good`, 'utf8')).toBe(good);
  });

  it('keeps nothing beside a file that is only looked at', () => {
    put(good);
    readPolicyFile(path, { uid, keepLastGood: false });
    expect(readdirSync(folder)).toEqual(['exec-approvals.json']);
  });

  it.each<[string, () => void, RegExp]>([
    ['malformed JSON', () => put('{"version": 1,'), /not valid JSON/],
    ['a wrong version', () => put('{"version": 7}'), /version 7/],
    ['a loose mode', () => put(good, 0o644), /can be used by others \(mode 644\)/],
    [
      'a symbolic link',
      () => {
        writeFileSync(join(folder, 'x'), good, { mode: 0o600 });
        symlinkSync('x', path);
      },
      /symbolic link/,
    ],
    [
      'a hard link',
      () => {
        put(good);
        linkSync(path, join(folder, 'x'));
      },
      /second name/,
    ],
    [
      'a directory',
      () => {
        mkdirSync(path);
      },
      /is a directory/,
    ],
    ['too much of it', () => put(' '.repeat(maxPolicyBytes + 1)), /larger than/],
    [
      'bytes that are not text',
      () => {
        writeFileSync(path, Buffer.from([0xff]), { mode: 0o600 });
      },
      /not UTF-8/,
    ],
  ])('fails closed on %s, and leaves the file and the last good copy alone', (_, make, message) => {
    put(good);
    readPolicyFile(path, { uid });
    rmSync(path);
    make();
    const file = readPolicyFile(path, { uid });
    expect(file.ok).toBe(false);
    if (file.ok) return;
    expect(file.problem.code).toBe('config-invalid');
    expect(file.problem.message).toMatch(message);
    expect(file.missing).toBe(false);
    expect(readFileSync(`${path}.last-good`, 'utf8')).toBe(good);
  });

  it('fails closed on a file of another user, and on none', () => {
    put(good);
    expect(readPolicyFile(path, { uid: uid + 1 })).toMatchObject({ ok: false, missing: false });
    rmSync(path);
    expect(readPolicyFile(path, { uid })).toMatchObject({ ok: false, missing: true, hash: null });
  });

  it('points to the last good copy when the file is gone, so that no rules are lost', () => {
    const hint = (): unknown => (readPolicyFile(path, { uid }) as { problem?: unknown }).problem;
    expect(hint()).toMatchObject({ hint: 'Run: interlock init' });
    put(good);
    readPolicyFile(path, { uid });
    rmSync(path);
    expect(hint()).toMatchObject({ hint: expect.stringContaining(`${path}.last-good`) });
  });
});

describe('writing the policy file', () => {
  it('creates it, and then replaces only what was read', async () => {
    const created = await writePolicyFile(path, policy, { uid, baseHash: null });
    expect(created.hash).toBe(hashOfText(readFileSync(path, 'utf8')));
    const next: PolicyDocument = { ...policy, defaults: { security: 'full' } };
    await expect(writePolicyFile(path, next, { uid, baseHash: null })).rejects.toThrow(
      /binding-drift/,
    );
    await expect(writePolicyFile(path, next, { uid, baseHash: 'x' })).rejects.toThrow(
      /binding-drift/,
    );
    await writePolicyFile(path, next, { uid, baseHash: created.hash });
    expect(readPolicyFile(path, { uid })).toMatchObject({ ok: true, document: next });
  });

  it('never writes over an invalid file, nor writes an invalid document', async () => {
    put('{broken');
    await expect(
      writePolicyFile(path, policy, { uid, baseHash: hashOfText('{broken') }),
    ).rejects.toThrow(/config-invalid/);
    expect(readFileSync(path, 'utf8')).toBe('{broken');
    put(good);
    const broken = { ...policy, defaults: { security: 'loose' } } as unknown as PolicyDocument;
    await expect(
      writePolicyFile(path, broken, { uid, baseHash: hashOfText(good) }),
    ).rejects.toThrow(/config-invalid/);
    expect(readFileSync(path, 'utf8')).toBe(good);
  });

  it('lets exactly one of many writers at once win', async () => {
    put(good);
    const writers = Array.from({ length: 12 }, (_, index) =>
      writePolicyFile(
        path,
        { ...policy, defaults: { askTimeoutMs: 1_000 + index } },
        { uid, baseHash: hashOfText(good) },
      ),
    );
    const results = await Promise.allSettled(writers);
    const winner = results.findIndex(({ status }) => status === 'fulfilled');
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(readPolicyFile(path, { uid })).toMatchObject({
      ok: true,
      document: { defaults: { askTimeoutMs: 1_000 + winner } },
    });
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('waits for another process that writes, and is not held up by one that was killed', async () => {
    const lock = `${path}.lock`;
    const holder = spawn('flock', [lock, 'sh', '-c', 'echo held; exec cat'], {
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
    });
    await once(holder.stdout, 'data');
    await expect(withFileLock(lock, () => 'entered', { waitMs: 0 })).rejects.toThrow(
      /concurrency-busy/,
    );
    process.kill(-(holder.pid ?? 0), 'SIGKILL');
    await once(holder, 'exit');
    expect(await withFileLock(lock, () => 'entered')).toBe('entered');
  });
});

describe('watching the policy file', () => {
  it('tells the first state at once, then each change, whatever its kind', () => {
    const states: PolicyFile[] = [];
    let tick = (): void => undefined;
    const clock = {
      now: () => 0,
      elapsed: () => 0,
      after: (_: number, run: () => void) => {
        tick = run;
        return () => {
          tick = () => undefined;
        };
      },
    };
    put(good);
    const stop = watchPolicyFile(path, { uid, clock, onChange: (file) => states.push(file) });
    tick();
    expect(states.map(({ ok }) => ok)).toEqual([true]);
    chmodSync(path, 0o666);
    tick();
    rmSync(path);
    tick();
    put(good);
    tick();
    tick();
    expect(states.map(({ ok }) => ok)).toEqual([true, false, false, true]);
    stop();
    put('{');
    tick();
    expect(states).toHaveLength(4);
  });

  it('hears of a rename without waiting for the poll', async () => {
    put(good);
    const clock = { now: () => 0, elapsed: () => 0, after: () => () => undefined };
    const changed = new Promise<PolicyFile>((resolve) => {
      let first = true;
      const stop = watchPolicyFile(path, {
        uid,
        clock,
        onChange(file) {
          if (!first) {
            stop();
            resolve(file);
          }
          first = false;
        },
      });
    });
    put(serialisePolicy({ ...policy, defaults: { security: 'full' } }));
    expect(await changed).toMatchObject({ ok: true, document: { defaults: { security: 'full' } } });
  });
});

describe('reading config.json', () => {
  it('means the defaults when there is none, and fails closed when it is unsafe or wrong', () => {
    const config = join(folder, 'config.json');
    expect(readConfigFile(config, { uid })).toMatchObject({ ok: true, hash: null });
    writeFileSync(config, '{"version": 1, "ui": {"holdMs": 2000}}', { mode: 0o600 });
    expect(readConfigFile(config, { uid })).toMatchObject({
      ok: true,
      config: { ui: { holdMs: 2000 } },
    });
    chmodSync(config, 0o644);
    expect(readConfigFile(config, { uid })).toMatchObject({
      ok: false,
      problem: { code: 'config-invalid' },
    });
  });
});
