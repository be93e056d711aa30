import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../../../runner/cli/program.ts';
import { leaveNoCore } from '../../../shared/home/index.ts';
import { temporaryHome, testIo } from './support.ts';
import type { TestIo } from './support.ts';

const value = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
let place: ReturnType<typeof temporaryHome>;

beforeEach(async () => {
  place = temporaryHome();
  await run(['init', '--host', 'gateway']);
});
afterEach(() => place.remove());

async function run(
  words: readonly string[],
  { stdin, isTTY = false }: { readonly stdin?: string; readonly isTTY?: boolean } = {},
): Promise<TestIo & { readonly code: number }> {
  const io = testIo({
    home: place.home,
    isTTY,
    env: { XDG_DATA_HOME: join(place.folder, 'data') },
    ...(stdin !== undefined && { stdin }),
  });
  const code = await runCli(words, io.io);
  return { ...io, code };
}

describe('interlock secret', () => {
  it('keeps what comes from standard input, and says where', async () => {
    const { code, out, err } = await run(['secret', 'set', 'github'], { stdin: `${value}\n` });
    expect(err()).toBe('');
    expect(code).toBe(0);
    expect(out()).toContain('The secret "github" was kept.');
    expect(out()).toContain('encrypted with the key in');
    expect(out()).not.toContain(value);
    const { out: tested } = await run(['secret', 'test', 'github']);
    expect(tested()).toContain('can be read');
    expect(tested()).not.toContain(value);
  });

  it('keeps what is typed at a prompt that does not show it', async () => {
    const { code, out } = await run(['secret', 'set', 'github'], {
      stdin: `${value}\r`,
      isTTY: true,
    });
    expect(code).toBe(0);
    expect(out()).toContain('Value of "github"');
    expect(out()).not.toContain(value);
  });

  it('refuses what is typed and too long, and keeps no part of it', async () => {
    const typed = { stdin: `${'x'.repeat(9_000)}\r`, isTTY: true };
    expect((await run(['secret', 'set', 'github'], typed)).code).toBe(126);
    expect((await run(['secret', 'test', 'github'])).code).not.toBe(0);
  });

  it('takes no value as an argument', async () => {
    const { code, err } = await run(['secret', 'set', 'github', value]);
    expect(code).not.toBe(0);
    expect(err()).not.toContain(value);
  });

  it('lists names and times, and never a value', async () => {
    await run(['secret', 'set', 'github'], { stdin: value });
    const { out } = await run(['secret', 'list', '--json']);
    const told = JSON.parse(out()) as { store: string; secrets: { name: string }[] };
    expect(told.store).toBe('encrypted-file');
    expect(told.secrets.map(({ name }) => name)).toEqual(['github']);
    expect(out()).not.toContain(value);
  });

  it('removes one, and says what there is not', async () => {
    await run(['secret', 'set', 'github'], { stdin: value });
    expect((await run(['secret', 'rm', 'github'])).code).toBe(0);
    for (const word of ['rm', 'test']) {
      const { code, err } = await run(['secret', word, 'github']);
      expect(code).not.toBe(0);
      expect(err()).toContain('There is no secret "github".');
    }
  });

  it('refuses a name that is none before it reads anything', async () => {
    const { code, err } = await run(['secret', 'set', '../x'], { stdin: value });
    expect(code).toBe(126);
    expect(err()).toContain('inner hyphens');
  });

  it('works while everything is locked, as nothing is used by it', async () => {
    await run(['lockout', '--reason', 'test']);
    expect((await run(['secret', 'set', 'github'], { stdin: value })).code).toBe(0);
  });
});

describe.skipIf(process.platform !== 'linux')('a process that holds secrets', () => {
  it('leaves no core file when it crashes', () => {
    const limit = (): string =>
      /^Max core file size +(\S+)/mu.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? '';
    expect(leaveNoCore()).toBe(true);
    expect(limit()).toBe('0');
    // Whoever is started may ask for one again, as far as it could before.
    expect(execFileSync('sh', ['-c', 'ulimit -c'], { encoding: 'utf8' }).trim()).toBe('0');
  });
});
