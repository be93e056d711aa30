import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PolicyDocument } from '../../../shared/engine/policy/types.ts';
import { hashOfText } from '../../../shared/home/files.ts';
import { cli } from '../../runner/cli/support.ts';
import { testHome } from './support.ts';
import type { TestHome, TestHost } from './support.ts';

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
    expect(answer).toMatchObject({ ok: false, refusal: { code: 'invalid-request' } });
    expect(home.policy()).toEqual(before);
  });

  const rule = { id: 'git', pattern: 'git', args: ['status', '...'] };
  const saves = async ({ host, until }: TestHost, list: readonly unknown[]) => {
    const hash = hashOfText(readFileSync(home.paths.policy, 'utf8'));
    const { policy } = await until((state) => state.policy.hash === hash);
    const document = {
      ...policy.document,
      agents: { codex: { security: 'allowlist', allowlist: list } },
    };
    return host.handle('savePolicy', { document, baseHash: policy.hash });
  };

  it.each([
    ['fails an example of its own', [{ ...rule, examples: { match: ['git push'] } }], 'git push'],
    ['must not match what it matches', [{ ...rule, examples: { noMatch: ['git status'] } }], 'not'],
    ['cannot be understood', [{ ...rule, argPattern: '(' }], 'cannot be saved'],
  ])('is not saved with a rule that %s', async (_name, list, sentence) => {
    const before = home.policy();
    const answer = await saves(await home.start(), list);
    expect(answer).toMatchObject({ ok: false, refusal: { code: 'invalid-request' } });
    expect(JSON.stringify(answer)).toContain(sentence);
    expect(home.policy()).toEqual(before);
  });

  it('is saved beside a rule that fails its examples by now, and with one that passes', async () => {
    const old = { ...rule, id: 'old', examples: { match: ['git push'] } };
    const agents = { codex: { security: 'allowlist', allowlist: [old] } };
    writeFileSync(home.paths.policy, JSON.stringify({ ...home.policy(), agents }));
    const passes = { ...rule, examples: { match: ['git status -s'], noMatch: ['git push'] } };
    const at = await home.start();
    expect(await saves(at, [{ ...old, uses: 3 }, passes])).toMatchObject({ ok: true });
    expect(await saves(at, [{ ...old, note: 'changed' }, passes])).toMatchObject({ ok: false });
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
    const listed = { id: 'r', pattern: '/**/ls', args: ['-l'] };
    const document = {
      version: 1,
      agents: { claude: { security: 'allowlist', allowlist: [listed] } },
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

  it('is judged by the tester as by the command line, under the folders that config.json trusts', async () => {
    const exec = { trustedDirectories: ['/nowhere'] };
    writeFileSync(home.paths.config, JSON.stringify({ version: 1, exec }), { mode: 0o600 });
    const list = [{ id: 'ls', pattern: 'ls' }];
    const at = await home.start();
    expect(await saves(at, list)).toMatchObject({ ok: true });
    const { host } = at;
    const words = ['check', '--json', '--agent', 'codex', '--cwd', '/', '-c', 'ls -l'];
    const { out } = await cli({ home: home.paths.home }, ...words);
    const asked = { agent: 'codex', command: 'ls -l', cwd: '/' };
    expect(await host.handle('testCommand', asked)).toEqual({ ok: true, result: JSON.parse(out) });
    expect(JSON.parse(out)).toMatchObject({ verdict: 'ask' });
  });
});
