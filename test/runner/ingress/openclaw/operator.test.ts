import { describe, expect, it, vi } from 'vitest';
import { folder, joined, listing, record, token } from './support.ts';

describe("an operator at OpenClaw's Gateway", () => {
  it('signs in with the scope of an approver and nothing more', async () => {
    const { gateway } = await joined();
    await gateway.next('exec.approval.list');
    expect(gateway.connects[0]).toMatchObject({
      minProtocol: 4,
      maxProtocol: 4,
      role: 'operator',
      scopes: ['operator.approvals'],
      caps: ['approvals', 'exec-approvals'],
      auth: { token },
    });
  });

  it("asks the gate about a request and hands the person's yes back", async () => {
    const { gateway, gate } = await joined();
    await gateway.next('exec.approval.list');
    gateway.tell('exec.approval.requested', record('a1', { sessionKey: 'agent:main:x' }));
    const { request, yes } = await gate.next();
    expect(request).toEqual({
      command: 'ls -la',
      by: 'elsewhere',
      cwd: folder,
      agent: 'openclaw:main',
      session: 'openclaw:agent:main:x',
      toolUseId: 'a1',
      statedReason: 'OpenClaw wants to run this on the Gateway, in /tmp.',
    });
    yes();
    expect(await gateway.next('exec.approval.resolve')).toEqual({
      method: 'exec.approval.resolve',
      params: { id: 'a1', decision: 'allow-once' },
    });
  });

  it.each([
    'policy-deny',
    'confirm-rejected',
    'approval-timeout',
    'approver-unavailable',
    'lockout-active',
    'audit-unavailable',
  ] as const)('answers deny when the gate says %s', async (code) => {
    const { gateway, gate } = await joined();
    await gateway.next('exec.approval.list');
    gateway.tell('exec.approval.requested', record('a1'));
    (await gate.next()).no(code);
    const { params } = await gateway.next('exec.approval.resolve');
    expect(params).toEqual({ id: 'a1', decision: 'deny' });
  });

  it('takes its ask back when somebody else answered, and then answers nothing', async () => {
    const { gateway, gate } = await joined();
    await gateway.next('exec.approval.list');
    gateway.tell('exec.approval.requested', record('a1'));
    const { signal } = await gate.next();
    gateway.tell('exec.approval.resolved', { id: 'a1', decision: 'deny', ts: 1 });
    await vi.waitFor(() => expect(signal.aborted).toBe(true));
    gateway.tell('exec.approval.requested', record('a2'));
    (await gate.next()).yes();
    await gateway.next('exec.approval.resolve');
    expect(gateway.calls.filter(({ method }) => method.endsWith('resolve'))).toHaveLength(1);
  });

  it('takes its ask back when the request expires, and asks about none that has', async () => {
    const { gateway, gate, clock } = await joined();
    await gateway.next('exec.approval.list');
    gateway.tell('exec.approval.requested', record('a1'));
    const { signal } = await gate.next();
    clock.advance(59_999);
    expect(signal.aborted).toBe(false);
    clock.advance(1);
    expect(signal.aborted).toBe(true);
    gateway.tell('exec.approval.requested', record('late'));
    gateway.tell('exec.approval.requested', { ...record('a2'), expiresAtMs: clock.now() + 5 });
    expect((await gate.next()).request.toolUseId).toBe('a2');
  });

  it('asks about what waited before it came', async () => {
    const { gate } = await joined({ answer: listing(() => [record('old'), { id: 'broken' }]) });
    expect((await gate.next()).request.toolUseId).toBe('old');
  });

  it('asks once about a request that both the list and an event tell of', async () => {
    const { gateway, gate } = await joined({ answer: listing(() => [record('a1')]) });
    (await gate.next()).yes();
    gateway.tell('exec.approval.requested', record('a1'));
    await gateway.next('exec.approval.resolve');
    expect(gate.count()).toBe(1);
  });

  it('keeps asking while the connection is gone, and answers on the next one', async () => {
    const waiting = [record('a1')];
    const { gateway, gate } = await joined({ answer: listing(() => waiting) });
    const { signal, yes } = await gate.next();
    await gateway.next('exec.approval.list');
    gateway.cut();
    await gateway.next('exec.approval.list');
    expect(signal.aborted).toBe(false);
    yes();
    const { params } = await gateway.next('exec.approval.resolve');
    expect(params).toEqual({ id: 'a1', decision: 'allow-once' });
    expect(gate.count()).toBe(1);
  });

  it('takes back what is no longer waiting when it comes back', async () => {
    let waiting = [record('a1')];
    const { gateway, gate } = await joined({ answer: listing(() => waiting) });
    const { signal } = await gate.next();
    waiting = [];
    gateway.cut();
    await vi.waitFor(() => expect(signal.aborted).toBe(true));
  });

  it('takes every ask back when it is stopped', async () => {
    const { gateway, gate, stop } = await joined({ answer: listing(() => [record('a1')]) });
    const { signal } = await gate.next();
    await stop();
    expect(signal.aborted).toBe(true);
    expect(gateway.calls.map(({ method }) => method)).toEqual(['exec.approval.list']);
  });

  it('fetches the command of a request that was told without it, and lets no rule answer', async () => {
    const { gate } = await joined({
      answer: (call) =>
        call.method === 'exec.approval.get'
          ? { ok: true, payload: { id: 'a1', commandText: 'make all' } }
          : listing(() => [record('a1', { command: '' })])(call),
    });
    const { request } = await gate.next();
    expect(request).toMatchObject({ command: 'make all', cwd: '/', ask: 'always' });
  });

  it('denies a request that cannot be allowed once, and one that names no command', async () => {
    const { gateway, gate } = await joined();
    await gateway.next('exec.approval.list');
    gateway.tell('exec.approval.requested', record('a1', { allowedDecisions: ['deny'] }));
    gateway.tell('exec.approval.requested', record('a2', { host: 'node' }));
    const answers = [
      await gateway.next('exec.approval.resolve'),
      await gateway.next('exec.approval.resolve'),
    ];
    expect(answers.map(({ params }) => params)).toEqual([
      { id: 'a1', decision: 'deny' },
      { id: 'a2', decision: 'deny' },
    ]);
    expect(gate.count()).toBe(0);
  });
});

describe('what the gate is asked', () => {
  it('is what a node will really run, and always a person', async () => {
    const { gateway, gate } = await joined();
    await gateway.next('exec.approval.list');
    gateway.tell(
      'exec.approval.requested',
      record('a1', {
        host: 'node',
        nodeId: 'pi',
        command: 'ls',
        systemRunPlan: { argv: ['/bin/rm', '-rf', 'x'], cwd: '/tmp' },
      }),
    );
    const { request } = await gate.next();
    expect(request).toMatchObject({ argv: ['/bin/rm', '-rf', 'x'], cwd: '/', ask: 'always' });
    expect(request.command).toBeUndefined();
    expect(request.statedReason).toBe(
      'OpenClaw wants to run this on node pi, in /tmp.\nOpenClaw writes it as: ls',
    );
  });

  it('goes to a person where the folder is not here or an environment is set', async () => {
    const { gateway, gate } = await joined();
    await gateway.next('exec.approval.list');
    gateway.tell('exec.approval.requested', record('a1', { cwd: '/not/here' }));
    expect((await gate.next()).request).toMatchObject({ cwd: '/', ask: 'always' });
    gateway.tell('exec.approval.requested', record('a2', { envKeys: ['LD_PRELOAD'] }));
    const { request } = await gate.next();
    expect(request).toMatchObject({ cwd: folder, ask: 'always' });
    expect(request.statedReason).toContain('LD_PRELOAD');
  });

  it('carries only names that the runner takes, and the agent of the key where there is one', async () => {
    const { gateway, gate } = await joined({}, { agent: 'claw' });
    await gateway.next('exec.approval.list');
    gateway.tell(
      'exec.approval.requested',
      record('a1', { agentId: 'x\n"y', sessionKey: '\u202e évil' }),
    );
    const { request } = await gate.next();
    expect(request.agent).toBe('claw');
    expect(request.session).toMatch(/^openclaw:[A-Za-z0-9._:@/-]*$/u);
  });
});
