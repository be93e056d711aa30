import { mkdirSync, readdirSync, symlinkSync, writeFileSync, chmodSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createPlainServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { claimRunnerSocket, listenOn } from '../../../runner/ingress/http/listen.ts';
import { temporaryFolder } from '../hosts/support.ts';
import { call } from './support.ts';

const start = async (path: string, text: string): Promise<void> => {
  const release = await claimRunnerSocket(path);
  const stop = await listenOn(
    createServer((_request, response) => response.end(text)),
    path,
  );
  onTestFinished(async () => stop().finally(release));
};

test('a second runner leaves the first unharmed and says so', async () => {
  const path = join(temporaryFolder(), 'r.sock');
  await start(path, 'first');
  await expect(start(path, 'second')).rejects.toMatchObject({
    refusal: { code: 'concurrency-busy', message: `A runner is already at work on ${path}.` },
  });
  expect((await call(path, '/')).body).toBe('first');
});

test('of many that start at once, exactly one gets the socket', async () => {
  const path = join(temporaryFolder(), 'r.sock');
  const starts = Array.from({ length: 8 }, async (_, index) => start(path, String(index)));
  const results = await Promise.allSettled(starts);
  const winners = results.flatMap(({ status }, index) => (status === 'fulfilled' ? [index] : []));
  expect(winners).toHaveLength(1);
  expect((await call(path, '/')).body).toBe(String(winners[0]));
});

test('a socket that a dead runner left behind is replaced', async () => {
  const path = join(temporaryFolder(), 'r.sock');
  const dead = createPlainServer();
  await new Promise<void>((resolve) => dead.listen(`${path}.x`, resolve));
  const { renameSync } = await import('node:fs');
  renameSync(`${path}.x`, path);
  await new Promise((resolve) => dead.close(resolve));
  await start(path, 'alive');
  expect((await call(path, '/')).body).toBe('alive');
});

test('a live socket of another program is left alone', async () => {
  const path = join(temporaryFolder(), 'r.sock');
  const other = createPlainServer((socket) => socket.end());
  await new Promise<void>((resolve) => other.listen(path, resolve));
  onTestFinished(() => void other.close());
  await expect(start(path, 'mine')).rejects.toMatchObject({
    refusal: { code: 'concurrency-busy' },
  });
});

test.each([
  ['a folder', (path: string) => mkdirSync(path)],
  ['a file', (path: string) => writeFileSync(path, 'precious')],
  ['a symbolic link', (path: string) => symlinkSync('/nowhere', path)],
])('a path that is %s is refused and stays as it is', async (_name, make) => {
  const path = join(temporaryFolder(), 'r.sock');
  make(path);
  await expect(start(path, 'x')).rejects.toMatchObject({ refusal: { code: 'config-invalid' } });
});

test('a folder that others may enter is refused, with the way to mend it', async () => {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  await expect(start(join(folder, 'r.sock'), 'x')).rejects.toMatchObject({
    refusal: { code: 'config-invalid', hint: `Run: chmod 700 '${folder}'` },
  });
});

test('a socket that cannot be put in its place is not left behind, and nothing listens', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'r.sock');
  mkdirSync(path);
  const server = createServer();
  await expect(listenOn(server, path)).rejects.toThrow('EISDIR');
  expect(server.listening).toBe(false);
  expect(readdirSync(folder)).toEqual(['r.sock']);
});
