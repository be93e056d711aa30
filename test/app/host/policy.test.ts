import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BridgeCalls } from '../../../app/bridge/types.ts';
import type { UiHost } from '../../../app/host/types.ts';
import { patchBetween } from '../../../shared/engine/policy/patch.ts';
import type { AgentPolicy, Rule } from '../../../shared/engine/policy/types.ts';
import { hashOfText } from '../../../shared/home/files.ts';
import { cli } from '../../runner/cli/support.ts';
import { testHome } from './support.ts';
import type { TestHome, TestHost } from './support.ts';

let home: TestHome;
beforeEach(async () => {
  home = await testHome();
});
afterEach(() => home.close());

const edit = { agents: { codex: { modes: { security: 'deny' } } } } as const;

/** The policy as a page reads it. */
async function read(host: UiHost, have?: string): Promise<BridgeCalls['policy']['result']> {
  const answer = await host.handle('policy', have === undefined ? {} : { have });
  if (!answer.ok) throw new Error(answer.refusal.message);
  return answer.result as BridgeCalls['policy']['result'];
}

describe('the policy in the host', () => {
  it('saves an edit that comes in parts as one, and a reader sees nothing of it before', async () => {
    const { host } = await home.start();
    const { hash: baseHash } = await read(host);
    const before = JSON.stringify(home.policy());
    const insert = (id: string, at: number) => ({
      agents: {
        codex: { rules: { insert: [{ at, items: [{ id, pattern: `/usr/bin/${id}` }] }] } },
      },
    });
    const first = { agents: { codex: { modes: { security: 'deny' } } } } as const;
    const send = async (patch: object, index: number, id = 'a') =>
      host.handle('savePolicy', { patch, baseHash, part: { id, index, count: 3 } });
    expect(await send(first, 0)).toMatchObject({ ok: true, result: { hash: baseHash } });
    expect(await send(insert('one', 0), 1)).toMatchObject({ ok: true });
    expect(JSON.stringify(home.policy())).toBe(before);
    expect(await send(insert('two', 1), 2)).toMatchObject({ ok: true });
    expect(home.policy().agents?.['codex']).toMatchObject({
      security: 'deny',
      allowlist: [{ id: 'one' }, { id: 'two' }],
    });
  });

  it('saves nothing of an edit whose parts do not belong together', async () => {
    const { host } = await home.start();
    const { hash: baseHash } = await read(host);
    const before = JSON.stringify(home.policy());
    const send = async (index: number, id: string) =>
      host.handle('savePolicy', { patch: edit, baseHash, part: { id, index, count: 2 } });
    expect(await send(1, 'a')).toMatchObject({ refusal: { code: 'invalid-request' } });
    expect(await send(0, 'a')).toMatchObject({ ok: true });
    expect(await send(1, 'b')).toMatchObject({ refusal: { code: 'invalid-request' } });
    expect(await send(1, 'a')).toMatchObject({ refusal: { code: 'invalid-request' } });
    expect(JSON.stringify(home.policy())).toBe(before);
  });

  it('is shown without its token and saved with it', async () => {
    const { host, until } = await home.start();
    const { socket } = home.policy();
    const policy = await read(host);
    expect(policy).toMatchObject({ document: { agents: { '*': {} } } });
    expect(JSON.stringify(policy)).not.toContain(socket?.token);

    const saved = await host.handle('savePolicy', { patch: edit, baseHash: policy.hash });
    expect(saved).toMatchObject({ ok: true });
    expect(home.policy()).toMatchObject({ socket, agents: { codex: { security: 'deny' } } });
    await until(
      (state) => saved.ok && state.policy.hash === (saved.result as { hash: string }).hash,
    );
  });

  it('is pushed by its hash alone', async () => {
    const { host, until } = await home.start();
    const { policy } = await until((state) => state.policy.problem === null);
    expect(policy).toEqual({ hash: (await read(host)).hash, problem: null });
  });

  it('is told to a page that has it as the change since', async () => {
    const { host, until } = await home.start();
    const { hash } = await read(host);
    writeFileSync(home.paths.policy, JSON.stringify({ ...home.policy(), defaults: {} }));
    const { policy } = await until((state) => state.policy.hash !== hash);
    const change = await read(host, hash);
    const modes = { security: null, ask: null, askFallback: null };
    expect(change).toEqual({ hash: policy.hash, from: hash, patch: { defaults: modes } });
    expect(await read(host, 'f'.repeat(64))).toMatchObject({ document: { defaults: {} } });
  });

  it('is told whole when a page cannot patch it', async () => {
    const { host, until } = await home.start();
    const { hash } = await read(host);
    writeFileSync(home.paths.policy, JSON.stringify({ ...home.policy(), 'x-theirs': 1 }));
    await until((state) => state.policy.hash !== hash);
    expect(await read(host, hash)).toMatchObject({ document: { 'x-theirs': 1 } });
  });

  it('is not saved over a change made elsewhere, and the page learns which file it is', async () => {
    const { host } = await home.start();
    const { hash } = await read(host);
    const elsewhere = { ...home.policy(), agents: { claude: { security: 'full' } } };
    writeFileSync(home.paths.policy, JSON.stringify(elsewhere));
    const answer = await host.handle('savePolicy', { patch: edit, baseHash: hash });
    expect(answer).toMatchObject({
      ok: false,
      refusal: { code: 'binding-drift' },
      conflict: { hash: expect.not.stringMatching(hash), problem: null },
    });
    expect(home.policy()).toEqual(elsewhere);
  });

  it.each([
    ['a mode that there is not', { defaults: { security: 'open' } }],
    ['a socket', { socket: { path: '/tmp/mine', token: 'mine' } }],
    ['a rule to remove that is not there', { agents: { '*': { rules: { remove: ['x'] } } } }],
    [
      'a rule that cannot be understood',
      {
        agents: {
          '*': {
            rules: { insert: [{ at: 0, items: [{ id: 'x', pattern: 'ls', argPattern: '(' }] }] },
          },
        },
      },
    ],
  ])('is not saved with %s', async (_what, patch) => {
    const { host } = await home.start();
    const { hash } = await read(host);
    const before = home.policy();
    const answer = await host.handle('savePolicy', { patch, baseHash: hash });
    expect(answer).toMatchObject({ ok: false, refusal: { code: 'invalid-request' } });
    expect(home.policy()).toEqual(before);
  });

  const rule = { id: 'git', pattern: 'git', args: ['status', '...'] };
  const saves = async ({ host, until }: TestHost, list: readonly Rule[]) => {
    const hash = hashOfText(readFileSync(home.paths.policy, 'utf8'));
    await until((state) => state.policy.hash === hash);
    const shown = await read(host);
    const document = 'document' in shown && shown.document !== null ? shown.document : null;
    if (document === null) throw new Error('There is no policy to edit.');
    const codex: AgentPolicy = { security: 'allowlist', allowlist: list };
    const wanted = { ...document, agents: { ...document.agents, codex } };
    return host.handle('savePolicy', { patch: patchBetween(document, wanted), baseHash: hash });
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
    expect(policy).toMatchObject({ problem: { code: 'config-invalid' } });
    expect(await read(host)).toEqual({ ...policy, document: null });
    const answer = await host.handle('savePolicy', { patch: edit, baseHash: policy.hash });
    expect(answer).toMatchObject({ ok: false, refusal: { code: 'config-invalid' } });
  });

  it('turns away runners while no token can be read', async () => {
    const { host, until } = await home.start();
    const { hash } = await read(host);
    writeFileSync(home.paths.policy, '{"version":1}');
    await until((state) => state.policy.hash !== hash);
    await expect(home.connectRunner()).rejects.toThrow();
  });

  it('is what the tester goes by, or the unsaved edit of it', async () => {
    const { host } = await home.start();
    const command = { agent: 'claude', command: 'ls -l', cwd: '/' };
    expect(await host.handle('testCommand', command)).toMatchObject({
      ok: true,
      result: { verdict: 'ask' },
    });
    const { hash } = await read(host);
    const items = [{ id: 'r', pattern: '/**/ls', args: ['-l'] }];
    const patch = { agents: { claude: { rules: { insert: [{ at: 0, items }] } } } };
    const draft = { baseHash: hash, patch };
    expect(await host.handle('testCommand', { ...command, draft })).toMatchObject({
      ok: true,
      result: { verdict: 'allow' },
    });

    // A page that has not yet heard of the newest file still tests the one that it shows.
    writeFileSync(home.paths.policy, JSON.stringify({ ...home.policy(), 'x-theirs': 1 }));
    expect(await host.handle('testCommand', { ...command, draft })).toMatchObject({ ok: true });
    const unknown = { ...draft, baseHash: 'f'.repeat(64) };
    expect(await host.handle('testCommand', { ...command, draft: unknown })).toMatchObject({
      ok: false,
      refusal: { code: 'binding-drift' },
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

  it('saves no mode that a bound of the fleet would overrule, and says whose it is', async () => {
    const { host } = await home.start();
    const state = join(dirname(home.paths.config), 'state', 'fleet.json');
    const text = JSON.stringify({ version: 1, security: 'allowlist', ask: 'on-miss' });
    writeFileSync(state, JSON.stringify({ version: 1, policy: { seq: 1, text }, lockout: 0 }), {
      mode: 0o600,
    });
    expect(await host.handle('modeBounds', { agent: 'codex' })).toEqual({
      ok: true,
      result: {
        security: { value: 'allowlist', layer: 'fleet', setting: state },
        ask: { value: 'on-miss', layer: 'fleet', setting: state },
      },
    });
    const { hash: baseHash } = await read(host);
    const before = JSON.stringify(home.policy());
    for (const modes of [{ security: 'full' }, { ask: 'off' }, { askFallback: 'full' }] as const) {
      const patch = { agents: { codex: { modes } } };
      expect(await host.handle('savePolicy', { patch, baseHash, accepted: true })).toMatchObject({
        ok: false,
        refusal: {
          code: 'policy-deny',
          message: expect.stringContaining(`"agents.codex.${Object.keys(modes)[0]}"`) as string,
          hint: expect.stringContaining('gateway of the fleet') as string,
        },
      });
    }
    expect(JSON.stringify(home.policy())).toBe(before);
    expect(await host.handle('savePolicy', { patch: edit, baseHash })).toMatchObject({ ok: true });
  });
});
