import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../../../runner/cli/program.ts';
import { findSecrets } from '../../support/secret-scan.ts';
import { packageRoot, temporaryHome, testIo } from './support.ts';
import type { TestIo } from './support.ts';

const value = 'sk-ant-0123456789abcdefghijABCDEFGHIJ';
let place: ReturnType<typeof temporaryHome>;
let env: Record<string, string>;

beforeEach(async () => {
  place = temporaryHome();
  const bin = join(place.folder, 'bin');
  mkdirSync(bin);
  writeFileSync(
    join(bin, 'claude'),
    `#!/bin/sh\nenv > ${join(place.folder, 'seen')}\necho "$0 $*" > ${join(place.folder, 'words')}\nexit 7\n`,
  );
  chmodSync(join(bin, 'claude'), 0o755);
  env = {
    XDG_DATA_HOME: join(place.folder, 'data'),
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    GITHUB_TOKEN: 'ghp_somebody-elses-token-012345',
    SSH_AUTH_SOCK: '/tmp/agent.sock',
    HTTPS_PROXY: 'http://proxy.invalid:3128',
    TERM: 'xterm-256color',
  };
  await run(['init', '--host', 'gateway']);
});
afterEach(() => place.remove());

async function run(
  words: readonly string[],
  stdin = '',
): Promise<TestIo & { readonly code: number }> {
  const io = testIo({ home: place.home, env, stdin });
  return { ...io, code: await runCli(words, io.io) };
}

const seen = (): string => readFileSync(join(place.folder, 'seen'), 'utf8');

describe('interlock wrap', () => {
  it('starts an agent with its own key and no other variable of the terminal', async () => {
    await run(['secret', 'set', 'anthropic'], value);
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(packageRoot, 'dist/runner/cli/main.js'), 'wrap', 'claude', '--print', 'hello'],
      { env: { ...env, INTERLOCK_HOME: place.home } },
    ).catch((error: { code: number; stdout: string }) => {
      expect(error.code).toBe(7);
      return error;
    });
    expect(seen()).toContain(`ANTHROPIC_API_KEY=${value}`);
    expect(seen()).toContain('TERM=xterm-256color');
    for (const name of ['GITHUB_TOKEN', 'SSH_AUTH_SOCK', 'HTTPS_PROXY'])
      expect(seen()).not.toContain(`${name}=`);
    const words = readFileSync(join(place.folder, 'words'), 'utf8');
    expect(words).toContain('--print hello');
    expect(findSecrets([value], { folders: [place.home], texts: { words, stdout } })).toEqual([]);
    expect((await run(['secret', 'list'])).out()).toContain('by wrap claude');
  });

  it('passes on what is named, and takes another secret', async () => {
    await run(['secret', 'set', 'work'], value);
    await run(['wrap', '--keep', 'HTTPS_PROXY', '--secret', 'work', 'claude']);
    expect(seen()).toContain('HTTPS_PROXY=http://proxy.invalid:3128');
    expect(seen()).toContain(`ANTHROPIC_API_KEY=${value}`);
  });

  it('starts nothing without the secret, for an unknown agent, or while everything is locked', async () => {
    expect((await run(['wrap', 'claude'])).err()).toContain('interlock secret set anthropic');
    expect((await run(['wrap', 'sh', '-c', 'env'])).err()).toContain('not an agent');
    await run(['secret', 'set', 'anthropic'], value);
    await run(['lockout']);
    const locked = await run(['wrap', 'claude']);
    expect([locked.code, locked.err()]).toEqual([126, expect.stringContaining('locked')]);
    expect(seen).toThrow();
  });
});
