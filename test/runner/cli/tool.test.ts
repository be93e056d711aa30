import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../../../runner/cli/program.ts';
import { temporaryHome, testIo } from './support.ts';
import type { TestIo } from './support.ts';

let place: ReturnType<typeof temporaryHome>;

beforeEach(async () => {
  place = temporaryHome();
  await run('init', '--host', 'gateway');
});
afterEach(() => place.remove());

async function run(...words: readonly string[]): Promise<TestIo & { readonly code: number }> {
  const io = testIo({ home: place.home, env: { XDG_DATA_HOME: join(place.folder, 'data') } });
  return { ...io, code: await runCli(words, io.io) };
}

describe('interlock tool', () => {
  it('brokers nothing until a person adds a tool', async () => {
    const { out, code } = await run('tool', 'list');
    expect(code).toBe(0);
    expect(out()).toContain('No tool is brokered here.');
    expect(out()).toContain('aws, docker, gh, git, kubectl, npm');
  });

  it('adds one as a file of the person, and says which secret it still needs', async () => {
    const { out, code } = await run('tool', 'add', 'gh');
    expect(code).toBe(0);
    expect(out()).toContain('interlock secret set github');
    const path = join(place.home, 'policy', 'gh.yaml');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect((await run('tool', 'show', 'gh')).out()).toContain(path);
    expect((await run('tool', 'list')).out()).toMatch(/^gh +with github$/mu);
    expect((await run('tool', 'add', 'gh')).code).not.toBe(0);
    expect((await run('tool', 'rm', 'gh')).code).toBe(0);
    expect((await run('tool', 'show', 'gh')).out()).toContain('Not brokered here');
  });

  it('says what a policy says about a call', async () => {
    await run('tool', 'add', 'git');
    const allowed = await run('tool', 'check', 'git', '--', 'push', 'origin', 'main');
    expect([allowed.code, allowed.out()]).toEqual([0, 'allow: The policy of git allows it.\n']);
    const forced = await run('tool', 'check', 'git', '--', 'push', '--force');
    expect([forced.code, forced.out()]).toEqual([
      0,
      expect.stringMatching(/^confirm: It overwrites/u),
    ]);
    const denied = await run('tool', 'check', 'git', '--', 'config', '--list');
    expect([denied.code, denied.out()]).toEqual([126, expect.stringMatching(/^deny: /u)]);
  });

  it('says what is wrong with a file, and where', async () => {
    await run('tool', 'add', 'npm');
    const path = join(place.home, 'policy', 'npm.yaml');
    writeFileSync(path, readFileSync(path, 'utf8').replace('allow:', 'alow:'));
    const { code, out } = await run('tool', 'check');
    expect(code).toBe(125);
    expect(out()).toContain('npm.yaml');
    expect((await run('tool', 'list')).code).toBe(125);
  });

  it('knows no other tool', async () => {
    for (const word of ['add', 'rm', 'show'])
      expect((await run('tool', word, '../git')).err()).toContain('There is no tool');
  });
});
