import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PolicyDocument } from '../../../shared/engine/policy/types.ts';
import { testHome } from './support.ts';
import type { TestHome } from './support.ts';

let home: TestHome;
beforeEach(async () => {
  home = await testHome();
});
afterEach(() => home.close());

const edit = (document: PolicyDocument | null): PolicyDocument => ({
  ...document,
  version: 1,
  agents: { ...document?.agents, codex: { security: 'deny' } },
});

describe('the policy in the host', () => {
  it('is shown without its token and saved with it', async () => {
    const { host, until } = await home.start();
    const token = home.policy().socket?.token;
    const { policy } = await until((state) => state.policy.document !== null);
    expect(JSON.stringify(policy)).not.toContain(token);

    const saved = await host.handle('savePolicy', {
      document: edit(policy.document),
      baseHash: policy.hash,
    });
    expect(saved).toMatchObject({ ok: true });
    expect(home.policy()).toMatchObject({
      socket: { token },
      agents: { codex: { security: 'deny' } },
    });
    await until(
      (state) => saved.ok && state.policy.hash === (saved.result as { hash: string }).hash,
    );
  });

  it('is not saved over a change made elsewhere, and the page gets that change', async () => {
    const { host, until } = await home.start();
    const { policy } = await until((state) => state.policy.document !== null);
    const elsewhere = { ...home.policy(), agents: { claude: { security: 'full' } } };
    writeFileSync(home.paths.policy, JSON.stringify(elsewhere));
    const answer = await host.handle('savePolicy', {
      document: edit(policy.document),
      baseHash: policy.hash,
    });
    expect(answer).toMatchObject({
      ok: false,
      refusal: { code: 'binding-drift' },
      conflict: { document: { agents: { claude: { security: 'full' } } } },
    });
    expect(JSON.stringify(answer)).not.toContain(home.policy().socket?.token);
    expect(home.policy()).toEqual(elsewhere);
  });

  it('is not saved when it would not load again', async () => {
    const { host, until } = await home.start();
    const { policy } = await until((state) => state.policy.document !== null);
    const before = home.policy();
    const answer = await host.handle('savePolicy', {
      document: { ...policy.document, defaults: { security: 'open' } },
      baseHash: policy.hash,
    });
    expect(answer).toMatchObject({ ok: false, refusal: { code: 'config-invalid' } });
    expect(home.policy()).toEqual(before);
  });

  it('shows what is wrong with a file that turned invalid, and does not overwrite it', async () => {
    const { host, until } = await home.start();
    writeFileSync(home.paths.policy, '{');
    const { policy } = await until((state) => state.policy.problem !== null);
    expect(policy).toMatchObject({ document: null, problem: { code: 'config-invalid' } });
    const answer = await host.handle('savePolicy', {
      document: { version: 1 },
      baseHash: policy.hash,
    });
    expect(answer).toMatchObject({ ok: false, refusal: { code: 'config-invalid' } });
  });

  it('turns away runners while no token can be read', async () => {
    const { until } = await home.start();
    writeFileSync(home.paths.policy, '{"version":1}');
    await until((state) => state.policy.document?.agents === undefined);
    await expect(home.connectRunner()).rejects.toThrow();
  });

  it('is what the tester goes by, or the unsaved edit of it', async () => {
    const { host } = await home.start();
    const command = { agent: 'claude', command: 'ls -l', cwd: '/' };
    const rule = { id: 'r', pattern: '/**/ls', args: ['-l'] };
    const document = {
      version: 1,
      agents: { claude: { security: 'allowlist', allowlist: [rule] } },
    };
    expect(await host.handle('testCommand', command)).toMatchObject({
      ok: true,
      result: { verdict: 'ask' },
    });
    expect(await host.handle('testCommand', { ...command, document })).toMatchObject({
      ok: true,
      result: { verdict: 'allow' },
    });
  });
});
