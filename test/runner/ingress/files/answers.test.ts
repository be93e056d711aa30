import { randomUUID } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  createAnswers,
  nobodyKnown,
  refusedAnswer,
} from '../../../../runner/ingress/files/answers.ts';
import { makeSharedFolder, openSharedFolder } from '../../../../shared/home/shared-folder.ts';
import type { SharedFolder } from '../../../../shared/home/shared-folder.ts';
import { readDescriptorText } from '../../../../shared/ipc/descriptors.ts';
import { fakeClock } from '../../../support/fake-clock.ts';
import { uid } from './support.ts';

let path = '';
let folder: SharedFolder;
beforeEach(() => {
  path = realpathSync(mkdtempSync(join(tmpdir(), 'il-answers-')));
  makeSharedFolder(path, { owners: [uid], open: false });
  folder = openSharedFolder(path, { owners: [uid], mode: 0o600, word: randomUUID });
});
afterEach(() => {
  folder.close();
  rmSync(path, { recursive: true, force: true });
});

const responses = (name: string): string => join(path, '.interlock', 'responses', name);
const warnings: string[] = [];
const log = { warn: (text: string) => void warnings.push(text) };

it('takes away answers that are old, or too many, and nothing that is not one', () => {
  const now = Date.now();
  const clock = { ...fakeClock(), now: () => now };
  const put = (ageMs: number): string => {
    const name = `${randomUUID()}.yaml`;
    writeFileSync(responses(name), 'x');
    utimesSync(responses(name), new Date(now - ageMs), new Date(now - ageMs));
    return name;
  };
  const old = put(61_000);
  const young = put(1_000);
  writeFileSync(responses('notes.txt'), 'mine');
  utimesSync(responses('notes.txt'), 1, 1);
  const link = `${randomUUID()}.yaml`;
  const kept = join(path, 'kept');
  writeFileSync(kept, 'x');
  utimesSync(kept, 1, 1);
  symlinkSync(kept, responses(link));
  mkdirSync(responses(`${randomUUID()}.yaml`));
  const answers = createAnswers({ clock, log, keepMs: () => 60_000 });
  answers.clean(folder);
  const left = readdirSync(responses('.'));
  expect(left).toHaveLength(4);
  expect(left).toEqual(expect.arrayContaining([young, link, 'notes.txt']));
  expect(left).not.toContain(old);
  expect(readdirSync(path)).toContain('kept');
  for (let at = 0; at < 4_100; at += 1) writeFileSync(responses(`${randomUUID()}.yaml`), '');
  answers.clean(folder);
  expect(readdirSync(responses('.'))).toHaveLength(4_096 + 3);
  expect(readdirSync(responses('.'))).not.toContain(young);
});

it('keeps at an answer that cannot be written, until it can, or until it is to end', async () => {
  const clock = fakeClock();
  const answers = createAnswers({ clock, log, keepMs: () => 60_000 });
  const asker = nobodyKnown(randomUUID());
  const name = `${asker.id}.yaml`;
  mkdirSync(responses(name));
  writeFileSync(join(responses(name), 'in the way'), '');
  const written = answers.write(folder, refusedAnswer(asker, null, 0), null);
  await expect.poll(() => clock.pending).toBe(1);
  clock.advance(1_000);
  await expect.poll(() => clock.pending).toBe(1);
  rmSync(responses(name), { recursive: true });
  clock.advance(1_000);
  await written;
  expect(folder.read('responses', name, 10_000)).toMatchObject({ kind: 'text' });
  expect(warnings.filter((text) => text.includes('could not be written'))).toHaveLength(1);
  const other = nobodyKnown(randomUUID());
  mkdirSync(responses(`${other.id}.yaml`));
  const never = answers.write(folder, refusedAnswer(other, null, 0), null);
  await expect.poll(() => clock.pending).toBe(1);
  answers.dispose();
  await never;
  expect(clock.pending).toBe(0);
});

it('reads of its own form a line a field, and nothing else', () => {
  expect(readDescriptorText('a: 1\nb: "x: y"\n')).toEqual({ a: 1, b: 'x: y' });
  for (const bad of [
    'a: 1',
    'a: 1\na: 2\n',
    'a: x\n',
    'a:1\n',
    '\n',
    'a: 1\n\n',
    'A: 1\n',
    '- 1\n',
    '',
  ])
    expect(readDescriptorText(bad)).toBeNull();
  expect(Object.getPrototypeOf(readDescriptorText('__proto__: {"x":1}\n'))).toBe(Object.prototype);
});
