import { describe, expect, it } from 'vitest';
import { strictLineCutter } from '../../../../shared/ipc/transport/lines.ts';
import { readMessage } from '../../../../runner/ingress/relay/message.ts';
import { between } from './support.ts';

const read = (text: string) => readMessage(Buffer.from(text));

describe('a message between an agent and its client', () => {
  it.each([
    ['{"jsonrpc":"2.0","id":1,"method":"a","params":{}}\n', 'request'],
    ['{"id":"x","method":"a"}\n', 'request'],
    ['{"method":"a","params":[1]}\n', 'notification'],
    ['{"id":1,"result":{"method":"a","Method":"b"}}\n', 'response'],
    ['  {"id":null,"error":{}}\r\n', 'response'],
  ])('is read: %s', (text, kind) => {
    expect(read(text).kind).toBe(kind);
  });

  it.each([
    '',
    'hello',
    '[]',
    '[{"id":1,"method":"a"}]',
    '"a"',
    'null',
    '{"id":1,"method":"a"} {"id":2}',
    '{"id":1,"method":["a"]}',
    '{"id":null,"method":"a"}',
    '{"id":1.5,"method":"a"}',
    '{"id":{},"method":"a"}',
    '{"id":1,"method":"ok","method":"terminal/create"}',
    '{"id":1,"method":"ok","\\u006dethod":"terminal/create"}',
    '{"id":1,"method":"ok","Method":"terminal/create"}',
    '{"id":1,"method":"terminal/create","params":{"command":"ls","command":"rm"}}',
    '{"a":["}","\\"{"],"id":1,"params":{},"ID":2,"method":"ok"}',
    '\ufeff{"id":1,"method":"a"}',
  ])('is unclear when two readers could differ: %s', (text) => {
    expect(read(text).kind).toBe('unclear');
  });

  it('is unclear when it is not UTF-8', () => {
    expect(readMessage(Buffer.from([0x7b, 0xff, 0x7d])).kind).toBe('unclear');
  });
});

describe('the cutter of lines', () => {
  it('gives back all bytes, wherever the pieces are cut', () => {
    const text = 'a\n\nÄ b\r\nlast';
    const bytes = Buffer.from(text);
    for (let size = 1; size <= bytes.length; size += 1) {
      const cutter = strictLineCutter(100);
      const lines: Buffer[] = [];
      for (let at = 0; at < bytes.length; at += size)
        lines.push(...cutter.push(bytes.subarray(at, at + size)));
      expect(Buffer.concat([...lines, cutter.rest()]).equals(bytes)).toBe(true);
      expect(lines.map(String)).toEqual(['a\n', '\n', 'Ä b\r\n']);
    }
  });

  it('holds no line without end', () => {
    expect(() => strictLineCutter(10).push(Buffer.alloc(11, 'x'))).toThrow('longer');
  });
});

describe('the relay', () => {
  const open = () =>
    between(() => ({
      fromAgent: () => 'pass',
      fromClient: () => 'pass',
      dispose: () => undefined,
    }));

  it('hands on every byte, in both directions', async () => {
    const { agent, client } = open();
    const strange = '{ "id" : 1.0e0,  "result":{"é":"\\u0041","big":12345678901234567890} }';
    agent.send(`${strange}\n`);
    expect(await client.line()).toBe(strange);
    const broken = 'what an editor says is its own affair';
    client.send(`${broken}\n`);
    expect(await agent.line()).toBe(broken);
  });

  it('keeps from the client what the agent says unclearly, and tells the log', async () => {
    const { agent, client, said } = open();
    agent.send('{"id":1,"method":"ok","method":"terminal/create"}\n');
    agent.send({ method: 'after' });
    expect(await client.next()).toEqual({ method: 'after' });
    expect(said).toHaveLength(1);
  });

  it('ends with the status of the agent', async () => {
    const { agent, code } = open();
    agent.end();
    expect(await code).toBe(0);
  });

  it('ends on a signal although its client neither reads nor goes', async () => {
    const { agent, code, abort } = open();
    agent.send(`${JSON.stringify({ method: 'long', params: 'x'.repeat(1_000_000) })}\n`);
    agent.send({ method: 'more' });
    abort();
    expect(await code).toBe(143);
  });
});
