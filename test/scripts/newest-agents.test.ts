import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pinnedIn, verdictOf } from '../../scripts/lib/newest-agents.mjs';
import { pinFor } from '../agents/support/programs/fetch.ts';

const programs = join(import.meta.dirname, '../agents/support/programs');
const machine = { platform: 'linux', arch: 'x64' };

describe('trying the newest version of an agent', () => {
  it('finds every agent that is pinned, with its package for this machine', () => {
    const files = readdirSync(programs).map((name) => readFileSync(join(programs, name), 'utf8'));
    const pinned = files.map((text) => pinnedIn(text, machine)).filter((pin) => pin !== null);
    expect(pinned).toHaveLength(files.filter((text) => text.includes(': Known = {')).length);
    expect(pinned).toContainEqual(
      expect.objectContaining({ name: 'droid', package: '@factory/cli-linux-x64' }),
    );
    for (const { version } of pinned) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it('plays the version that is named, and no other agent by it', () => {
    const pin = { name: 'pi', version: '1.0.0', package: 'a', program: 'b' };
    const env = { INTERLOCK_AGENT_VERSIONS: 'claude=9.9.9,pi=1.0.1' };
    expect(pinFor(pin, env)).toEqual({ ...pin, version: '1.0.1' });
    expect(pinFor({ ...pin, name: 'kilo' }, env).version).toBe('1.0.0');
    expect(pinFor(pin, {})).toBe(pin);
  });

  it('says which scenario broke and why, and takes nothing played for no pass', () => {
    const passed = { fullName: 'pi 1.0.1 denied by a rule', status: 'passed' };
    const failed = {
      fullName: 'pi 1.0.1 a person says no',
      status: 'failed',
      failureMessages: ['expected 1 to be 0\n  at x'],
    };
    const report = (...all: readonly object[]) =>
      ({ testResults: [{ assertionResults: all }] }) as Parameters<typeof verdictOf>[0];
    expect(verdictOf(report(passed))).toEqual({ word: 'holds', lines: [] });
    expect(verdictOf(report(passed, failed))).toEqual({
      word: 'BROKEN',
      lines: ['pi 1.0.1 a person says no: expected 1 to be 0'],
    });
    const skipped = { fullName: 'not tested, because …', status: 'skipped' };
    expect(verdictOf(report(skipped))).toEqual({
      word: 'NOT TRIED',
      lines: ['not tested, because …'],
    });
    expect(verdictOf(null)).toEqual({ word: 'NOT TRIED', lines: [] });
  });
});
