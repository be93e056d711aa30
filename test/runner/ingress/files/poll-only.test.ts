import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { createAnswers } from '../../../../runner/ingress/files/answers.ts';
import { openFolders } from '../../../../runner/ingress/files/folders.ts';
import { openJournal } from '../../../../runner/ingress/files/journal.ts';
import { defaultConfig } from '../../../../shared/engine/config.ts';
import { makeSharedFolder } from '../../../../shared/home/shared-folder.ts';
import { fakeClock } from '../../../support/fake-clock.ts';
import { ask, answerTo, uid, wordOf } from './support.ts';

vi.mock('node:fs', async (load) => ({
  ...(await load<object>()),
  watch: () => {
    throw new Error('no events here');
  },
}));

let folder = '';
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('finds requests by looking, as often as the settings say, where a folder tells of nothing', async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'il-poll-')));
  const path = join(folder, 'shared');
  mkdirSync(path);
  makeSharedFolder(path, { owners: [uid], open: false });
  const clock = fakeClock();
  const key = new Uint8Array(32);
  const journal = openJournal({ path: join(folder, 'journal'), uid, now: () => Date.now() });
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const answers = createAnswers({ clock: { ...clock, now: Date.now }, log, keepMs: () => 60_000 });
  const rpc = { ...defaultConfig.rpc, folders: [{ path }], pollMs: 700 };
  let ran = 0;
  const folders = openFolders({
    clock: { ...clock, now: Date.now },
    uid,
    log,
    journal,
    answers,
    principals: { key: async (name) => (name === 'box' ? key : null) },
    stops: {
      check: () => undefined,
      pause: () => ({ mode: 'paused', stopped: 0, withdrawn: 0, keysRotated: 0 }),
    },
    config: () => ({ ...defaultConfig, rpc }),
    note: () => undefined,
    gate: {
      exec: async ({ prove }) => {
        await prove?.();
        ran += 1;
        const output = { stdout: '', stderr: '', truncated: false, tail: '' };
        const outcome = { exitCode: 0, signal: null, ending: 'exited' } as const;
        return { ok: true, id: 'x', outcome, durationMs: 1, output };
      },
    },
  });
  await folders.look();
  const shared = { paths: {} as never, folder: path, keys: { box: key } };
  const { id } = ask(shared, { argv: ['true'] });
  clock.advance(699);
  await folders.idle();
  expect(ran).toBe(0);
  clock.advance(1);
  expect(wordOf(await answerTo(shared, id))).toBe('exit 0');
  expect(ran).toBe(1);
  await folders.idle();
  folders.stop();
  journal.dispose();
});
