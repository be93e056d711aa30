import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listeningPorts } from '../../shared/home/index.ts';

async function serve(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

describe.skipIf(process.platform !== 'linux')('ports that are listened to', () => {
  it('are those of this machine, of both families, while somebody listens', async () => {
    const ports = [await serve('127.0.0.1'), await serve('::1')];
    expect(ports.filter((port) => listeningPorts()?.has(port) === true)).toEqual(ports);
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect(listeningPorts(process.pid)?.has(port)).toBe(true);
    server.close();
    await once(server, 'close');
    expect(listeningPorts()?.has(port)).toBe(false);
  });

  it('are not known of a process that is not there', () => {
    expect(listeningPorts(2 ** 30)).toBeNull();
  });
});
