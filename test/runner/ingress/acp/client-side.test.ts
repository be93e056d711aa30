import { describe, expect, it } from 'vitest';
import { redeemWords } from '../../../../runner/ingress/asking.ts';
import { ticket } from '../relay/support.ts';
import { acp, permission, program } from './support.ts';

const terminal = (params: object): object => ({
  jsonrpc: '2.0',
  id: 3,
  method: 'terminal/create',
  params: { sessionId: 's-1', ...params },
});

describe('a terminal that the agent wants from the editor', () => {
  it('runs what the ticket stands for, without the variables that the runner sets itself', async () => {
    const { agent, client, gate } = await acp();
    const env = [{ name: 'CI', value: '1' }];
    agent.send(terminal({ command: 'npm', args: ['test'], env, outputByteLimit: 9, cwd: null }));
    const asked = await gate.next();
    expect(asked.request).toEqual({
      argv: ['npm', 'test'],
      env: { CI: '1' },
      cwd: '/w',
      session: 's-1',
      agent: 'gemini',
    });
    asked.yes();
    const [command, ...args] = redeemWords(program, ticket);
    expect(await client.next()).toEqual({
      jsonrpc: '2.0',
      id: 3,
      method: 'terminal/create',
      params: { sessionId: 's-1', outputByteLimit: 9, command, args, env: [], cwd: '/w' },
    });
    client.send({ jsonrpc: '2.0', id: 3, result: { terminalId: 't1' } });
    expect(await agent.next()).toMatchObject({ result: { terminalId: 't1' } });
  });

  it('is shell text when it has no arguments', async () => {
    const { agent, gate } = await acp();
    agent.send(terminal({ command: 'ls | head', cwd: '/w/x' }));
    expect((await gate.next()).request).toMatchObject({ command: 'ls | head', cwd: '/w/x' });
  });

  it('is refused with code, sentence and hint, and the editor hears nothing of it', async () => {
    const { agent, client, gate } = await acp();
    agent.send(terminal({ command: 'rm' }));
    (await gate.next()).no('policy-deny');
    expect(await agent.next()).toMatchObject({
      id: 3,
      error: { code: -32_000, message: 'policy-deny: No.\nStop.' },
    });
    agent.send({ jsonrpc: '2.0', method: 'after' });
    expect(await client.next()).toMatchObject({ method: 'after' });
  });

  it.each([{ command: ['ls'] }, { command: 'ls', cwd: 'here' }, { command: 'ls', args: [1] }, {}])(
    'is refused when it is none: %j',
    async (params) => {
      const { agent, gate } = await acp();
      agent.send(terminal(params));
      expect(await agent.next()).toMatchObject({ id: 3, error: { code: -32_000 } });
      expect(gate.count()).toBe(0);
    },
  );

  it('is not asked for by a notification', async () => {
    const { agent, client, gate } = await acp();
    const { id: _id, ...notification } = terminal({ command: 'rm' }) as { id: number };
    agent.send(notification);
    agent.send({ jsonrpc: '2.0', method: 'after' });
    expect(await client.next()).toMatchObject({ method: 'after' });
    expect(gate.count()).toBe(0);
  });
});

describe('a file that the agent has the editor write', () => {
  const write = (path: string, content: string, id = 4): object => ({
    jsonrpc: '2.0',
    id,
    method: 'fs/write_text_file',
    params: { sessionId: 's-1', path, content },
  });

  it('is asked about with its content, and then handed on', async () => {
    const { agent, client, gate } = await acp();
    agent.send(write('/w/a', 'hello'));
    const asked = await gate.next();
    expect(asked.request).toMatchObject({
      kind: 'edit',
      target: '/w/a',
      detail: { form: 'content', text: 'hello' },
      cwd: '/w',
    });
    asked.yes();
    expect(await client.next()).toEqual(write('/w/a', 'hello'));
  });

  it('is asked about once when the permission for it showed exactly this content', async () => {
    const { agent, client, gate } = await acp();
    const content = [{ type: 'diff', path: '/w/a', oldText: '', newText: 'hello' }];
    agent.send(permission({ toolCall: { toolCallId: 'c1', kind: 'edit', content } }));
    (await gate.next()).yes();
    await agent.next();
    agent.send(write('/w/a', 'hello'));
    expect(await client.next()).toEqual(write('/w/a', 'hello'));
    agent.send(write('/w/a', 'hello', 5));
    (await gate.next()).no('confirm-rejected');
    expect(await agent.next()).toMatchObject({ id: 5, error: {} });
    expect(gate.count()).toBe(2);
  });

  it('is asked about again when the content is another one', async () => {
    const { agent, gate } = await acp();
    const content = [{ type: 'diff', path: '/w/a', newText: 'hello' }];
    agent.send(permission({ toolCall: { toolCallId: 'c1', kind: 'edit', content } }));
    (await gate.next()).yes();
    await agent.next();
    agent.send(write('/w/a', 'hello, and more'));
    (await gate.next()).no('confirm-rejected');
    expect(await agent.next()).toMatchObject({ id: 4, error: {} });
  });
});
