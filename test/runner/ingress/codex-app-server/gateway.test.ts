import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { createCodexGateway } from '../../../../runner/ingress/codex-app-server/gateway.ts';
import type { CodexParts } from '../../../../runner/ingress/codex-app-server/gateway.ts';
import { between, testGate } from '../relay/support.ts';
import type { Between, TestGate } from '../relay/support.ts';

interface Frames {
  readonly [name: string]: { readonly id: number; readonly params: Record<string, unknown> };
}

/** Those named `recorded…` came from Codex 0.169.0; the others are made after its published types. */
const frames = JSON.parse(
  readFileSync(new URL('../../../fixtures/codex-app-server/frames.json', import.meta.url), 'utf8'),
) as Frames;

function frame(name: string, params: object = {}): object {
  const found = frames[name];
  if (found === undefined) throw new Error(`no frame ${name}`);
  return { ...found, params: { ...found.params, ...params } };
}

async function codex(
  amend: CodexParts['amend'] = async () => null,
): Promise<Between & { readonly gate: TestGate }> {
  const gate = testGate();
  const both = between((to) =>
    createCodexGateway({
      ...to,
      client: { ...gate },
      cwd: '/start',
      amend,
      speaker: { session: 'codex-test', agent: 'codex' },
    }),
  );
  return { ...both, gate };
}

describe('an approval that Codex asks for a command', () => {
  it('is asked of the gate and accepted once', async () => {
    const { agent, gate } = await codex();
    agent.send(frame('command'));
    const asked = await gate.next();
    expect(asked).toMatchObject({
      path: 'permit',
      request: {
        command: "/bin/bash -lc 'npm test'",
        cwd: '/w',
        by: 'elsewhere',
        agent: 'codex',
        session: 'thread-1',
        toolUseId: 'call-1',
        statedReason: 'The tests need the network.',
      },
    });
    asked.yes('allow-always');
    expect(await agent.next()).toEqual({ id: 7, result: { decision: 'accept' } });
  });

  it.each(['policy-deny', 'approval-timeout', 'lockout-active', 'host-unavailable'] as const)(
    'is declined when the gate says %s',
    async (code) => {
      const { agent, gate } = await codex();
      agent.send(frame('command'));
      (await gate.next()).no(code);
      expect(await agent.next()).toEqual({ id: 7, result: { decision: 'decline' } });
    },
  );

  it('carries the rule that Codex may keep, where there is one', async () => {
    const { agent, gate } = await codex(async (_command, _cwd, { permission }) =>
      permission.code === 'allow-always' ? ['npm', 'test'] : null,
    );
    agent.send(frame('command'));
    (await gate.next()).yes('allow-always');
    const amendment = { execpolicy_amendment: ['npm', 'test'] };
    expect(await agent.next()).toEqual({
      id: 7,
      result: { decision: { acceptWithExecpolicyAmendment: amendment } },
    });
    agent.send(frame('command'));
    (await gate.next()).yes('allow-once');
    expect(await agent.next()).toEqual({ id: 7, result: { decision: 'accept' } });
  });

  it('is understood as Codex 0.169.0 sends it, and its end too', async () => {
    const { agent, client, gate } = await codex();
    agent.send(frame('recordedCommand'));
    const asked = await gate.next();
    expect(asked.request).toMatchObject({
      command: "/bin/bash -lc 'mktemp -p /tmp/traces trace.XXXXXX'",
      cwd: '/tmp/work',
      toolUseId: 'call_1',
    });
    agent.send(frame('recordedResolved'));
    expect(await client.next()).toMatchObject({ method: 'serverRequest/resolved' });
    await vi.waitFor(() => expect(asked.signal.aborted).toBe(true));
  });

  it('is accepted without a rule when none could be found', async () => {
    const { agent, gate } = await codex(async () => Promise.reject(new Error('no policy')));
    agent.send(frame('command'));
    (await gate.next()).yes('allow-always');
    expect(await agent.next()).toEqual({ id: 7, result: { decision: 'accept' } });
  });

  it.each([
    { kind: 'unheardOf' },
    { command: ['ls'] },
    { command: null },
    { command: '  ' },
    { threadId: 5 },
    { cwd: 'relative' },
  ])('is declined when it does not say clearly what would run: %j', async (params) => {
    const { agent, gate } = await codex();
    agent.send(frame('command', params));
    expect(await agent.next()).toEqual({ id: 7, result: { decision: 'decline' } });
    expect(gate.count()).toBe(0);
  });

  it('is an address or keys where it is not a command', async () => {
    const { agent, gate } = await codex();
    const network = { host: 'registry.example', protocol: 'https' };
    agent.send(frame('command', { networkApprovalContext: network, command: null }));
    const fetch = await gate.next();
    expect(fetch.request).toMatchObject({ kind: 'fetch', target: 'https://registry.example/' });
    fetch.yes();
    await agent.next();
    agent.send(frame('command', { kind: 'writeStdin', command: 'yes\n' }));
    expect((await gate.next()).request).toMatchObject({
      kind: 'mcp',
      target: 'codex/write_stdin',
      ask: 'always',
    });
  });

  it('works where its thread does when it names no folder', async () => {
    const { agent, client, gate } = await codex();
    client.send({ id: 1, method: 'thread/start', params: { cwd: '/thread' } });
    await agent.next();
    agent.send({ id: 1, result: { thread: { id: 'thread-1' } } });
    await client.next();
    agent.send(frame('command', { cwd: null }));
    expect((await gate.next()).request.cwd).toBe('/thread');
  });
});

describe('an approval for files', () => {
  it('shows the changes that the item told of', async () => {
    const { agent, client, gate } = await codex();
    agent.send(frame('fileItem'));
    await client.next();
    agent.send(frame('fileChange'));
    const asked = await gate.next();
    expect(asked).toMatchObject({
      path: 'tool',
      request: { kind: 'edit', target: '/w/a.txt', moreTargets: ['/w/b.txt'] },
    });
    expect(asked.request.detail?.text).toContain('+two');
    expect(asked.request.ask).toBeUndefined();
    asked.yes();
    expect(await agent.next()).toEqual({ id: 8, result: { decision: 'accept' } });
  });

  it('goes to a person when the changes are not known, or a folder is asked for as well', async () => {
    const { agent, client, gate } = await codex();
    agent.send(frame('fileChange'));
    const unknown = await gate.next();
    expect(unknown.request).toMatchObject({ target: 'codex/file_change', ask: 'always' });
    unknown.no('confirm-rejected');
    expect(await agent.next()).toEqual({ id: 8, result: { decision: 'decline' } });
    agent.send(frame('fileItem'));
    await client.next();
    agent.send(frame('fileChange', { grantRoot: '/etc' }));
    const asked = await gate.next();
    expect(asked.request).toMatchObject({ kind: 'edit', ask: 'always' });
    expect(asked.request.detail?.text).toContain('/etc');
  });
});

describe('an approval for more permissions', () => {
  it('goes to a person, and holds for the turn', async () => {
    const { agent, gate } = await codex();
    agent.send(frame('permissions'));
    const asked = await gate.next();
    expect(asked.request).toMatchObject({ target: 'codex/permissions', ask: 'always', cwd: '/w' });
    asked.yes();
    expect(await agent.next()).toEqual({
      id: 9,
      result: { permissions: { network: { enabled: true } }, scope: 'turn' },
    });
  });

  it('grants nothing after a no, or when it is none', async () => {
    const { agent, gate } = await codex();
    agent.send(frame('permissions'));
    (await gate.next()).no('confirm-rejected');
    expect(await agent.next()).toEqual({ id: 9, result: { permissions: {}, scope: 'turn' } });
    agent.send(frame('permissions', { permissions: 'all' }));
    expect(await agent.next()).toEqual({ id: 9, result: { permissions: {} } });
  });
});

describe('an approval that somebody else ends', () => {
  it('is taken back without an answer when Codex says that it is resolved', async () => {
    const { agent, client, gate } = await codex();
    agent.send(frame('command'));
    const { signal } = await gate.next();
    agent.send(frame('resolved', { requestId: 7 }));
    await client.next();
    await vi.waitFor(() => expect(signal.aborted).toBe(true));
    client.send({ method: 'after' });
    expect(await agent.next()).toEqual({ method: 'after' });
  });

  it('is cancelled when the turn is interrupted', async () => {
    const { agent, client, gate } = await codex();
    agent.send(frame('command'));
    await gate.next();
    client.send({ id: 3, method: 'turn/interrupt', params: { threadId: 'thread-1', turnId: 't' } });
    const lines = [await agent.next(), await agent.next()];
    expect(lines).toContainEqual({ id: 7, result: { decision: 'cancel' } });
  });

  it('is never answered by the client', async () => {
    const { agent, client, gate } = await codex();
    agent.send(frame('command'));
    const asked = await gate.next();
    client.send({ id: 7, result: { decision: 'acceptForSession' } });
    asked.no('policy-deny');
    expect(await agent.next()).toEqual({ id: 7, result: { decision: 'decline' } });
  });

  it.each([
    ['execCommandApproval', 'denied'],
    ['applyPatchApproval', 'denied'],
    ['item/somethingNew/requestApproval', 'decline'],
  ])('of another form gets a no and reaches no client: %s', async (method, decision) => {
    const { agent, client } = await codex();
    agent.send({ id: 11, method, params: {} });
    expect(await agent.next()).toEqual({ id: 11, result: { decision } });
    agent.send({ method: 'after' });
    expect(await client.next()).toEqual({ method: 'after' });
  });
});
