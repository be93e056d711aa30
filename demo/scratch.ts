import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** A folder to play in: a small repository with a build folder and a "server" beside it. */
export interface Scratch {
  readonly folder: string;
  readonly remove: () => Promise<void>;
}

/** Makes the scratch folder below the system's temporary one. Without git it has no repository. */
export async function makeScratch(): Promise<Scratch> {
  const top = await realpath(await mkdtemp(join(tmpdir(), 'interlock-demo-')));
  const folder = join(top, 'project');
  await mkdir(join(folder, 'build'), { recursive: true });
  await writeFile(join(folder, 'build', 'old.o'), 'left over\n');
  await writeFile(join(folder, 'README.md'), '# A project to play with\n');
  await makeRepository(folder, join(top, 'server.git')).catch(() => undefined);
  return { folder, remove: async () => rm(top, { recursive: true, force: true }) };
}

async function makeRepository(folder: string, server: string): Promise<void> {
  const git = async (...args: readonly string[]): Promise<unknown> =>
    execute('git', ['-C', folder, ...args]);
  await execute('git', ['init', '--quiet', '--bare', server]);
  await git('init', '--quiet', '--initial-branch=main');
  await git('config', 'user.name', 'Demo');
  await git('config', 'user.email', 'demo@interlock.invalid');
  await git('remote', 'add', 'origin', server);
  await git('add', 'README.md');
  await git('commit', '--quiet', '--message', 'First');
  await git('push', '--quiet', 'origin', 'main');
}
