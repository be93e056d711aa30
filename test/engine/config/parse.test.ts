import { describe, expect, it } from 'vitest';
import { defaultConfig } from '../../../shared/engine/config.ts';
import { parseConfig } from '../../../shared/engine/config-schema.ts';

describe('config.json', () => {
  it('may say nothing but its version', () => {
    expect(parseConfig('{"version": 1}')).toEqual({ ok: true, config: defaultConfig });
  });

  it('may set single fields and keeps the others at their defaults', () => {
    const text = JSON.stringify({
      version: 1,
      exec: { host: 'node', node: 'build-box' },
      approvals: { v1: false },
      agents: { claude: { host: 'sandbox' } },
      users: [{ uid: 1000, agents: ['*'] }],
    });
    const parsed = parseConfig(text);
    expect(parsed.ok && parsed.config).toEqual({
      ...defaultConfig,
      exec: { ...defaultConfig.exec, host: 'node', node: 'build-box' },
      approvals: { ...defaultConfig.approvals, v1: false },
      agents: { claude: { host: 'sandbox' } },
      users: [{ uid: 1000, agents: ['*'] }],
    });
  });

  it('accepts its own defaults', () => {
    expect(parseConfig(JSON.stringify(defaultConfig))).toEqual({ ok: true, config: defaultConfig });
  });

  it('keeps room for other programs: names that begin with "x-" decide nothing', () => {
    const text = '{"version": 1, "x-fleet": {"id": 7}, "exec": {"x-why": "a trial"}}';
    const parsed = parseConfig(text);
    expect(parsed.ok && parsed.config).toMatchObject(defaultConfig);
  });

  it.each([
    ['{}', 'lacks the field "version"'],
    ['{"version": 2}', 'version must be 1, not 2'],
    ['{"version": 1, "exce": {}}', 'has an unknown field "exce"'],
    ['{"version": 1, "exec": {"hots": "node"}}', 'exec has an unknown field "hots"'],
    [
      '{"version": 1, "exec": {"host": "moon"}}',
      'exec.host must be one of "sandbox", "gateway", "node", "auto", not "moon"',
    ],
    ['{"version": 1, "exec": {"timeoutMs": 0}}', 'exec.timeoutMs must be at least 1000, not 0'],
    [
      '{"version": 1, "exec": {"timeoutMs": 5000, "maxTimeoutMs": 4000}}',
      'greater than exec.maxTimeoutMs',
    ],
    [
      '{"version": 1, "limits": {"burst": "9"}}',
      'limits.burst must be a whole number, not a string',
    ],
    ['{"version": 1, "users": [{"uid": 1}]}', 'users[0] lacks the field "agents"'],
    [
      '{"version": 1, "exec": {"workspaces": ["relative"]}}',
      'exec.workspaces[0] must be an absolute path',
    ],
    [
      '{"version": 1, "lockout": {"pauseAfterIdleMs": 5}}',
      'lockout.pauseAfterIdleMs must be at least 10000, not 5',
    ],
    [
      '{"version": 1,\n"exec": {"host": "node",\n"hots": 1}}',
      'has an unknown field "hots" (line 3)',
    ],
    [
      '{"version": 1,\n"approvals": {"v1": false,\n"v1": true}}',
      'the field "v1" stands there twice, again on line 3',
    ],
    ['not json', 'not valid JSON'],
  ])('is refused: %s', (text, message) => {
    const parsed = parseConfig(text);
    expect(parsed.ok).toBe(false);
    if (!parsed.ok) {
      expect(parsed.problem.code).toBe('config-invalid');
      expect(parsed.problem.message).toContain(message);
    }
  });
});
