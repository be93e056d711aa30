import { describe, expect, it } from 'vitest';
import { v1MaxOutput } from '../../../../shared/wire/frames-v1.ts';
import { v1Hmac } from '../../../../shared/ipc/protocol/v1.ts';
import { refuse } from '../../../../shared/base/refusal.ts';
import { execFrame, responder } from './support.ts';

const refused = (code: string, message: string, reason: string): object => ({
  type: 'exec-res',
  id: 'e1',
  ok: false,
  error: { code, message, reason },
});
const invalid = (message: string, reason = 'invalid'): object =>
  refused('INVALID_REQUEST', message, reason);

describe('a version-1 exec frame', () => {
  it('is signed as published', () => {
    const frame = {
      nonce: '0'.repeat(32),
      ts: 1_700_000_000_000,
      requestJson: '{"command":["echo","hi"]}',
    };
    expect(v1Hmac('tok', frame)).toBe(
      '547772ccb3ea963cfdcafa9015a00a3f76ace1e7cd91612119a211fcabb8a16e',
    );
  });

  it('is decided on and run by the handler, and answered with its result', async () => {
    const { answer, violations } = responder();
    expect(await answer(execFrame())).toEqual({
      type: 'exec-res',
      id: 'e1',
      ok: true,
      payload: { exitCode: 0, timedOut: false, success: true, stdout: 'hi\n', stderr: '' },
    });
    expect(violations).toEqual([]);
  });

  it('runs once: a replay is refused for as long as the frame would be valid', async () => {
    let runs = 0;
    const outcome = { timedOut: false, success: true, stdout: '', stderr: '' };
    const { answer, clock, violations } = responder({
      onExec: () => {
        runs += 1;
        return Promise.resolve({ ok: true, payload: outcome });
      },
    });
    const future = execFrame({ ts: clock.now() + 10_000 });
    await answer(future);
    for (const wait of [0, 10_000, 9_999, 1]) {
      clock.jump(wait);
      expect(await answer(future)).toEqual(invalid('replayed request', 'replay'));
    }
    clock.jump(1);
    expect(await answer(future)).toEqual(invalid('expired request', 'ttl'));
    expect(runs).toBe(1);
    expect(new Set(violations)).toEqual(new Set(['nonce-used']));
  });

  it.each<[string, object, object]>([
    ['too old', execFrame({ ts: 1_700_000_000_000 - 10_001 }), invalid('expired request', 'ttl')],
    ['from the future', execFrame({ ts: 1_700_000_010_001 }), invalid('expired request', 'ttl')],
    [
      'too old and badly signed',
      execFrame({ ts: 1 }, { hmac: 'x' }),
      invalid('expired request', 'ttl'),
    ],
    ['badly signed', execFrame({}, { hmac: '0'.repeat(64) }), invalid('invalid auth', 'hmac')],
    [
      'signed in capitals',
      execFrame(
        {},
        {
          hmac: v1Hmac('tok', {
            nonce: '0'.repeat(32),
            ts: 1_700_000_000_000,
            requestJson: '{"command":["echo","hi"]}',
          }).toUpperCase(),
        },
      ),
      invalid('invalid auth', 'hmac'),
    ],
    [
      'changed',
      execFrame({}, { requestJson: '{"command":["rm"]}' }),
      invalid('invalid auth', 'hmac'),
    ],
    [
      'badly signed and no JSON',
      execFrame({ requestJson: '{' }, { hmac: '' }),
      invalid('invalid auth', 'hmac'),
    ],
    ['no JSON', execFrame({ requestJson: '{' }), invalid('invalid payload', 'json')],
    ['no request', execFrame({ request: null }), invalid('invalid payload', 'json')],
    [
      'a command that is text',
      execFrame({ request: { command: 'ls' } }),
      invalid('invalid payload', 'json'),
    ],
    [
      'an env that is not text',
      execFrame({ request: { command: ['ls'], env: { A: 1 } } }),
      invalid('invalid payload', 'json'),
    ],
    ['no command', execFrame({ request: { command: [] } }), invalid('command required')],
    ['a blank command', execFrame({ request: { command: [' '] } }), invalid('command required')],
    [
      'a padded program',
      execFrame({ request: { command: ['ls '] } }),
      invalid('executable has surrounding whitespace'),
    ],
    [
      'other text than argv',
      execFrame({ request: { command: ['rm', 'x'], rawCommand: 'ls' } }),
      invalid('rawCommand mismatch'),
    ],
    [
      'an unknown approval',
      execFrame({ request: { command: ['ls'], approvalDecision: 'yes' } }),
      invalid('unexpected approval state'),
    ],
    [
      'screen recording',
      execFrame({ request: { command: ['ls'], needsScreenRecording: true } }),
      refused('UNAVAILABLE', 'PERMISSION_MISSING: screenRecording', 'permission:screenRecording'),
    ],
  ])('is refused before anybody is asked: %s', async (_what, frame, expected) => {
    const { answer } = responder({ onExec: () => Promise.reject(new Error('run')) });
    expect(await answer(frame)).toEqual(expected);
  });

  it('that is badly signed does not use up a nonce', async () => {
    const { answer } = responder();
    await answer(execFrame({}, { hmac: '0'.repeat(64) }));
    expect(await answer(execFrame())).toMatchObject({ ok: true });
  });

  it.each([{ nonce: undefined }, { ts: '1' }, { hmac: 1 }, { id: '' }, { requestJson: {} }])(
    'that is malformed gets no answer: %j',
    async (change) => {
      const { answer } = responder({ onExec: () => Promise.reject(new Error('run')) });
      expect(await answer(execFrame({}, change))).toBeNull();
    },
  );

  it('is told a refusal in the words it knows', async () => {
    for (const [code, message, reason] of [
      ['confirm-rejected', 'SYSTEM_RUN_DENIED: user denied', 'user-denied'],
      ['policy-deny', 'SYSTEM_RUN_DENIED: allowlist miss', 'allowlist-miss'],
      ['lockout-active', 'Locked.', 'lockout-active'],
    ] as const) {
      const { answer } = responder({
        onExec: () => Promise.reject(refuse(code, 'Locked.', 'Unlock.')),
      });
      expect(await answer(execFrame())).toEqual(refused('UNAVAILABLE', message, reason));
    }
  });

  it('is told nothing of a bug but that it was not run', async () => {
    const { answer } = responder({ onExec: () => Promise.reject(new Error('secret')) });
    expect(await answer(execFrame())).toEqual(
      refused('UNAVAILABLE', 'The command could not be run.', 'internal'),
    );
  });

  it('gets the tail of output that is too long, marked', async () => {
    const stdout = `${'x'.repeat(v1MaxOutput)}the end`;
    const payload = { timedOut: false, success: true, stdout, stderr: 'short' };
    const { answer } = responder({ onExec: () => Promise.resolve({ ok: true, payload }) });
    const result = (await answer(execFrame())) as { payload: { stdout: string; stderr: string } };
    expect(result.payload.stdout).toHaveLength(v1MaxOutput);
    expect(result.payload.stdout).toMatch(/^\.\.\. \(truncated\) x+the end$/);
    expect(result.payload.stderr).toBe('short');
  });
});
