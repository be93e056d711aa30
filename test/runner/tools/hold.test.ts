import { execFileSync } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { localHost } from '../../../runner/hosts/local.ts';
import { canHold, holdLauncher } from '../../../runner/hosts/sandbox/hold.ts';
import { callHere } from '../../../runner/ingress/box-call.ts';
import { toolsHost } from '../../../runner/tools/host.ts';
import { refusalOf } from '../../../shared/base/index.ts';
import type { ToolPolicy } from '../../../shared/engine/index.ts';
import { systemClock } from '../../../shared/home/clock.ts';
import { launcher } from '../hosts/sandbox/support.ts';
import { run, temporaryFolder } from '../hosts/support.ts';

const whyNot = canHold(launcher) ? null : 'the kernel holds nothing here';
const secret = 'not for the box';
const credential = 'tok_0123456789';

/**
 * A project with a pipe in it, a folder beside it that is none of the box's, and a tool that prints the
 * files which it is given, one after the other: it waits at the pipe until the test has opened it.
 */
function scene(policy: Partial<ToolPolicy> = {}, isAble = true) {
  const root = temporaryFolder();
  const [workspace, other, home] = ['work', 'other', 'home'].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [workspace, other, home, join(workspace, 'sub')]) mkdirSync(path);
  writeFileSync(join(other, 'note'), secret);
  writeFileSync(join(home, 'settings'), 'of the tool');
  writeFileSync(join(workspace, 'env'), 'of the project, and not named');
  for (const folder of [workspace, join(workspace, 'sub')])
    writeFileSync(join(folder, 'note'), 'of the box');
  execFileSync('mkfifo', [join(workspace, 'gate')]);
  const tool = { tool: 'nl', folder: 'caller', credentials: [], ...policy } as const;
  const local = localHost({
    clock: systemClock,
    shell: '/bin/bash',
    environment: { PATH: '/usr/bin:/bin', HOME: home },
    launcherOf: holdLauncher(launcher),
  });
  const host = toolsHost({
    local,
    canHold: () => isAble && canHold(launcher),
    vault: { open: () => Promise.reject(new Error('nothing is kept here')) },
    directory: join(root, 'calls'),
    home,
    uid: process.geteuid?.() ?? 0,
    log: { warn: () => undefined },
  });
  onTestFinished(() => void host.stopStrays());
  const call = (words: readonly string[], cwd = workspace, meanwhile = () => {}) => {
    const { request, starting } = callHere(
      { argv: ['nl', ...words], cwd, env: {} },
      {
        task: { cwd: workspace },
        policies: new Map([['nl', tool as unknown as ToolPolicy]]),
        workspace,
        history: null,
      },
    );
    const named = starting() ?? [];
    meanwhile();
    return run(host, {
      id: 'call-1',
      agent: 'claude',
      execution: { kind: 'argv', file: '/usr/bin/nl', argv: ['nl', ...words] },
      cwd: request.cwd ?? '',
      env: { CREDENTIAL: credential },
      tool: tool as unknown as ToolPolicy,
      named,
    });
  };
  return { workspace, other, home, call };
}

/** Has the tool begun, exchanges something, and lets the tool go on; answers what it says. */
async function exchanged(
  at: ReturnType<typeof scene>,
  words: readonly string[],
  exchange: () => void,
): Promise<string> {
  const running = at.call(['gate', ...words]);
  // This waits until the tool has opened the other end.
  const gate = await open(join(at.workspace, 'gate'), 'w');
  exchange();
  await gate.close();
  await running.ended;
  const { stdout, stderr } = running.output();
  return stdout + stderr;
}

describe.skipIf(whyNot !== null)('a brokered tool that was called out of a sandbox', () => {
  it('reads the files that the call names, in the folder of the call', async () => {
    const at = scene();
    const running = at.call(['note', 'sub/note', join(at.workspace, 'env')]);
    expect(await running.ended).toMatchObject({ exitCode: 0, hold: {} });
    expect(running.output().stdout.match(/of the (?:box|project)/gu)).toHaveLength(3);
    const within = at.call(['note'], join(at.workspace, 'sub'));
    await within.ended;
    expect(within.output().stdout).toContain('of the box');
  });

  it.each<[string, (at: ReturnType<typeof scene>) => void]>([
    ['a link to it', ({ workspace, other }) => replaceNote(workspace, other, symlinkSync)],
    ['another name for it', ({ workspace, other }) => replaceNote(workspace, other, linkSync)],
    ['the file itself', ({ workspace, other }) => replaceNote(workspace, other, renameSync)],
    [
      'a link to a file of the project that it does not name',
      ({ workspace }) => {
        rmSync(join(workspace, 'note'));
        symlinkSync('env', join(workspace, 'note'));
      },
    ],
    [
      'a link to what the tool was given',
      ({ workspace }) => {
        rmSync(join(workspace, 'note'));
        symlinkSync('/proc/self/environ', join(workspace, 'note'));
      },
    ],
    [
      'the folder itself, exchanged for a link',
      ({ workspace, other }) => {
        renameSync(workspace, `${workspace}-before`);
        symlinkSync(other, workspace);
      },
    ],
  ])('reads no other file that takes the place of one after its start: %s', async (_, change) => {
    const at = scene();
    const said = await exchanged(at, [join(at.workspace, 'note')], () => change(at));
    expect(said).toMatch(/Permission denied/u);
    for (const text of [secret, credential, 'not named']) expect(said).not.toContain(text);
  });

  it('reads no other file by a folder that it names, either', async () => {
    for (const change of [
      (folder: string, other: string) => replaceNote(folder, other, symlinkSync),
      (folder: string, other: string) => {
        rmSync(folder, { recursive: true });
        symlinkSync(other, folder);
      },
    ]) {
      const at = scene();
      const folder = join(at.workspace, 'sub');
      const words = ['sub', 'sub/note'];
      const said = await exchanged(at, words, () => change(folder, at.other));
      expect(said).toMatch(/Permission denied/u);
      expect(said).not.toContain(secret);
    }
  });

  it.each<[string, (at: ReturnType<typeof scene>) => void]>([
    ['a link', ({ workspace, other }) => replaceNote(workspace, other, symlinkSync)],
    ['another file', ({ workspace, other }) => replaceNote(workspace, other, linkSync)],
    ['nothing', ({ workspace }) => rmSync(join(workspace, 'note'))],
    [
      'another folder around it',
      ({ workspace, other }) => {
        rmSync(join(workspace, 'sub'), { recursive: true });
        symlinkSync(other, join(workspace, 'sub'));
      },
    ],
  ])('does not start where %s is found after the last look', async (_, change) => {
    const at = scene();
    const running = at.call(['note', 'sub/note'], at.workspace, () => change(at));
    const code = await running.ended.catch((error: unknown) => refusalOf(error)?.code);
    expect(code).toBe('binding-drift');
    expect(running.output()).toEqual({ stdout: '', stderr: '' });
  });

  it.each<[string, ToolPolicy['files'], boolean]>([
    ['nothing of the home by itself', undefined, false],
    ['what its policy says', { reads: ['~/settings'] }, true],
    ['all below that', { writes: ['~'] }, true],
    ['nothing else', { reads: ['~/other', '/usr'], writes: ['.'] }, false],
  ])('has of this machine %s', async (_, files, has) => {
    const at = scene(files === undefined ? {} : { files });
    const said = await exchanged(at, ['note'], () => {
      rmSync(join(at.workspace, 'note'));
      symlinkSync(join(at.home, 'settings'), join(at.workspace, 'note'));
    });
    expect(said.includes('of the tool')).toBe(has);
    expect(said.includes('Permission denied')).toBe(!has);
  });

  it('has the whole folder of the call where its policy says so, and its own folder goes', async () => {
    const at = scene({ files: { reads: ['.'] } });
    const said = await exchanged(at, ['note'], () => {
      rmSync(join(at.workspace, 'note'));
      symlinkSync('env', join(at.workspace, 'note'));
    });
    expect(said).toContain('not named');
    expect(readdirSync(join(at.home, '..', 'calls'))).toEqual([]);
  });
});

it('is refused where nothing can hold it, unless it opens nothing of the sandbox', async () => {
  const refused = async (running: { readonly ended: Promise<unknown> }) =>
    running.ended.then(
      () => null,
      (error: unknown) => refusalOf(error)?.code,
    );
  expect(await refused(scene({}, false).call(['note']))).toBe('host-unavailable');
  expect(await refused(scene({}, false).call([]))).toBe('host-unavailable');
  const own = scene({ folder: 'private' }, false);
  expect(await refused(own.call([join(own.workspace, 'note')]))).toBe('host-unavailable');
  expect(await refused(own.call(['note']))).toBeNull();
});

function replaceNote(folder: string, other: string, by: (from: string, to: string) => void): void {
  rmSync(join(folder, 'note'));
  by(join(other, 'note'), join(folder, 'note'));
}
