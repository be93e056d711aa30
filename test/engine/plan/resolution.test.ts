import { describe, expect, test } from 'vitest';
import type { Executable, FileView } from '../../../shared/engine/plan/types.ts';
import { fakeFiles, type FakeEntry } from './support/fake-files.ts';
import { analyse, machine, machineFiles, workspace } from './support/machine.ts';

function found(command: string, changes = {}): Executable | undefined {
  const analysis = analyse(command, changes);
  return analysis.ok ? analysis.plan.stages.at(-1)?.executable : undefined;
}

describe('a program is the file that would run', () => {
  test('a bare name is the first hit in the runner’s PATH', () => {
    expect(found('git')).toEqual({
      kind: 'file',
      name: 'git',
      foundBy: 'path',
      path: '/usr/bin/git',
      realPath: '/usr/bin/git',
      trusted: true,
      agentWritable: false,
      interpreter: null,
    });
  });

  test('links are followed, and the name that was found is kept', () => {
    expect(found('vi')).toMatchObject({ path: '/usr/bin/vi', realPath: '/usr/bin/vim' });
    expect(found('python3 x.py')).toMatchObject({ realPath: '/usr/bin/python3.11' });
    expect(found('/bin/git')).toMatchObject({ path: '/bin/git', realPath: '/usr/bin/git' });
  });

  test('a file that may not be executed, and a directory, are passed over', () => {
    expect(found('notes')).toEqual({ kind: 'missing', name: 'notes' });
    expect(found('./package.json')).toMatchObject({ kind: 'missing' });
    expect(found('./sub')).toMatchObject({ kind: 'missing' });
  });

  test('a written path is taken from the working directory of its place', () => {
    expect(found('./run.sh')).toMatchObject({
      foundBy: 'written',
      realPath: `${workspace}/run.sh`,
    });
    expect(found('cd sub && ../run.sh')).toMatchObject({ realPath: `${workspace}/run.sh` });
    expect(found('cd sub && ./run.sh')).toMatchObject({ kind: 'missing' });
  });

  test.each([
    'cd nowhere && ./run.sh',
    'cd nowhere; ./run.sh',
    'cd nowhere; sub/../run.sh',
    'cd nowhere; timeout 5 ./run.sh',
    "cd nowhere; bash -c './run.sh'",
  ])('a relative path from an unknown directory is never called missing: %s', (command) => {
    expect(analyse(command)).toMatchObject({ ok: false, reason: 'dynamic-executable' });
  });

  test.each(['%git', "'%git' x", "bash -c '%git'"])(
    'a name with a percent sign in front is a job of the shell: %s',
    (command) => {
      expect(analyse(command)).toMatchObject({ ok: false, reason: 'builtin' });
      expect(analyse({ argv: ['%git'] })).toMatchObject({ ok: true });
    },
  );

  test('what is named in full, or found through the PATH, is known in an unknown directory', () => {
    expect(found('cd nowhere; git status')).toMatchObject({ realPath: '/usr/bin/git' });
    expect(found('cd nowhere; /usr/bin/git status')).toMatchObject({ realPath: '/usr/bin/git' });
    expect(found('cd nowhere; /usr/bin/nothing')).toMatchObject({ kind: 'missing' });
    expect(found('cd nowhere; nothing')).toMatchObject({ kind: 'missing' });
  });

  test('relative entries of the PATH are passed over, and make nothing missing', () => {
    const path = ['', 'bin', '/usr/bin'];
    expect(found('git status', { path })).toMatchObject({ path: '/usr/bin/git' });
    expect(analyse('nothing', { path })).toMatchObject({
      ok: false,
      reason: 'dynamic-executable',
    });
  });

  test('a file of the same name elsewhere is not the system’s', () => {
    expect(found('./git status')).toMatchObject({ trusted: false, agentWritable: true });
  });

  test('case counts where the file system says so', () => {
    expect(found('Git')).toMatchObject({ kind: 'missing' });
  });

  test('a script belongs together with its interpreter', () => {
    expect(found('npm test')).toMatchObject({ interpreter: '/usr/bin/node' });
    expect(found('tsc')).toMatchObject({ interpreter: '/usr/bin/node' });
    expect(found('./run.sh')).toMatchObject({ interpreter: '/usr/bin/bash' });
  });

  test('the file of code that an interpreter is given is part of the stage', () => {
    const analysis = analyse('bash run.sh a');
    expect(analysis.ok && analysis.plan.stages[0]?.script).toBe(`${workspace}/run.sh`);
  });
});

describe('files that an agent can change', () => {
  test.each([
    ['./run.sh', true],
    ['/tmp/evil', true],
    ['loose', true],
    ['/usr/bin/git', false],
    ['/home/ann/bin/tool', false],
  ])('%s: %s', (command, writable) => {
    expect(found(command)).toMatchObject({ agentWritable: writable });
  });

  test('lie in every workspace, not only in this one', () => {
    const workspaces = ['/home/ann/bin'];
    expect(found('tool', { workspaces })).toMatchObject({ agentWritable: true });
  });

  test('are not trusted behind a part of the command that may have changed them', () => {
    const levels = (command: string): unknown => {
      const analysis = analyse(command);
      return analysis.ok && analysis.plan.stages.map((stage) => stage.trust.level);
    };
    expect(levels('./run.sh')).toEqual(['named']);
    expect(levels('cd . && ./run.sh')).toEqual(['open', 'named']);
    expect(levels('cat a.txt && ./run.sh')).toEqual(['open', 'named']);
    expect(levels('cp a.txt run.sh && ./run.sh')).toEqual(['open', 'never']);
    expect(levels('echo x > run.sh; ./run.sh')).toEqual(['open', 'never']);
    expect(levels('./mygit status')).toEqual(['named']);
    expect(levels('ln -sf /tmp/evil mygit && ./mygit status')).toEqual(['open', 'never']);
  });
});

describe('a symbolic link is trusted only where nobody else can turn it', () => {
  const trusted = (command: string, links: Readonly<Record<string, FakeEntry>>) => {
    const executable = found(command, { files: fakeFiles({ ...machineFiles, ...links }) });
    return executable?.kind === 'file' && executable.trusted;
  };

  test.each<[string, string, Readonly<Record<string, FakeEntry>>, boolean]>([
    ['links of the system', 'vi', {}, true],
    ['a merged directory', '/bin/git', {}, true],
    ['a link in the home directory', 'mygit', {}, false],
    [
      'a way through the home directory, from one place of the system to another',
      'hop',
      { '/usr/bin/hop': { to: '/home/ann/hop' }, '/home/ann/hop': { to: '/usr/bin/git' } },
      false,
    ],
    [
      'a directory on the way that is a link of the user',
      '/home/ann/tools/git',
      { '/home/ann/tools': { to: '/usr/bin' } },
      false,
    ],
    [
      'a hop by `..` out of a linked directory',
      'up',
      {
        '/usr/bin/up': { to: '../../home/ann/sys/bin/git' },
        '/home/ann/sys': { to: '/usr' },
      },
      false,
    ],
    [
      'a directory of the system in which everybody may turn a link',
      'open',
      {
        '/usr/bin/open': { to: '/opt/open/git' },
        '/opt/open': { mode: 0o777 },
        '/opt/open/git': { to: '/usr/bin/git' },
      },
      false,
    ],
    [
      'the directory of a running session, which is the user’s',
      'run',
      {
        '/usr/bin/run': { to: '/run/user/1000/git' },
        '/run/user/1000': { uid: 1000 },
        '/run/user/1000/git': { to: '/usr/bin/git' },
      },
      false,
    ],
  ])('%s', (_, command, links, expected) => {
    expect(trusted(command, links)).toBe(expected);
  });
});

describe('a wrapper is looked through only when it is the system’s', () => {
  test('a file of that name in the workspace is a program like any other', () => {
    const analysis = analyse('./timeout 5 ls');
    const stages = analysis.ok ? analysis.plan.stages : [];
    expect(stages.map((stage) => stage.argv[0])).toEqual(['./timeout']);
    expect(stages[0]?.trust.level).toBe('never');
  });

  test('a link to a program is known for what it leads to', () => {
    const analysis = analyse('mygit -c core.pager=sh log');
    expect(analysis.ok && analysis.plan.stages[0]?.trust.level).toBe('pinned');
  });
});

test('nothing is remembered between two looks', () => {
  let swapped = false;
  const before = fakeFiles(machineFiles);
  const after = fakeFiles({ ...machineFiles, '/usr/bin/git': { to: '/tmp/evil' } });
  const now = (): FileView => (swapped ? after : before);
  const files: FileView = {
    realPath: (path) => now().realPath(path),
    facts: (path) => now().facts(path),
    head: (path, bytes) => now().head(path, bytes),
    isLink: (path) => now().isLink(path),
    readLink: (path) => now().readLink(path),
  };
  expect(found('git', { files })).toMatchObject({ realPath: '/usr/bin/git', trusted: true });
  swapped = true;
  expect(found('git', { files })).toMatchObject({ realPath: '/tmp/evil', trusted: false });
  expect(machine.path).toContain('/usr/bin');
});
