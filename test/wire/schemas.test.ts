import { describe, expect, it } from 'vitest';
import { decisionWords, withdrawReasons } from '../../shared/engine/ask.ts';
import { approverBodyTypes, runnerBodyTypes } from '../../shared/wire/frames-v2.ts';
import { approverBodyChecks, runnerBodyChecks } from '../../shared/wire/frames-v2.ts';
import { checkV1ExecRequest, checkV1Request } from '../../shared/wire/frames-v1.ts';
import { sampleAsk } from '../support/sample-ask.ts';

const askBody = (change: object = {}): unknown => ({
  type: 'ask',
  ask: { ...sampleAsk(), ...change },
});

describe('the schema of an ask', () => {
  it('takes a whole ask, with everything absent that may be', () => {
    expect(runnerBodyChecks.ask(askBody())).toMatchObject({ ok: true });
    const bare = sampleAsk({
      session: null,
      statedReason: null,
      stages: [],
      env: [],
      ancestry: [],
      proposals: [],
      risk: { level: 'none', findings: [] },
      opaque: { reason: 'glob', detail: 'A pattern.', span: null },
    });
    expect(runnerBodyChecks.ask({ type: 'ask', ask: bare })).toMatchObject({ ok: true });
  });

  it.each(Object.keys(sampleAsk()))('misses the field %s', (field) => {
    expect(runnerBodyChecks.ask(askBody({ [field]: undefined }))).toMatchObject({ ok: false });
  });

  it.each<[string, object]>([
    ['an unknown field', { extra: 1 }],
    ['an unknown kind', { kind: 'format-disk' }],
    ['a duration nobody knows', { durations: ['for-ever'] }],
    [
      'a span that is negative',
      { opaque: { reason: 'glob', detail: '', span: { start: -1, end: 0 } } },
    ],
    [
      'a risk nobody knows',
      { risk: { level: 'high', findings: [{ code: 'x', level: 'high', text: '', spans: [] }] } },
    ],
    ['a stage without its words', { stages: [{ ...sampleAsk().stages[0], argv: undefined }] }],
    ['a deadline that is not a number', { expiresAt: '2030' }],
    ['no id', { id: '' }],
    [
      'an ancestry without end',
      { ancestry: Array.from({ length: 65 }, () => ({ pid: 1, name: '', command: '' })) },
    ],
  ])('refuses %s', (_what, change) => {
    const checked = runnerBodyChecks.ask(askBody(change));
    expect(checked).toMatchObject({ ok: false });
    expect(checked.ok || checked.error).toMatch(/^ask/);
  });
});

describe('the schema of a decision', () => {
  const decision = (change: object = {}): unknown => ({
    type: 'decision',
    id: 'a',
    askDigest: 'f'.repeat(64),
    decision: 'deny',
    ...change,
  });
  const remember = { duration: 'session', proposalId: 'p1' };

  it.each(decisionWords)('takes %s', (word) => {
    expect(approverBodyChecks.decision(decision({ decision: word }))).toMatchObject({ ok: true });
  });

  it.each<[string, object, boolean]>([
    ['something to remember with "always"', { decision: 'allow-always', remember }, true],
    // "Never": whether it was on offer is looked at with the ask.
    ['something to remember with a deny', { remember }, true],
    ['something to remember with "once"', { decision: 'allow-once', remember }, false],
    [
      'a duration of "once"',
      { decision: 'allow-always', remember: { ...remember, duration: 'once' } },
      false,
    ],
    ['a note', { note: 'Use git clean -n first.' }, true],
    ['a note without end', { note: 'x'.repeat(2_001) }, false],
    ['no digest', { askDigest: undefined }, false],
    ['a digest in capitals', { askDigest: 'F'.repeat(64) }, false],
    ['an unknown field', { allow: true }, false],
  ])('with %s', (_what, change, ok) => {
    expect(approverBodyChecks.decision(decision(change)).ok).toBe(ok);
  });
});

describe('the schemas of the other frames', () => {
  it('exist for every type of body, and for no other', () => {
    expect(Object.keys(runnerBodyChecks)).toEqual([...runnerBodyTypes]);
    expect(Object.keys(approverBodyChecks)).toEqual([...approverBodyTypes]);
  });

  it.each(withdrawReasons)('take a withdrawal: %s', (reason) => {
    expect(runnerBodyChecks.withdraw({ type: 'withdraw', id: 'a', reason }).ok).toBe(true);
  });

  it('let version-1 clients add fields of their own, but not change the known ones', () => {
    const request = {
      type: 'request',
      token: 't',
      id: 'i',
      request: { command: 'ls', new: 1 },
      x: 2,
    };
    expect(checkV1Request(request).ok).toBe(true);
    expect(checkV1Request({ ...request, request: { command: 'ls', cwd: 7 } }).ok).toBe(false);
    expect(checkV1ExecRequest({ command: ['ls'], policySnapshot: {}, env: null }).ok).toBe(true);
    expect(checkV1ExecRequest({ command: ['ls'], timeoutMs: -1 }).ok).toBe(false);
  });
});
