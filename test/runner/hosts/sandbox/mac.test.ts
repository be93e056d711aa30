import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findBubblewrap } from '../../../../runner/hosts/sandbox/bubblewrap.ts';
import type { MacBuilder } from '../../../../runner/hosts/sandbox/mac.ts';
import { probeSandbox, unaskedProblem } from '../../../../runner/hosts/sandbox/probe.ts';
import type { SandboxConfig } from '../../../../shared/engine/index.ts';
import { temporaryFolder } from '../support.ts';
import { box, inside, launcher, machine } from './support.ts';

/** Never run on macOS: programs that stand in for its own are started in their place. */
const uid = process.geteuid?.() ?? -1;

function script(text: string, name = 'program'): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** Starts what it is told to, and holds it to nothing. */
const lying = () => script('shift 2; exec "$@"');
const look = async (seatbelt: string | null, container: string | null, image: string | null) =>
  probeSandbox({ launcher, uid, platform: 'darwin', image, macPrograms: { seatbelt, container } });

describe('the ladder of macOS', () => {
  test('ends in a no where the system has neither', async () => {
    expect(await look(null, null, 'node:22')).toMatchObject({
      ok: false,
      rung: null,
      failed: [
        { rung: 'container', step: 'program' },
        { rung: 'seatbelt', step: 'program' },
      ],
    });
  });

  test('believes no program that starts what it should hold', async () => {
    const found = await look(lying(), null, null);
    expect(found).toMatchObject({ ok: false, failed: [{ rung: 'seatbelt', step: 'hold' }] });
    expect(found.problem).toContain('does not hold');
  });

  test('says in its own words why a profile could not be applied', async () => {
    const nested = script('echo "sandbox_apply: Operation not permitted" >&2; exit 71');
    const found = await look(nested, null, null);
    expect(found.failed).toMatchObject([
      { step: 'start', error: 'sandbox_apply: Operation not permitted' },
    ]);
    expect(found.failed[0]?.advice).toContain('outside of one');
  });

  test.skipIf(findBubblewrap() === null || !machine.ok)(
    'takes a profile that holds, and runs nothing unasked by it',
    async () => {
      const holding = script(
        `work=$(echo "$2" | sed -n 's/^(allow file-write\\* (subpath "\\([^"]*\\)").*/\\1/p'); shift 2
         exec ${findBubblewrap() ?? ''} --ro-bind / / --tmpfs "$(dirname "$work")" --bind "$work" "$work" -- "$@"`,
      );
      const found = await look(holding, null, null);
      expect(found).toMatchObject({ ok: true, rung: 'seatbelt', mac: { kind: 'seatbelt' } });
      expect(unaskedProblem(found)).toContain('Only Seatbelt');
    },
  );

  test('takes a virtual machine first, where an image is named, and falls back to a profile', async () => {
    const works = await look(null, script('exit 0'), 'node:22');
    expect(works).toMatchObject({ ok: true, rung: 'container', failed: [] });
    expect(works.mac).toMatchObject({ kind: 'container', image: 'node:22' });
    const off = await look(null, script('echo "apiserver is not running" >&2; exit 1'), 'node:22');
    expect(off.failed[0]).toMatchObject({ rung: 'container', error: 'apiserver is not running' });
  });
});

describe('a command on macOS', () => {
  const on = (mac: MacBuilder, settings: Partial<SandboxConfig> = {}) =>
    box(settings, {
      lookAround: async () => ({ ...machine, ok: true, problem: null, rung: mac.kind, mac }),
    });
  const refused = { refusal: { code: 'host-unavailable' } };

  test('runs by a profile, with a folder of its own that goes with it', async () => {
    const told = join(temporaryFolder(), 'profile');
    const program = script(`printf '%s' "$2" > ${told}; shift 2; exec "$@"`);
    const { workspace, host } = on({ kind: 'seatbelt', program });
    const text = 'echo "$HOME $TMPDIR"; touch "$TMPDIR/x"; echo no >&2; exit 3';
    const { stdout, stderr, exitCode, hold } = await inside(host, text, workspace);
    expect({ stderr, exitCode, held: hold?.held }).toEqual({
      stderr: 'no\n',
      exitCode: 3,
      held: ['seatbelt'],
    });
    const [, temporary = ''] = stdout.trim().split(' ');
    expect(existsSync(temporary)).toBe(false);
    const profile = readFileSync(told, 'utf8');
    expect(profile).toContain('(deny default)');
    expect(profile).toContain(
      `(allow file-write* (subpath "${workspace}") (subpath "${temporary}")`,
    );
  });

  test('is not started where the program that should hold it is gone', async () => {
    const { workspace, host } = on({ kind: 'seatbelt', program: '/nowhere/sandbox-exec' });
    await expect(inside(host, 'touch ran', workspace)).rejects.toMatchObject(refused);
    expect(existsSync(join(workspace, 'ran'))).toBe(false);
  });

  test.each([{ least: 'box' }, { network: 'restricted' }] as const)(
    'is refused by a profile where more is asked for: %o',
    async (settings) => {
      const { workspace, host } = on({ kind: 'seatbelt', program: lying() }, settings);
      await expect(inside(host, 'touch ran', workspace)).rejects.toMatchObject(refused);
      expect(existsSync(join(workspace, 'ran'))).toBe(false);
    },
  );

  test('runs in a virtual machine, which is removed whatever ended the command', async () => {
    const told = join(temporaryFolder(), 'told');
    const program = script(`printf '%s|' "$@" >> ${told}; echo >> ${told}; exit 5`);
    const { workspace, host } = on({ kind: 'container', program, image: 'node:22' });
    expect(await inside(host, 'true', workspace)).toMatchObject({
      exitCode: 5,
      hold: { held: ['virtual-machine', 'limits'] },
    });
    const lines = () => readFileSync(told, 'utf8').trim().split('\n');
    await expect.poll(() => lines().length).toBe(2);
    const [started = '', removed = ''] = lines();
    const name = /--name\|([^|]+)\|/.exec(started)?.[1] ?? '';
    expect(started).toMatch(/^run\|--rm\|.*--network\|none\|.*\|node:22\|/);
    expect(removed).toBe(`delete|--force|${name}|`);
  });
});
