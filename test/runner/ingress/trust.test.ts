import { describe, expect, it } from 'vitest';
import { defaultConfig } from '../../../shared/engine/config.ts';
import { fullPolicy } from '../gate/support.ts';
import { call, serve } from './support.ts';

const config = {
  users: [
    { name: 'me', trust: 'owner', match: ['terminal:default'] },
    { name: 'guests', trust: 'familiar', match: ['signal:+49*'] },
  ],
} as const;

describe('GET /v1/trust', () => {
  it('says as whom a caller with these claims counts', async () => {
    const { path } = await serve({ config });
    const ask = async (query: string) => (await call(path, `/v1/trust${query}`)).json;
    expect(await ask('')).toMatchObject({
      ok: true,
      level: 'owner',
      users: ['me'],
      may: { shell: 'as-configured' },
      memory: ['private', 'shared', 'social'],
    });
    expect(await ask('?channel=signal:%2B4912&group=1')).toMatchObject({
      level: 'familiar',
      channel: 'signal:+4912',
      memory: ['social'],
    });
  });

  it('answers a guest about themselves', async () => {
    const credentials = () => ({ uid: 4711, pid: 1 });
    const { path } = await serve({ config, uid: 4711, credentials });
    expect((await call(path, '/v1/trust?user=me')).json).toMatchObject({ level: 'public' });
  });

  it.each(['?channel=nothing', '?channel=a:b%0A', '?group=0', '?trust=owner'])(
    'refuses %s',
    async (query) => {
      const { path } = await serve({ config });
      expect((await call(path, `/v1/trust${query}`)).status).toBe(400);
    },
  );
});

describe('a call that says for whom it is', () => {
  it('is held to that, through every door', async () => {
    const { path } = await serve({ policy: fullPolicy, config: { ...defaultConfig, ...config } });
    const claims = { channel: 'signal:+4912' };
    const exec = await call(path, '/v1/exec', {
      body: { argv: ['true'], cwd: '/tmp', ...claims },
    });
    expect(exec.body).toContain('"code":"policy-deny"');
    const hook = async (query: string): Promise<string> => {
      const input = { tool_name: 'Bash', tool_input: { command: 'true' } };
      const body = { hook_event_name: 'PreToolUse', session_id: 's', cwd: '/tmp', ...input };
      return (await call(path, `/v1/hooks/claude${query}`, { body })).body;
    };
    expect(await hook('')).toContain('--ticket');
    expect(await hook('?channel=signal:%2B4912')).toContain('policy-deny');
    expect(await hook('?channel=nothing')).toContain('"ok":false');
  });
});
