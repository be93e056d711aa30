import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findBubblewrap } from '../../../../runner/hosts/sandbox/bubblewrap.ts';
import { probeSandbox } from '../../../../runner/hosts/sandbox/probe.ts';
import { temporaryFolder } from '../support.ts';
import { box, compile, inside, launcher, rungs, whyNot } from './support.ts';

const fixture = join(import.meta.dirname, '../../../fixtures/sandbox/without-namespaces.c');
const uid = process.geteuid?.() ?? -1;
const program = findBubblewrap();

/** The launcher, or bubblewrap, where the kernel lets nobody make namespaces. */
function restricted(path: string): string {
  const folder = temporaryFolder();
  return compile(join(folder, 'restricted'), [fixture], [`-DLAUNCHER="${path}"`]);
}

describe.skipIf(whyNot !== null)('the ladder', () => {
  test('ends at the launcher where that builds a box', async () => {
    expect(await probeSandbox({ launcher, uid })).toMatchObject({
      ok: true,
      rung: 'box',
      failed: [],
    });
  });

  test.skipIf(program === null)(
    'goes on to bubblewrap where namespaces are kept from the launcher alone, and says why',
    async () => {
      const found = await probeSandbox({ launcher, uid, boxLauncher: restricted(launcher) });
      expect(found).toMatchObject({
        ok: true,
        rung: 'bubblewrap',
        failed: [{ rung: 'box', step: 'namespaces', error: 'EPERM' }],
      });
      const builder = found.capabilities.find(({ name }) => name === 'builder');
      expect(builder).toMatchObject({
        ok: false,
        detail: expect.stringContaining('EPERM') as string,
      });
    },
  );

  test.skipIf(program === null)('ends in a no where bubblewrap may not either', async () => {
    const found = await probeSandbox({
      launcher,
      uid,
      boxLauncher: restricted(launcher),
      bubblewrap: restricted(program ?? ''),
    });
    expect(found).toMatchObject({
      ok: false,
      rung: null,
      failed: [
        { rung: 'box', step: 'namespaces', error: 'EPERM' },
        { rung: 'bubblewrap', error: expect.stringMatching(/namespace|permi/i) as string },
      ],
    });
  });

  test('says what to install where there is no bubblewrap', async () => {
    const boxLauncher = restricted(launcher);
    const found = await probeSandbox({ launcher, uid, boxLauncher, bubblewrap: null });
    expect(found).toMatchObject({ ok: false, rung: null });
    expect(found.failed[1]).toMatchObject({
      rung: 'bubblewrap',
      step: 'program',
      advice: expect.stringContaining('Install bubblewrap') as string,
    });
  });

  test.skipIf(!rungs.includes('bubblewrap'))(
    'does not go lower than a person accepts, and runs nothing then',
    async () => {
      const { workspace, host } = box({ least: 'box' }, { rung: 'bubblewrap' });
      await expect(inside(host, 'touch ran', workspace)).rejects.toMatchObject({
        refusal: {
          code: 'host-unavailable',
          message: expect.stringContaining('sandbox.least') as string,
        },
      });
      expect(readdirSync(workspace)).toEqual([]);
      const other = box({ least: 'box' }, { rung: 'box' });
      expect(await inside(other.host, 'true', other.workspace)).toMatchObject({ exitCode: 0 });
    },
  );

  test('runs nothing where no rung holds, never outside in its place', async () => {
    const none = async () =>
      probeSandbox({ launcher, uid, boxLauncher: restricted(launcher), bubblewrap: null });
    const { workspace, host } = box({}, { lookAround: none });
    await expect(inside(host, 'touch ran', workspace)).rejects.toMatchObject({
      refusal: { code: 'host-unavailable' },
    });
    expect(readdirSync(workspace)).toEqual([]);
  });
});
