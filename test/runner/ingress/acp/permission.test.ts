import { describe, expect, it, vi } from 'vitest';
import { acp, cancelled, permission, selected } from './support.ts';

const call = (fields: object): object => ({ toolCall: { toolCallId: 'c1', ...fields } });

describe('a permission of version 1', () => {
  it('for a command asks the gate, and a yes allows it once', async () => {
    const { agent, gate } = await acp();
    agent.send(
      permission(call({ kind: 'execute', title: 'Runs tests', rawInput: { command: 'npm test' } })),
    );
    const asked = await gate.next();
    expect(asked).toMatchObject({
      path: 'permit',
      request: {
        command: 'npm test',
        by: 'elsewhere',
        cwd: '/w',
        agent: 'gemini',
        session: 's-1',
        toolUseId: 'c1',
        statedReason: 'Runs tests',
      },
    });
    asked.yes('allow-always');
    expect(await agent.next()).toEqual(selected('yes'));
  });

  it('is rejected once when the gate says no', async () => {
    const { agent, gate } = await acp();
    agent.send(permission(call({ rawInput: { command: ['rm', '-rf', 'x'], cwd: '/w/sub' } })));
    const asked = await gate.next();
    expect(asked.request).toMatchObject({ argv: ['rm', '-rf', 'x'], cwd: '/w/sub' });
    asked.no('policy-deny');
    expect(await agent.next()).toEqual(selected('no'));
  });

  it('knows what was told of the call before', async () => {
    const { agent, client, gate } = await acp();
    agent.send({
      jsonrpc: '2.0',
      method: 'session/update',
      params: {
        sessionId: 's-1',
        update: {
          sessionUpdate: 'tool_call',
          toolCallId: 'c1',
          kind: 'execute',
          title: 'Lists',
          rawInput: { command: 'ls' },
        },
      },
    });
    await client.next();
    agent.send(permission(call({ title: null })));
    const asked = await gate.next();
    expect(asked.request).toMatchObject({ command: 'ls', statedReason: 'Lists' });
    asked.yes();
    await agent.next();
  });

  it('for an edit shows the diff and every file', async () => {
    const { agent, gate } = await acp();
    const content = [
      { type: 'diff', path: '/w/a.txt', oldText: 'one\n', newText: 'two\n' },
      { type: 'diff', path: '/w/b.txt', newText: 'new\n' },
    ];
    agent.send(permission(call({ kind: 'edit', content, locations: [{ path: '/w/c.txt' }] })));
    const asked = await gate.next();
    expect(asked).toMatchObject({
      path: 'tool',
      request: {
        kind: 'edit',
        target: '/w/a.txt',
        moreTargets: ['/w/b.txt', '/w/c.txt'],
        detail: { form: 'diff' },
      },
    });
    expect(asked.request.detail?.text).toContain('-one\n+two');
    asked.yes();
    expect(await agent.next()).toEqual(selected('yes'));
  });

  it.each([
    [{ kind: 'fetch', rawInput: { url: 'https://x.example/' } }, 'fetch', 'https://x.example/'],
    [{ kind: 'fetch', rawInput: {} }, 'mcp', 'acp/fetch'],
    [{ kind: 'read', locations: [{ path: '/etc/passwd' }] }, 'mcp', 'acp/read'],
    [{ kind: 'edit' }, 'mcp', 'acp/edit'],
    [{ kind: 'execute', rawInput: { cmd: 'ls' } }, 'mcp', 'acp/execute'],
    [{ name: 'a b/../c' }, 'mcp', 'acp/a-b-..-c'],
    [{}, 'mcp', 'acp/other'],
  ])('for %j is a %s of %s', async (fields, kind, target) => {
    const { agent, gate } = await acp();
    agent.send(permission(call(fields)));
    const asked = await gate.next();
    expect(asked).toMatchObject({ path: 'tool', request: { kind, target } });
    asked.no('confirm-rejected');
    expect(await agent.next()).toEqual(selected('no'));
  });

  it('is a command wherever a command stands, whatever the agent calls it', async () => {
    const { agent, gate } = await acp();
    agent.send(permission(call({ kind: 'read', rawInput: { command: 'rm', args: ['-rf', '/'] } })));
    expect((await gate.next()).request).toMatchObject({ argv: ['rm', '-rf', '/'] });
  });
});

describe('a permission of version 2', () => {
  const title = 'Run the tests?';

  it('for a command asks about it where it would run', async () => {
    const { agent, gate } = await acp();
    const subject = { type: 'command', command: 'make', cwd: '/elsewhere', toolCallId: 'c9' };
    agent.send(permission({ title, description: 'They are quick.', subject }));
    const asked = await gate.next();
    expect(asked.request).toMatchObject({
      command: 'make',
      cwd: '/elsewhere',
      toolUseId: 'c9',
      statedReason: 'Run the tests?\nThey are quick.',
    });
    asked.yes();
    expect(await agent.next()).toEqual(selected('yes'));
  });

  it('for a tool call reads it as version 1 does', async () => {
    const { agent, gate } = await acp();
    const toolCall = { toolCallId: 'c1', rawInput: { command: 'ls' } };
    agent.send(permission({ title, subject: { type: 'tool_call', toolCall } }));
    expect((await gate.next()).request).toMatchObject({ command: 'ls' });
  });

  it.each([
    { title, subject: { type: '_custom', command: 'ls' } },
    { title, subject: null },
    { title, subject: { type: 'command', command: 'ls' }, toolCall: { toolCallId: 'c1' } },
  ])('of a form that is not known is shown as it came: %j', async (params) => {
    const { agent, gate } = await acp();
    agent.send(permission(params));
    const asked = await gate.next();
    expect(asked).toMatchObject({ path: 'tool', request: { target: 'acp/permission' } });
    expect(asked.request.detail?.text).toContain(title);
  });
});

describe('an answer to an agent', () => {
  const ask = call({ rawInput: { command: 'ls' } });

  it.each([
    ['yes', [], 'cancelled'],
    ['yes', [{ optionId: 'a', name: '', kind: 'allow_always' }], 'cancelled'],
    ['yes', [{ optionId: 'r', name: '', kind: 'reject_once' }], 'r'],
    [
      'yes',
      [
        { optionId: 'x', name: '', kind: 'allow_once' },
        { optionId: 'x', name: '', kind: 'allow_always' },
      ],
      'cancelled',
    ],
    ['yes', [{ optionId: 'y', name: '', kind: 'allow_once_and_more' }], 'cancelled'],
    ['no', [{ optionId: 'a', name: '', kind: 'reject_always' }], 'cancelled'],
    ['no', [{ optionId: 'a', name: '', kind: 'allow_once' }], 'cancelled'],
  ])('of %s to the options %j is %s', async (word, options, expected) => {
    const { agent, gate } = await acp();
    agent.send(permission({ ...ask, options }));
    const asked = await gate.next();
    if (word === 'yes') asked.yes();
    else asked.no('policy-deny');
    expect(await agent.next()).toEqual(expected === 'cancelled' ? cancelled() : selected(expected));
  });

  it('is cancelled when the turn is, and the ask is taken back', async () => {
    const { agent, client, gate } = await acp();
    agent.send(permission(ask));
    const { signal } = await gate.next();
    client.send({ jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: 'other' } });
    await agent.next();
    expect(signal.aborted).toBe(false);
    client.send({ jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: 's-1' } });
    const lines = [await agent.next(), await agent.next()];
    expect(lines).toContainEqual(cancelled());
    expect(signal.aborted).toBe(true);
  });

  it('is cancelled when the agent takes its request back', async () => {
    const { agent, gate } = await acp();
    agent.send(permission(ask, 'p-1'));
    await gate.next();
    agent.send({ jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: 'p-1' } });
    expect(await agent.next()).toEqual(cancelled('p-1'));
  });

  it('comes from the gate alone, and never from the editor', async () => {
    const { agent, client, gate } = await acp();
    agent.send(permission(ask, 7));
    const asked = await gate.next();
    client.send(selected('yes', 7));
    asked.no('confirm-rejected');
    expect(await agent.next()).toEqual(selected('no', 7));
  });

  it('is cancelled for a request that is none, and nobody is asked', async () => {
    const { agent, gate } = await acp();
    for (const params of [{ options: 'all' }, { sessionId: '' }, { toolCall: { toolCallId: 5 } }]) {
      agent.send(permission(params));
      expect(await agent.next()).toEqual(cancelled());
    }
    expect(gate.count()).toBe(0);
  });

  it('is a no where no working folder is known', async () => {
    const { agent, gate } = await acp();
    agent.send(permission({ ...ask, sessionId: 'unheard-of' }));
    expect(await agent.next()).toEqual(selected('no'));
    expect(gate.count()).toBe(0);
  });

  it('is owed to nobody once the editor is gone', async () => {
    const { agent, client, gate } = await acp();
    agent.send(permission(ask));
    const { signal } = await gate.next();
    client.end();
    await vi.waitFor(() => expect(signal.aborted).toBe(true));
  });
});
