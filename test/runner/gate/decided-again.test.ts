import { describe, expect, test } from 'vitest';
import type { PolicyDocument } from '../../../shared/engine/policy/types.ts';
import { answered, askPolicy, bench, codeOf, incoming } from './support.ts';

const rule = (effect: 'allow' | 'deny' | 'ask'): PolicyDocument => ({
  version: 1,
  agents: {
    '*': {
      security: 'allowlist',
      ask: 'on-miss',
      askFallback: 'full',
      allowlist: [{ id: 'late', effect, pattern: 'true' }],
    },
  },
});

/** A bench whose policy can be changed while a person looks at the ask. */
function person(
  meanwhile: (change: (policy: PolicyDocument) => void) => void,
  word = 'allow-once',
) {
  let policy = askPolicy;
  const remembered: string[] = [];
  const made = bench({
    answer: (draft) => {
      meanwhile((changed) => {
        policy = changed;
      });
      return answered(draft, { decision: word as 'allow-once' });
    },
    ports: {
      policy: { document: () => policy, used: () => {} },
      memory: {
        remember: async (ask) => {
          remembered.push(ask.command);
          return null;
        },
      },
    },
  });
  return { ...made, remembered };
}

test.each(['allow-once', 'allow-always'])(
  'a deny rule that was written while the ask was open wins over %s',
  async (word) => {
    const { exec, ran, rows, remembered } = person((change) => change(rule('deny')), word);
    expect(codeOf(await exec({ argv: ['true'] }))).toBe('policy-deny');
    expect([ran, remembered]).toEqual([[], []]);
    expect(rows.at(-1)).toMatchObject({ decision: 'deny', code: 'policy-deny', ruleIds: ['late'] });
  },
);

test('a rule that only asks by now leaves the answer what it is', async () => {
  const { exec, ran } = person((change) => change(rule('ask')));
  expect(codeOf(await exec({ argv: ['true'] }))).toBe('ran 0');
  expect(ran).toHaveLength(1);
});

test('a policy that is not valid any more allows nothing, whatever the person said', async () => {
  const { exec, ran } = bench({
    answer: (draft) => {
      valid = false;
      return answered(draft, { decision: 'allow-once' });
    },
    ports: {
      policy: {
        document: () => {
          if (!valid) throw new Error('broken');
          return askPolicy;
        },
        used: () => {},
      },
    },
  });
  let valid = true;
  expect(codeOf(await exec({ argv: ['true'] }))).toBe('host-unavailable');
  expect(ran).toEqual([]);
});

test('a lock that came in between wins, for what the host of the agent would carry out as well', async () => {
  let mode: 'armed' | 'locked' = 'armed';
  const { gate } = bench({
    stop: () => ({ mode, reason: null }),
    answer: (draft) => {
      mode = 'locked';
      return answered(draft, { decision: 'allow-once' });
    },
  });
  const io = { emit: () => {}, gone: new AbortController().signal };
  const result = await gate.permit(incoming({ argv: ['true'] }), io, 'elsewhere');
  expect(result).toMatchObject({ ok: false, refusal: { code: 'lockout-active' } });
});

test('a deny rule also wins over what the fallback says when nobody could be reached', async () => {
  let policy: PolicyDocument = {
    version: 1,
    agents: { '*': { security: 'full', ask: 'always', askFallback: 'full' } },
  };
  const { exec, ran } = bench({
    answer: () => {
      policy = rule('deny');
      return { kind: 'unreachable' };
    },
    ports: { policy: { document: () => policy, used: () => {} } },
  });
  expect(codeOf(await exec({ argv: ['true'] }))).toBe('policy-deny');
  expect(ran).toEqual([]);
});

test('a ticket is looked at again when it is redeemed', async () => {
  let policy = askPolicy;
  const { gate, ran } = bench({
    answer: (draft) => answered(draft, { decision: 'allow-once' }),
    ports: { policy: { document: () => policy, used: () => {} } },
  });
  const io = { emit: () => {}, gone: new AbortController().signal };
  const asked = incoming({ argv: ['true'] });
  const permitted = await gate.permit(asked, io, 'ticket');
  policy = rule('deny');
  if (!permitted.ok || permitted.ticket === null) throw new Error('no ticket was issued');
  const { ticket } = permitted.ticket;
  const result = await gate.redeem({ ticket, cwd: '/tmp', peer: asked.peer }, io);
  expect(result).toMatchObject({ ok: false, refusal: { code: 'policy-deny' } });
  expect(ran).toEqual([]);
});

describe('an ask that waits while the rules change', () => {
  const looks = (document: PolicyDocument) => {
    let policy = askPolicy;
    return bench({
      answer: (draft, { covered }) => {
        expect(covered()).toBe(false);
        policy = document;
        return covered() ? { kind: 'covered' } : answered(draft, { decision: 'deny' });
      },
      ports: { policy: { document: () => policy, used: () => {} } },
    });
  };

  test('is allowed by a rule that covers it by now, and the record names the rule', async () => {
    const { exec, ran, rows } = looks(rule('allow'));
    expect(codeOf(await exec({ argv: ['true'] }))).toBe('ran 0');
    expect(ran).toHaveLength(1);
    expect(rows[0]).toMatchObject({ decision: 'allow', by: 'policy', ruleIds: ['late'] });
  });

  test.each(['ask', 'deny'] as const)('stays where the new rule says %s', async (effect) => {
    const { exec, ran } = looks(rule(effect));
    expect(codeOf(await exec({ argv: ['true'] }))).not.toBe('ran 0');
    expect(ran).toEqual([]);
  });

  test('stays where everything is to be asked about', async () => {
    const allowed = rule('allow');
    const { exec, ran } = looks({
      ...allowed,
      agents: { '*': { ...allowed.agents?.['*'], ask: 'always' } },
    });
    expect(codeOf(await exec({ argv: ['true'] }))).toBe('confirm-rejected');
    expect(ran).toEqual([]);
  });

  test('stays where a rule of it covers only one of two stages', async () => {
    const { exec, ran } = looks(rule('allow'));
    expect(codeOf(await exec({ command: 'true && ls /' }))).toBe('confirm-rejected');
    expect(ran).toEqual([]);
  });

  test('is refused when the rule is gone again before it could start', async () => {
    let policy = askPolicy;
    const { exec, ran } = bench({
      answer: (_draft, { covered }) => {
        policy = rule('allow');
        expect(covered()).toBe(true);
        policy = askPolicy;
        return { kind: 'covered' };
      },
      ports: { policy: { document: () => policy, used: () => {} } },
    });
    expect(codeOf(await exec({ argv: ['true'] }))).toBe('binding-drift');
    expect(ran).toEqual([]);
  });

  test('is not covered by anything while everything is locked', async () => {
    let mode: 'armed' | 'locked' = 'armed';
    let policy = askPolicy;
    const { exec, ran } = bench({
      stop: () => ({ mode, reason: null }),
      answer: (draft, { covered }) => {
        policy = rule('allow');
        mode = 'locked';
        expect(covered).toThrow();
        return answered(draft, { decision: 'allow-once' });
      },
      ports: { policy: { document: () => policy, used: () => {} } },
    });
    expect(codeOf(await exec({ argv: ['true'] }))).toBe('lockout-active');
    expect(ran).toEqual([]);
  });
});
