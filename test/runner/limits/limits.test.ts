import { describe, expect, it } from 'vitest';
import { createBuckets } from '../../../runner/limits/bucket.ts';
import { createLimits } from '../../../runner/limits/limits.ts';
import type { Limits } from '../../../runner/limits/limits.ts';
import { defaultConfig } from '../../../shared/engine/config.ts';
import type { Config } from '../../../shared/engine/config.ts';
import { refusalOf } from '../../../shared/base/refusal.ts';

const claude = { agent: 'claude', uid: 1000 };
const codex = { agent: 'codex', uid: 1000 };

function limitsWith(changed: Partial<Config['limits']>, clock = { now: 0 }): Limits {
  return createLimits({
    settings: () => ({ ...defaultConfig.limits, ...changed }),
    buckets: createBuckets({ elapsed: () => clock.now, levels: {} }),
    changed: () => {},
  });
}

function codeOf(run: () => unknown): string {
  try {
    run();
    return 'taken';
  } catch (error) {
    return refusalOf(error)?.code ?? String(error);
  }
}

describe('the limits', () => {
  it('hold one principal to its rate and leave others alone', () => {
    const clock = { now: 0 };
    const limits = limitsWith({ requestsPerMinute: 60, burst: 2 }, clock);
    const meter = (): string => codeOf(() => limits.meter(claude, ['/usr/bin/ls']));
    expect([meter(), meter(), meter()]).toEqual(['taken', 'taken', 'rate-limit']);
    expect(codeOf(() => limits.meter(codex, ['/usr/bin/ls']))).toBe('taken');
    clock.now += 1_000;
    expect([meter(), meter()]).toEqual(['taken', 'rate-limit']);
  });

  it('hold all principals together, so that new names bring nothing', () => {
    const limits = limitsWith({ burstInAll: 3 });
    const codes = Array.from({ length: 4 }, (_, index) =>
      codeOf(() => limits.enter({ agent: `name-${index}`, uid: 1000 })),
    );
    expect(codes).toEqual(['taken', 'taken', 'taken', 'rate-limit']);
  });

  it('count what is under way, of one and in all, and give places back once', () => {
    const limits = limitsWith({ concurrentPerAgent: 2, concurrent: 3 });
    const leave = limits.enter(claude);
    limits.enter(claude);
    expect(codeOf(() => limits.enter(claude))).toBe('concurrency-busy');
    limits.enter(codex);
    expect(codeOf(() => limits.enter(codex))).toBe('concurrency-busy');
    leave();
    leave();
    expect(codeOf(() => limits.enter(claude))).toBe('taken');
    expect(codeOf(() => limits.enter(codex))).toBe('concurrency-busy');
  });

  it('let as many asks wait as they say, whatever may be under way at once', () => {
    const limits = limitsWith({ concurrentPerAgent: 2, pendingPerAgent: 4, askBurst: 60 });
    const asked = (): string =>
      codeOf(() => {
        limits.enter(claude);
        limits.ask(claude);
      });
    expect([asked(), asked(), asked(), asked(), asked()]).toEqual([
      'taken',
      'taken',
      'taken',
      'taken',
      'concurrency-busy',
    ]);
    // The fifth stands in the door; one more may run besides, and no third.
    expect(codeOf(() => limits.enter(claude))).toBe('taken');
    expect(codeOf(() => limits.enter(claude))).toBe('concurrency-busy');
  });

  it('hold floods of asks, by rate and by number', () => {
    const limits = limitsWith({ pendingPerAgent: 2, pending: 3, askBurst: 3 });
    const answered = limits.ask(claude);
    limits.ask(claude);
    expect(codeOf(() => limits.ask(claude))).toBe('concurrency-busy');
    answered();
    limits.ask(claude);
    limits.ask(codex);
    expect(codeOf(() => limits.ask(codex))).toBe('concurrency-busy');
    const flood = limitsWith({ askBurst: 2 });
    flood.ask(claude)();
    flood.ask(claude)();
    expect(codeOf(() => flood.ask(claude))).toBe('rate-limit');
  });

  describe('for a program with a rate of its own', () => {
    const programs = [
      { pattern: 'git', perMinute: 60, burst: 3 },
      { pattern: '/usr/bin/curl*', perMinute: 60, burst: 1 },
    ];
    const settings = { burst: 1, programs };

    it('count that rate instead of the principal’s', () => {
      const limits = limitsWith(settings);
      const meter = (): string => codeOf(() => limits.meter(claude, ['/usr/bin/git']));
      expect([meter(), meter(), meter(), meter()]).toEqual([
        'taken',
        'taken',
        'taken',
        'rate-limit',
      ]);
      expect(codeOf(() => limits.meter(claude, ['/usr/bin/ls']))).toBe('taken');
    });

    it('let no other program through on its rate', () => {
      const limits = limitsWith(settings);
      const chain = (): string =>
        codeOf(() => limits.meter(claude, ['/usr/bin/git', '/usr/bin/ls']));
      expect([chain(), chain()]).toEqual(['taken', 'rate-limit']);
    });

    it('hold a strict program in whatever company it comes', () => {
      const limits = limitsWith({ ...settings, burst: 10 });
      const chain = (): string =>
        codeOf(() => limits.meter(claude, ['/usr/bin/ls', '/usr/bin/curl']));
      expect([chain(), chain()]).toEqual(['taken', 'rate-limit']);
    });

    it('count a command of which no program is known as the principal’s', () => {
      const limits = limitsWith(settings);
      const meter = (): string => codeOf(() => limits.meter(claude, []));
      expect([meter(), meter()]).toEqual(['taken', 'rate-limit']);
    });
  });
});
