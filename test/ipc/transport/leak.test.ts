import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connect, listen } from '../../../shared/ipc/transport/ipc.ts';

const pipes = (): number =>
  process.getActiveResourcesInfo().filter((name) => name.startsWith('Pipe')).length;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('leaves no socket behind, whoever ends first', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'leak-'));
  const before = pipes();
  const listener = await listen(join(folder, 's'), (duplex) => {
    duplex.onLine((line) => {
      if (line === 'end') duplex.end();
      if (line === 'destroy') duplex.destroy();
    });
    duplex.onEnd(() => {
      duplex.end();
    });
  });
  expect(pipes()).toBe(before + 1);
  for (const word of ['end', 'destroy', 'nothing', 'end', 'destroy', 'nothing']) {
    const client = await connect(listener.path, { timeoutMs: 5_000 });
    const closed = new Promise((resolve) => {
      client.onClose(resolve);
    });
    client.onEnd(() => {
      client.end();
    });
    client.send(word);
    if (word === 'nothing') client.end();
    await closed;
  }
  while (pipes() > before + 1) await turn();
  await listener.dispose();
  while (pipes() > before) await turn();
  expect(pipes()).toBe(before);
  rmSync(folder, { recursive: true, force: true });
});
