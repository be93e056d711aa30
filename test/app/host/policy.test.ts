import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BridgeCalls } from '../../../app/bridge/types.ts';
import type { UiHost } from '../../../app/host/types.ts';
import { testHome } from './support.ts';
import type { TestHome } from './support.ts';

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
    writeFileSync(home.paths.policy, JSON.stringify({ ...home.policy(), theirs: 1 }));
    await until((state) => state.policy.hash !== hash);
    expect(await read(host, hash)).toMatchObject({ document: { theirs: 1 } });
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
    writeFileSync(home.paths.policy, JSON.stringify({ ...home.policy(), theirs: 1 }));
    expect(await host.handle('testCommand', { ...command, draft })).toMatchObject({ ok: true });
    const unknown = { ...draft, baseHash: 'f'.repeat(64) };
    expect(await host.handle('testCommand', { ...command, draft: unknown })).toMatchObject({
      ok: false,
      refusal: { code: 'binding-drift' },
    });
  });
});
