import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { keptOverrides } from '../../../runner/gate/kept-overrides.ts';
import type { KeptOverrides } from '../../../runner/gate/kept-overrides.ts';
import { createSessionOverrides, loweredText } from '../../../runner/gate/overrides.ts';
import type { AskDraft, AskEnding, GatePorts } from '../../../runner/gate/ports.ts';
import { overrideSession, recordOrRefuse } from '../../../runner/service/override-session.ts';
import { refusalOf } from '../../../shared/base/refusal.ts';
import { defaultConfig } from '../../../shared/engine/config.ts';
import type { Config } from '../../../shared/engine/config.ts';
import type { PolicyDocument } from '../../../shared/engine/policy/types.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { answered, askPolicy, bench, ownUid } from '../gate/support.ts';

interface Given {
  readonly answer?: (draft: AskDraft) => AskEnding;
  readonly policy?: PolicyDocument;
  readonly config?: Partial<Config>;
  readonly ports?: Partial<GatePorts>;
  readonly record?: () => void;
  readonly kept?: KeptOverrides;
}

const yes = (draft: AskDraft): AskEnding => answered(draft, { decision: 'allow-once' });

/** A gate with sessions that can be raised, and all that was asked and written down about them. */
function sessions({ answer = yes, record, kept, ...given }: Given = {}) {
  const clock = fakeClock();
  const notes: string[] = [];
  const named = { generation: 'first' };
  const overrides = createSessionOverrides(
    clock,
    (one, why) => notes.push(loweredText(one, why)),
    () => named.generation,
    kept,
  );
  const made = bench({ answer, ...given, ports: { clock, overrides, ...given.ports } });
  const order = async (
    text: string,
    fields: { readonly session?: string; readonly forMs?: number } = {},
  ) =>
    overrideSession(
      { agent: 'claude', session: 's1', text, peer: { uid: ownUid, pid: 1 }, ...fields },
      new AbortController().signal,
      {
        ...made.ports,
        overrides,
        record: (code, said) => {
          record?.();
          notes.push(`${code}: ${said}`);
        },
      },
    );
  /** The code of the refusal, or `no refusal`. */
  const refused = async (text: string): Promise<string> =>
    order(text).then(
      () => 'no refusal',
      (error: unknown) => refusalOf(error)?.code ?? String(error),
    );
  const run = async (session = 's1', agent = 'claude'): Promise<string> => {
    const { result } = await made.exec({ argv: ['touch', 'x'], agent, session });
    const row = made.rows.findLast(({ type }) => type === 'decision');
    return result.ok && row !== undefined && 'code' in row ? String(row.code) : 'refused';
  };
  return { ...made, named, clock, notes, overrides, order, refused, run };
}

const no = (draft: AskDraft): AskEnding => answered(draft, { decision: 'deny' });
const nobody = (): AskEnding => ({ kind: 'unreachable' });

describe('a session', () => {
  it('that was raised for one agent is not for another of its name', async () => {
    const made = sessions();
    await made.order('/elevated full');
    expect(await made.run()).toBe('security-full');
    made.named.generation = 'second';
    expect(await made.run()).not.toBe('security-full');
    expect(made.notes.at(-1)).toContain('its agent was removed, made anew, or got another key');
    const again = sessions({
      answer: (draft) => {
        again.named.generation = 'second';
        return yes(draft);
      },
    });
    expect(await again.refused('/elevated full')).not.toBe('no refusal');
    expect(again.overrides.elevations()).toEqual([]);
  });

  it('is raised to this machine also where the host is found for each command', async () => {
    const config = { exec: { ...defaultConfig.exec, host: 'auto' } } as const;
    const { order, run, clock } = sessions({ config });
    const host = { value: 'gateway', setting: 'the session' };
    expect(await order('/elevated on')).toMatchObject({ host, security: { value: 'full' } });
    expect(await order('/elevated full')).toMatchObject({ ask: { value: 'off' } });
    expect(await run()).toBe('security-full');
    expect(await order('/elevated off')).toMatchObject({ host: { value: 'auto' } });
    await order('/exec host=sandbox');
    await order('/elevated on');
    clock.advance(defaultConfig.exec.elevatedMs);
    expect(await order('/exec')).toMatchObject({ host: { value: 'sandbox' }, elevation: null });
  });

  it('is not raised by a yes that comes after its end', async () => {
    let end = (): void => undefined;
    const made = sessions({
      answer: (draft) => {
        end();
        return yes(draft);
      },
    });
    end = () => made.overrides.endSession('claude', 's2');
    expect(await made.refused('/elevated on')).toBe('no refusal');
    made.overrides.off('claude', 's1', 'exec');
    end = () => made.overrides.endSession('claude', 's1');
    expect(await made.refused('/elevated on')).toBe('policy-deny');
    expect(await made.run()).toBe('allow-once');
    expect(made.overrides.elevations()).toEqual([]);
  });

  it('is raised by a person alone, for itself alone, and only for a while', async () => {
    const { order, run, clock, asked, notes } = sessions();
    const body = await order('/elevated on');
    expect(body).toMatchObject({ security: { value: 'full' }, elevation: { as: '/elevated on' } });
    expect(asked.map(({ command, risk, durations }) => [command, risk.level, durations])).toEqual([
      ['/elevated on', 'high', ['once']],
    ]);
    expect(await run()).toBe('security-full');
    expect(await run('s2')).toBe('allow-once');
    expect(await run('s1', 'codex')).toBe('allow-once');
    clock.advance(defaultConfig.exec.elevatedMs);
    expect(await run()).toBe('allow-once');
    expect(notes).toEqual([
      expect.stringContaining(
        'session-elevated: Session "s1" of "claude": /elevated on, by a person',
      ),
      'Session "s1" of "claude": /elevated on holds no more, its time is over.',
    ]);
  });

  it.each([
    ['a person says no', { answer: no }, 'confirm-rejected'],
    [
      'nobody can be asked, whatever the fallback',
      {
        answer: nobody,
        policy: {
          version: 1,
          agents: { '*': { security: 'full', ask: 'always', askFallback: 'full' } },
        },
      } as const,
      'approver-unavailable',
    ],
    ['nobody answers', { answer: () => ({ kind: 'expired' }) as const }, 'approval-timeout'],
    [
      'the agent may run nothing',
      { policy: { version: 1, agents: { '*': { security: 'deny' } } } } as const,
      'policy-deny',
    ],
    [
      'the settings bound it',
      { config: { exec: { ...defaultConfig.exec, security: 'allowlist' } } } as const,
      'policy-deny',
    ],
    ['its name does not count', { config: { principals: { trustClaims: false } } }, 'policy-deny'],
    ['it is locked', { stop: { mode: 'locked', reason: null } } as const, 'lockout-active'],
    [
      'it could not be written down',
      {
        record: () =>
          recordOrRefuse(
            {
              append: () => {
                throw new Error('full');
              },
            },
            { at: 0, code: '', text: '' },
          ),
      },
      'audit-unavailable',
    ],
  ] as const)('is not raised where %s', async (_, given, code) => {
    const { stop, ...rest } = given as Given & { readonly stop?: never };
    const made = sessions({
      ...rest,
      ...(stop === undefined ? {} : { stop: () => stop }),
    });
    expect(await made.refused('/elevated full')).toBe(code);
    expect(made.overrides.elevations()).toEqual([]);
  });

  it('is not raised any more where it was locked while the person thought about it', async () => {
    let locked = false;
    const made = sessions({
      answer: (draft) => {
        locked = true;
        return yes(draft);
      },
      ...({ stop: () => ({ mode: locked ? 'locked' : 'armed', reason: null }) } as object),
    });
    expect(await made.refused('/elevated on')).toBe('lockout-active');
  });

  it('has what it had before, once it is off', async () => {
    const { order, overrides, run, asked } = sessions();
    expect((await order('/exec ask=always')).ask).toEqual({
      value: 'always',
      setting: 'the session',
    });
    expect(asked).toEqual([]);
    await order('/elevated full');
    expect((await order('/exec')).ask.value).toBe('off');
    expect(await run()).toBe('security-full');
    expect((await order('/elevated off')).ask.value).toBe('always');
    expect((await order('/exec off')).ask.value).toBe('on-miss');
    expect(overrides.of('claude', 's1')).toBeNull();
  });

  it('is asked about for what loosens, by whichever command, and not for what tightens', async () => {
    const { order, asked } = sessions();
    await order('/exec security=deny');
    await order('/exec ask=always');
    expect(asked).toEqual([]);
    // What holds a session back is not taken back by whoever speaks in it.
    await order('/exec security=allowlist');
    await order('/exec security=full');
    await order('/exec ask=off');
    expect(asked.map(({ command, risk }) => [command, risk.level])).toEqual([
      ['/exec security=allowlist', 'low'],
      ['/exec security=full', 'high'],
      ['/exec ask=off', 'high'],
    ]);
  });

  it('ends with what a person takes back, with itself, and with a lockout', async () => {
    for (const [end, why] of [
      [(made: ReturnType<typeof sessions>) => made.overrides.end('id-1'), 'ended it'],
      [(made: ReturnType<typeof sessions>) => made.overrides.endSession('claude', 's1'), 'is over'],
      [(made: ReturnType<typeof sessions>) => made.overrides.clear(), 'was locked'],
    ] as const) {
      const made = sessions();
      await made.order('/elevated on');
      end(made);
      expect(await made.run()).toBe('allow-once');
      expect(made.notes.at(-1)).toContain(why);
    }
  });

  it('is told to whoever listens when it is raised and when that is over, however it ends', async () => {
    const { order, overrides, clock } = sessions();
    const told: number[] = [];
    overrides.onChange(() => told.push(overrides.elevations().length));
    await order('/exec ask=always');
    expect(told).toEqual([]);
    await order('/elevated on');
    await order('/elevated off');
    await order('/elevated on');
    clock.advance(defaultConfig.exec.elevatedMs);
    await order('/elevated on');
    overrides.endSession('claude', 's1');
    expect(told).toEqual([1, 0, 1, 0, 1, 0]);
  });

  it('is raised for no longer than the settings say, and shorter where that is asked for', async () => {
    const { order, clock } = sessions();
    const left = async (forMs: number): Promise<number> =>
      ((await order('/elevated on', { forMs })).elevation?.expiresAt ?? NaN) - clock.now();
    expect(await left(60_000)).toBe(60_000);
    expect(await left(80_000_000)).toBe(defaultConfig.exec.elevatedMs);
  });

  it('leaves what a rule denies denied', async () => {
    const deny = { id: 'd', effect: 'deny', pattern: 'touch' } as const;
    const policy = {
      ...askPolicy,
      agents: { '*': { ...askPolicy.agents?.['*'], allowlist: [deny] } },
    };
    const { order, run } = sessions({ policy });
    await order('/elevated full');
    expect(await run()).toBe('refused');
  });

  it.each([
    '/elevated maybe',
    '/exec host=moon',
    '/exec security=full security=deny',
    '/exec x',
    '/run',
  ])('takes no other words: %s', async (text) => {
    expect(await sessions().refused(text)).toBe('invalid-request');
  });
});

describe('what holds a session back', () => {
  it('is taken back by a person alone, and what was raised by anybody', async () => {
    const made = sessions({ answer: no });
    await made.order('/exec ask=always security=deny');
    expect(await made.refused('/exec off')).toBe('confirm-rejected');
    expect(await made.refused('/exec ask=on-miss')).toBe('confirm-rejected');
    expect(made.overrides.of('claude', 's1')?.own).toEqual({ ask: 'always', security: 'deny' });
    expect(made.asked.at(0)?.why).toContain('is to have no more: security=deny ask=always');
    const raised = sessions();
    await raised.order('/elevated on');
    raised.asked.length = 0;
    await raised.order('/exec off');
    expect(raised.asked).toEqual([]);
    expect(raised.overrides.elevations()).toEqual([]);
  });

  it('stays where a session says that it is over and goes on, and after a lockout', async () => {
    const { order, overrides, run, clock } = sessions();
    await order('/exec security=deny');
    overrides.endSession('claude', 's1');
    overrides.clear();
    expect(await run()).toBe('refused');
    clock.advance(25 * 3_600_000);
    overrides.set('claude', 'other', { ask: 'always' });
    expect(overrides.of('claude', 's1')).toBeNull();
  });

  it('does not give way to a flood of others', async () => {
    const { order, refused, run } = sessions();
    await order('/exec security=deny');
    let code = '';
    for (let n = 0; n < 200 && code !== 'rate-limit'; n += 1)
      code = await order('/exec ask=always', { session: `flood-${String(n)}` }).then(
        () => '',
        (error: unknown) => refusalOf(error)?.code ?? String(error),
      );
    expect(code).toBe('rate-limit');
    expect(await run()).toBe('refused');
    expect(await refused('/exec ask=always')).toBe('no refusal');
  });
});

describe('what a session keeps', () => {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-kept-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let count = 0;
  const place = () => ({ path: join(folder, `${String((count += 1))}.json`), uid: ownUid });

  it('is asked about, outlives the runner, and ends with "off" and a person', async () => {
    const file = place();
    const first = sessions({ kept: keptOverrides(file) });
    const body = await first.order('/exec ask=always --save');
    expect(body.kept).toBe(true);
    expect(first.asked.map(({ command, why }) => [command, why])).toEqual([
      [
        '/exec ask=always --save',
        'Session "s1" of "claude" is to keep, also after a restart: ask=always.',
      ],
    ]);
    await first.order('/exec security=allowlist');
    const second = sessions({ kept: keptOverrides(file) });
    expect((await second.order('/exec')).ask).toEqual({ value: 'always', setting: 'the session' });
    await second.order('/exec off');
    expect(second.asked).toHaveLength(1);
    expect((await second.order('/exec')).ask.value).toBe('on-miss');
    const third = sessions({ kept: keptOverrides(file) });
    expect(third.overrides.of('claude', 's1')).toBeNull();
  });

  it('is nothing without a yes, nothing that was raised, and nothing that could not be written', async () => {
    const file = place();
    const refuses = sessions({ answer: no, kept: keptOverrides(file) });
    expect(await refuses.refused('/exec ask=always --save')).toBe('confirm-rejected');
    expect(refuses.overrides.of('claude', 's1')).toBeNull();
    const made = sessions({ kept: keptOverrides(file) });
    expect(await made.refused('/exec security=full --save')).toBe('invalid-request');
    expect(await made.refused('/exec --save --save')).toBe('invalid-request');
    expect(await made.refused('/elevated on --save')).toBe('invalid-request');
    expect(made.asked).toEqual([]);
    expect(existsSync(file.path)).toBe(false);
    const full = sessions({
      kept: {
        load: () => [],
        save: () => {
          throw new Error('full');
        },
      },
    });
    expect(await full.refused('/exec ask=always --save')).toBe('Error: full');
    expect(full.overrides.of('claude', 's1')?.own ?? {}).toEqual({});
  });

  it.each([
    ['no JSON', '{'],
    ['another form', '{"version":1,"sessions":[{"agent":"a"}]}'],
    ['a field twice', '{"version":1,"version":1,"sessions":[]}'],
  ])('refuses what comes in a session where its file has %s', async (_, text) => {
    const file = place();
    writeFileSync(file.path, text, { mode: 0o600 });
    const made = sessions({ kept: keptOverrides(file) });
    expect(await made.run()).toBe('refused');
    expect(await made.refused('/exec ask=always')).toBe('config-invalid');
    expect(await made.refused('/elevated on')).toBe('config-invalid');
    expect(readFileSync(file.path, 'utf8')).toBe(text);
  });
});
