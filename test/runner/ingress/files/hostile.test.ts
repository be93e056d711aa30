import { execFileSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { makeSharedFolder, openSharedFolder } from '../../../../shared/home/shared-folder.ts';
import { auditRows, makeHome, startRunnerProcess } from '../../service/support.ts';
import { boundedSlice } from '../../../support/bounded-slice.ts';
import {
  answered,
  answerTo,
  ask,
  free,
  fresh,
  limits,
  put,
  requestFile,
  responseFile,
  share,
  signed,
  uid,
  wordOf,
} from './support.ts';

test('links, second names, folders, pipes and foreign files in the place of a request are not read', async () => {
  const paths = await makeHome(free);
  const shared = await share(paths);
  await startRunnerProcess(paths);
  const whole = fresh({ argv: ['true'] });
  const elsewhere = join(dirname(paths.home), 'elsewhere.yaml');
  writeFileSync(elsewhere, signed(shared, whole), { mode: 0o600 });
  const odd: Record<string, (file: string) => void> = {
    link: (file) => symlinkSync(elsewhere, file),
    'second name': (file) => linkSync(elsewhere, file),
    pipe: (file) => void execFileSync('mkfifo', [file]),
    'link to a secret': (file) => symlinkSync(paths.policy, file),
  };
  for (const make of Object.values(odd)) {
    const id = randomUUID();
    make(requestFile(shared, id));
    const answer = await answerTo(shared, id);
    expect([wordOf(answer), answer.hmac]).toEqual(['invalid-request', null]);
    expect(JSON.stringify(answer)).not.toContain(readFileSync(paths.policy, 'utf8').slice(40, 80));
    await expect.poll(() => existsSync(requestFile(shared, id))).toBe(false);
  }
  expect(existsSync(elsewhere)).toBe(true);
  // A folder cannot be taken away, and is answered once.
  const stays = randomUUID();
  mkdirSync(requestFile(shared, stays));
  expect(wordOf(await answerTo(shared, stays))).toBe('invalid-request');
  if (uid === 0) {
    const foreign = fresh({ argv: ['true'] });
    const file = requestFile(shared, foreign['id']);
    writeFileSync(join(dirname(file), '.foreign'), signed(shared, foreign));
    chownSync(join(dirname(file), '.foreign'), 12_345, 12_345);
    renameSync(join(dirname(file), '.foreign'), file);
    expect(wordOf(await answerTo(shared, foreign['id']))).toBe('invalid-request');
  }
  // Names that mean nothing are left where they are.
  const requests = dirname(requestFile(shared, 'x'));
  const names = [
    '..yaml',
    'a\nb.yaml',
    `${randomUUID()}.yaml.yaml`,
    `${randomUUID().toUpperCase()}.yaml`,
    '.tmp',
    'x'.repeat(200),
  ];
  for (const name of names)
    writeFileSync(join(requests, name), signed(shared, fresh({ argv: ['true'] })));
  expect(wordOf(await answered(shared, { argv: ['true'] }))).toBe('exit 0');
  expect(readdirSync(requests).toSorted()).toEqual([...names, `${stays}.yaml`].toSorted());
});

test('a link or a folder in the place of an answer is replaced or left, and never written through', async () => {
  const paths = await makeHome(free);
  const shared = await share(paths);
  await startRunnerProcess(paths);
  const target = join(dirname(paths.home), 'target');
  writeFileSync(target, 'as it was');
  const fields = fresh({ argv: ['true'] });
  symlinkSync(target, responseFile(shared, fields['id']));
  put(shared, fields['id'], signed(shared, fields));
  await expect
    .poll(() => readFileSync(responseFile(shared, fields['id']), 'utf8'))
    .toContain('exit_code: 0');
  expect(readFileSync(target, 'utf8')).toBe('as it was');
  // A folder keeps its own answer from coming, and nobody else's.
  const blocked = fresh({ command: 'echo ran >> log' });
  mkdirSync(responseFile(shared, blocked['id']));
  put(shared, blocked['id'], signed(shared, blocked));
  await expect.poll(() => existsSync(join(shared.folder, 'log'))).toBe(true);
  rmSync(responseFile(shared, blocked['id']), { recursive: true });
  expect(wordOf(await answerTo(shared, blocked['id']))).toBe('exit 0');
  expect(readFileSync(join(shared.folder, 'log'), 'utf8')).toBe('ran\n');
});

test('folders that are moved away or replaced by links change nothing for who is answered', async () => {
  const paths = await makeHome(free);
  const rpc = { pollMs: 100 };
  const shared = await share(paths, { rpc: { ...rpc } });
  writeFileSync(
    paths.config,
    JSON.stringify({ version: 1, rpc: { ...rpc, folders: [{ path: shared.folder }] } }),
    { mode: 0o600 },
  );
  await startRunnerProcess(paths);
  const inner = join(shared.folder, '.interlock');
  const away = join(shared.folder, 'away');
  const go = join(shared.folder, 'go');
  const under = ask(shared, { command: `while [ ! -e ${go} ]; do sleep 0.05; done; echo done` });
  await expect.poll(() => existsSync(requestFile(shared, under['id']))).toBe(false);
  renameSync(inner, away);
  const trap = join(dirname(paths.home), 'trap');
  for (const part of ['requests', 'responses', 'teardowns'])
    mkdirSync(join(trap, part), { recursive: true });
  symlinkSync(trap, inner);
  const lured = fresh({ argv: ['true'] });
  writeFileSync(join(trap, 'requests', `${String(lured['id'])}.yaml`), signed(shared, lured));
  writeFileSync(go, '');
  const answer = join(away, 'responses', `${String(under['id'])}.yaml`);
  await expect.poll(() => existsSync(answer)).toBe(true);
  expect(readdirSync(join(trap, 'responses'))).toEqual([]);
  // Put right again, it is served again.
  rmSync(inner);
  renameSync(away, inner);
  expect(wordOf(await answered(shared, { argv: ['true'] }))).toBe('exit 0');
  expect(readdirSync(join(trap, 'requests'))).toHaveLength(1);
  expect(readdirSync(join(trap, 'responses'))).toEqual([]);
});

/** Reading 100,000 files takes minutes. */
const patience = boundedSlice(80_000, 900_000);

test(
  'a flood of what is not a request, and one of an agent, keep nobody else from an answer',
  async () => {
    const paths = await makeHome(free);
    const shared = await share(paths, {
      agents: ['box', 'loud'],
      config: { limits },
      rpc: { waiting: 20 },
    });
    const many = boundedSlice(400, 100_000);
    const requests = dirname(requestFile(shared, 'x'));
    for (let at = 0; at < many; at += 1)
      writeFileSync(join(requests, `${randomUUID()}.yaml`), 'x: [');
    for (let at = 0; at < many / 5; at += 1)
      writeFileSync(join(requests, `foreign-${String(at)}`), '');
    for (let at = 0; at < 60; at += 1)
      ask(shared, { principal: 'loud', command: 'echo x >> loud' });
    const began = performance.now();
    await startRunnerProcess(paths);
    for (let at = 0; at < 3; at += 1)
      expect(wordOf(await answered(shared, { argv: ['true'] }))).toBe('exit 0');
    await expect
      .poll(() => readdirSync(requests).filter((name) => name.endsWith('.yaml')).length, {
        timeout: patience,
      })
      .toBe(0);
    const ran = readFileSync(join(shared.folder, 'loud'), 'utf8').length / 2;
    expect(ran).toBeGreaterThanOrEqual(20);
    // Of a flood there are so many rows and answers a second as somebody would read.
    const told = 300 + (10 * (performance.now() - began)) / 1_000;
    const rows = auditRows(paths).length;
    expect(rows).toBeLessThan(60 * 4 + told);
    expect(readdirSync(join(shared.folder, '.interlock', 'responses')).length).toBeLessThan(
      60 + told,
    );
  },
  patience + 10_000,
);

test('what was opened is used after the path leads elsewhere, and nothing once it was let go', async () => {
  const paths = await makeHome();
  const folder = join(dirname(paths.home), 'one');
  mkdirSync(folder);
  makeSharedFolder(folder, { owners: [uid], open: false });
  const options = { owners: [uid], mode: 0o600, word: () => 'w' };
  const shared = openSharedFolder(folder, options);
  renameSync(folder, `${folder}-moved`);
  mkdirSync(folder);
  expect(shared.isCurrent()).toBe(false);
  expect(() => openSharedFolder(folder, options)).toThrow(/not there/u);
  await shared.write('responses', 'a.yaml', 'text');
  expect(readFileSync(join(`${folder}-moved`, '.interlock/responses/a.yaml'), 'utf8')).toBe('text');
  const release = shared.hold();
  shared.close();
  expect(shared.read('responses', 'a.yaml', 10)).toEqual({ kind: 'text', text: 'text' });
  release();
  release();
  expect(shared.read('responses', 'a.yaml', 10)).toMatchObject({ kind: 'unsafe' });
  expect([shared.remove('responses', 'a.yaml'), shared.names('responses', 9)]).toEqual([false, []]);
  await expect(shared.write('responses', 'b.yaml', '')).rejects.toThrow(/EBADF/u);
  symlinkSync(`${folder}-moved`, join(dirname(paths.home), 'linked'));
  expect(() => openSharedFolder(join(dirname(paths.home), 'linked'), options)).toThrow(
    /is a link/u,
  );
});
