import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { homePaths } from '../shared/home/index.ts';
import { RunnerUnreachableError, runnerClient } from '../shared/ipc/index.ts';
import { playScene, scenes } from './play.ts';

const execute = promisify(execFile);

/** A folder to play in: a small repository with a build folder and a "server" beside it. */
export interface Scratch {
  readonly folder: string;
  readonly remove: () => Promise<void>;
}

/** Makes the scratch folder below the system's temporary one. Without git it has no repository. */
async function makeScratch(): Promise<Scratch> {
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

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
process.once('SIGTERM', () => stop.abort());

process.exitCode = await main();

/** Plays all scenes, one after the other. Resolves with the exit status. */
async function main(): Promise<number> {
  const client = runnerClient({ socketPath: homePaths(process.env).runnerSocket });
  try {
    const { approver } = await client.status();
    if (!approver.connected)
      say(
        'No approver is connected, so the fallback of the policy decides. "interlock ui" starts one.\n',
      );
  } catch (error) {
    if (!(error instanceof RunnerUnreachableError)) throw error;
    say(`${error.message}\nStart everything in another terminal with "npm start", then try again.`);
    return 125;
  }
  const scratch = await makeScratch();
  say(
    `An agent named "demo" now asks for ${String(scenes.length)} commands, in ${scratch.folder}.`,
  );
  say('Nothing of this harms anything, whatever you answer. Ctrl-C ends it.\n');
  try {
    for (const [index, scene] of scenes.entries()) {
      say(`${String(index + 1)}. ${scene.title}\n   $ ${scene.command}`);
      await playScene(scene, { client, folder: scratch.folder, say, signal: stop.signal });
      say('');
    }
    say('That was all. Rules that you made with "always" are in "interlock approvals get".');
    return 0;
  } catch (error) {
    if (stop.signal.aborted) return 130;
    say(`   ${error instanceof Error ? error.message : String(error)}`);
    return 125;
  } finally {
    await scratch.remove();
  }
}
