import { describe, expect, it, vi } from 'vitest';
import { gatewayAddress } from '../../../../runner/ingress/openclaw/access.ts';
import { joined, listing, record } from './support.ts';

describe('a Gateway that does not behave', () => {
  it.each([
    'not json',
    '[]',
    '{"type":"event"}',
    '{"type":"res","id":"x"}',
    '{"type":"evil","event":"x"}',
  ])('is left at once after %s, and joined again', async (text) => {
    const { gateway } = await joined();
    await gateway.next('exec.approval.list');
    gateway.tellRaw(text);
    await gateway.next('exec.approval.list');
    expect(gateway.connects).toHaveLength(2);
  });

  it('asks nobody about a request whose form is not known', async () => {
    const { gateway, gate, said } = await joined();
    await gateway.next('exec.approval.list');
    const wrong = [
      {},
      { ...record('a'), id: '' },
      { ...record('a'), expiresAtMs: 'soon' },
      { ...record('a'), request: { command: ['ls'] } },
      { ...record('a'), request: null },
    ];
    for (const payload of wrong) gateway.tell('exec.approval.requested', payload);
    gateway.tell('exec.approval.requested', record('good'));
    expect((await gate.next()).request.toolUseId).toBe('good');
    expect(gate.count()).toBe(1);
    expect(said.filter((line) => line.includes('not known'))).toHaveLength(wrong.length);
  });

  it('is given up where only a person can help: a wrong token', async () => {
    const { done } = await joined({ token: 'another-token-entirely' });
    await expect(done).rejects.toThrow('AUTH_TOKEN_MISMATCH');
  });

  it('is given up when it speaks another protocol', async () => {
    const { done } = await joined({
      hello: () => ({ ok: true, payload: { type: 'hello-ok', protocol: 3 } }),
    });
    await expect(done).rejects.toThrow('protocol 4');
  });

  it('is tried again while its pairing waits, and says how to approve it', async () => {
    let attempts = 0;
    const { said, gateway } = await joined({
      answer: listing(() => []),
      hello: () => {
        attempts += 1;
        return attempts < 3
          ? {
              ok: false,
              error: {
                code: 'NOT_PAIRED',
                message: 'pairing required',
                details: { code: 'PAIRING_REQUIRED', requestId: 'req-7' },
              },
            }
          : { ok: true, payload: { type: 'hello-ok', protocol: 4 } };
      },
    });
    await gateway.next('exec.approval.list');
    expect(said.filter((line) => line.includes('openclaw devices approve req-7'))).toHaveLength(2);
  });

  it('gets no second answer after it refused the first', async () => {
    const { gateway, gate, said } = await joined({
      answer: (call) =>
        call.method === 'exec.approval.resolve'
          ? { ok: false, error: { code: 'INVALID_REQUEST', message: 'unknown or expired' } }
          : listing(() => [])(call),
    });
    await gateway.next('exec.approval.list');
    gateway.tell('exec.approval.requested', record('a1'));
    (await gate.next()).yes();
    await gateway.next('exec.approval.resolve');
    await vi.waitFor(() => expect(said.some((line) => line.includes('expired'))).toBe(true));
    expect(gateway.calls.filter(({ method }) => method.endsWith('resolve'))).toHaveLength(1);
  });
});

describe('the address of a Gateway', () => {
  it.each(['ws://127.0.0.1:18789', 'ws://localhost:1', 'ws://[::1]:5', 'wss://127.0.0.1/'])(
    'may be on this machine: %s',
    (text) => expect(gatewayAddress(text).isLocal).toBe(true),
  );

  it('may be on another machine over TLS', () => {
    expect(gatewayAddress('wss://gateway.example').isLocal).toBe(false);
  });

  it.each([
    'ws://gateway.example',
    'ws://127.0.0.1.evil.example',
    'ws://10.0.0.4:18789',
    'http://127.0.0.1',
    'wss://user:secret@gateway.example',
    'gateway',
  ])('is refused: %s', (text) => {
    expect(() => gatewayAddress(text)).toThrow('invalid-request');
  });
});
