import { describe, expect, it } from 'vitest';
import {
  githubEnvironment,
  githubTransforms,
  servicePath,
  withoutTokens,
} from '../../../shared/engine/egress/brokered.ts';
import { defaultEgress } from '../../../shared/engine/egress/config.ts';
import { forwardedHeaders } from '../../../shared/engine/egress/headers.ts';
import { compileEgress, judgeTarget, transformsFor } from '../../../shared/engine/egress/policy.ts';

const at = (host: string, port = 443) => ({ host, address: null, port });

describe('files of variables', () => {
  it.each([
    ['A=1\nGH_TOKEN=ghp_x\nB=2\n', 'A=1\nGH_TOKEN=x-interlock-brokered\nB=2\n'],
    ['export GITHUB_TOKEN="ghp_x"\r\n', 'export GITHUB_TOKEN=x-interlock-brokered'],
    ["  GH_ENTERPRISE_TOKEN = 'a b' # c", '  GH_ENTERPRISE_TOKEN =x-interlock-brokered'],
    ['GH_TOKEN: ghp_x', 'GH_TOKEN:x-interlock-brokered'],
    ['GH_TOKEN=a\nGH_TOKEN=b', 'GH_TOKEN=x-interlock-brokered\nGH_TOKEN=x-interlock-brokered'],
    // Where it cannot be told where the value ends, nothing is shown.
    ['GH_TOKEN="a\nb"\nA=1', ''],
    ['GH_TOKEN=a\\\nb\nA=1', ''],
    ["GITHUB_TOKEN='", ''],
  ])('%j: no token is left', (text, without) => {
    const found = withoutTokens(text);
    expect(found?.trimEnd()).toBe(without.trimEnd());
    expect(found).not.toMatch(/ghp_x|a b/u);
  });

  it.each(['', 'A=1', 'GH_TOKEN_FILE=/x', 'gh_token=x', 'MY_GH_TOKEN=x', '# GH_TOKEN=x'])(
    '%j stays as it is',
    (text) => expect(withoutTokens(text)).toBeNull(),
  );
});

describe('requests to GitHub', () => {
  const compiled = compileEgress(
    {
      ...defaultEgress,
      transforms: [
        { host: '*.github.com', set: { authorization: 'Bearer mine', 'x-team': 'seven' } },
        { host: 'github.com', set: { Authorization: 'Basic mine' } },
      ],
    },
    { last: githubTransforms },
  );
  const headers = (host: string) => {
    if (!compiled.ok) throw new Error(compiled.problem);
    const result = forwardedHeaders(['Host', host, 'authorization', 'token theirs'], {
      authority: host,
      transforms: transformsFor(compiled.policy, at(host), false),
      secret: (name) => (name === '@github' ? 'real' : null),
      isUpgrade: false,
    });
    return result.ok ? result.headers.join('|').toLowerCase() : result.problem;
  };

  it('are signed in last of all, and keep what else is set', () => {
    expect(headers('api.github.com')).toContain('authorization|bearer real');
    expect(headers('api.github.com')).toContain('x-team|seven');
    const basic = Buffer.from('x-access-token:real').toString('base64').toLowerCase();
    expect(headers('github.com')).toContain(`authorization|basic ${basic}`);
    for (const host of ['api.github.com', 'github.com'])
      expect(headers(host)).not.toMatch(/mine|theirs/u);
    // No other host gets it, however near its name is.
    for (const host of ['gist.github.com', 'github.com.example.org', 'raw.githubusercontent.com'])
      expect(headers(host)).not.toContain('real');
  });

  it('are not signed in where anybody could read along', () => {
    if (!compiled.ok) throw new Error(compiled.problem);
    expect(transformsFor(compiled.policy, at('github.com', 80), true)).toEqual([]);
    expect(transformsFor(compiled.policy, at('github.com', 8443), false)).toEqual([]);
  });

  it('give Git and gh nothing to ask for', () => {
    const env = githubEnvironment();
    expect(env).toMatchObject({ GH_TOKEN: 'x-interlock-brokered', GIT_TERMINAL_PROMPT: '0' });
    expect(env['GIT_CONFIG_COUNT']).toBe('2');
    expect(env['GIT_CONFIG_KEY_1']).toBe('credential.https://github.com.helper');
  });
});

describe('a service', () => {
  const service = {
    name: 'anthropic',
    base: 'https://api.example.com/v1/',
    header: 'x-api-key',
    secret: 'anthropic',
  };
  it('is allowed at its own host and port, and gets its key alone', () => {
    const compiled = compileEgress({ ...defaultEgress, presets: [], services: [service] });
    if (!compiled.ok) throw new Error(compiled.problem);
    const { policy } = compiled;
    expect(judgeTarget(policy, at('api.example.com')).verdict).toBe('allow');
    expect(judgeTarget(policy, at('api.example.com', 80)).verdict).toBe('ask');
    expect(policy.services).toMatchObject([{ name: 'anthropic', path: '/v1' }]);
    const [transform] = transformsFor(policy, at('api.example.com'), false);
    expect(transform?.remove).toContain('authorization');
    expect(transform?.set).toEqual({ 'x-api-key': { secret: 'anthropic' } });
  });

  it.each(['https://127.1/', 'https://exa mple/', 'https://a..b/'])('%s is none', (base) => {
    expect(compileEgress({ ...defaultEgress, services: [{ ...service, base }] }).ok).toBe(false);
  });

  it('is found by its path', () => {
    expect(servicePath('/~/anthropic/v1/messages?a=b')).toEqual({
      name: 'anthropic',
      path: '/v1/messages?a=b',
    });
    expect(servicePath('/~/anthropic')).toEqual({ name: 'anthropic', path: '' });
    for (const url of [
      '/~/',
      '/~anthropic/',
      '/~/A/',
      '/~/a b/',
      'http://x/~/anthropic/',
      '/x/~/a/',
    ])
      expect(servicePath(url)).toBeNull();
  });
});
