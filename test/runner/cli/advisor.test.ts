import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
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
  const io = testIo({ home: place.home });
  return { ...io, code: await runCli(words, io.io) };
}

/** Puts an advisor into the home that says `says`, and gives it to every agent. */
function setUp(says: string): void {
  mkdirSync(join(place.home, 'advisors'), { mode: 0o700 });
  const path = join(place.home, 'advisors', 'team.sh');
  writeFileSync(path, `#!/bin/sh\ncat > /dev/null\necho '${says}'\n`, { mode: 0o700 });
  const config = join(place.home, 'config.json');
  const now = JSON.parse(readFileSync(config, 'utf8')) as object;
  const advisors = { programs: { team: { argv: [path] } } };
  const agents = { '*': { advisor: { by: 'team', counts: 'tighten' } } };
  writeFileSync(config, JSON.stringify({ ...now, advisors, agents }), { mode: 0o600 });
}

describe('interlock advisor', () => {
  it('says that there is none', async () => {
    expect((await run('advisor', 'list')).out()).toBe('No advisor is set up.\n');
    const { code, err } = await run('advisor', 'test', '--', 'ls');
    expect(code).not.toBe(0);
    expect(err()).toContain('Nobody looks at the asks of "main".');
  });

  it('lists each with what it counts for', async () => {
    setUp('');
    const { out } = await run('advisor', 'list');
    expect(out()).toMatch(/^team {2}.*team\.sh\n {2}\*: tighten\n$/u);
  });

  it('sends one what it would be told, and shows both', async () => {
    setUp('{"version":1,"answer":"refuse","reason":"It deletes."}');
    const { code, out } = await run('advisor', 'test', '--', 'rm', '-rf', 'build');
    expect(code).toBe(0);
    expect(out()).toContain('"recursive-delete"');
    expect(out()).toContain('team says "refuse": It deletes.');
  });

  it('says why there is no answer', async () => {
    setUp('Yes!');
    const { code, out } = await run('advisor', 'test', '--advisor', 'team', '-c', 'ls | head');
    expect(code).toBe(125);
    expect(out()).toContain('team gave no answer: its answer does not count');
    expect((await run('advisor', 'test', '--advisor', 'x', '--', 'ls')).err()).toContain('"x"');
  });

  it('is looked at by doctor', async () => {
    setUp('');
    expect((await run('doctor')).out()).toContain('Advisors look at asks before you do');
  });
});
