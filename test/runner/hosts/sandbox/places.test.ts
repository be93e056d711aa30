import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { filesOfOneRoot, rootFiles } from '../../../../runner/hosts/sandbox/root-files.ts';
import { planBox } from '../../../../runner/hosts/sandbox/root.ts';
import type { BoxSettings, BoxSurroundings } from '../../../../runner/hosts/sandbox/root.ts';
import { temporaryFolder } from '../support.ts';
import { box, inside, whyNot } from './support.ts';

const git = (cwd: string, ...args: readonly string[]) =>
  execFileSync(
    'git',
    ['-c', 'user.name=n', '-c', 'user.email=e', '-c', 'protocol.file.allow=always', ...args],
    { cwd, stdio: 'pipe' },
  );

function put(path: string, text = ''): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** A home, and what a box for a folder in it would hold. */
function planner() {
  const folder = temporaryFolder();
  const home = join(folder, 'home', 'person');
  const project = join(home, 'project');
  mkdirSync(join(project, 'sub'), { recursive: true });
  const plan = (
    cwd: string,
    settings: Partial<BoxSettings> = {},
    around: Partial<BoxSurroundings> & { readonly home?: string } = {},
  ) =>
    planBox(
      cwd,
      {
        workspaces: [],
        readOnly: [],
        readWrite: [],
        readOnlyWorkspace: false,
        network: 'none',
        temporaryBytes: 1 << 20,
        ...settings,
      },
      {
        files: rootFiles(),
        ownerOf: (uid) => ({ uid, gid: uid, name: 'person', home: around.home ?? home }),
        ownHome: join(home, '.interlock'),
        path: [],
        layersOf: () => () => null,
        ...around,
      },
    );
  const targets = (...args: Parameters<typeof plan>) =>
    plan(...args).entries.map(({ target }) => target);
  return { folder, home, project, plan, targets };
}

describe('what becomes a workspace', () => {
  test('is the project around the folder, or a configured folder that is nearer', () => {
    const { home, project, plan } = planner();
    mkdirSync(join(project, '.git'));
    const cwd = join(project, 'sub');
    expect(plan(cwd).workspace).toBe(project);
    expect(plan(cwd, { workspaces: [`${project}/sub/`] }).workspace).toBe(cwd);
    expect(plan(cwd, { workspaces: ['~/project/sub'] }).workspace).toBe(cwd);
    expect(plan(cwd, { workspaces: [join(home, '..', 'person', 'project')] }).workspace).toBe(
      project,
    );
  });

  test('is never the home folder, by its real name either', () => {
    const { folder, home, plan } = planner();
    const link = join(folder, 'link');
    symlinkSync(home, link);
    mkdirSync(join(home, '.git'));
    for (const around of [{}, { home: link, ownHome: join(folder, 'elsewhere') }]) {
      expect(() => plan(home, {}, around)).toThrow('home folder');
      expect(() => plan(home, { workspaces: [home] }, around)).toThrow('home folder');
      expect(plan(join(home, 'project'), {}, around).workspace).toBe(join(home, 'project'));
    }
  });

  test.each(['.ssh', '.config/systemd/user', '.local/bin'])(
    'is not ~/%s unless a person named it, nor where Git is used there',
    (name) => {
      const { home, plan } = planner();
      const path = join(home, name);
      mkdirSync(join(path, '.git'), { recursive: true });
      expect(() => plan(path)).toThrow('hidden folder');
      expect(plan(path, { workspaces: [path] }).workspace).toBe(path);
    },
  );

  test('is a worktree that an agent keeps in a hidden folder', () => {
    const { home, plan } = planner();
    const path = join(home, '.agent', 'worktrees', 'one');
    put(join(path, '.git'), 'gitdir: /nowhere\n');
    expect(plan(path).workspace).toBe(path);
  });

  test.each(['/tmp', '/var/tmp', '/mnt', '/opt', '/srv', '/root'])('is not %s', (path) => {
    expect(() => planner().plan(path)).toThrow();
  });
});

describe('what is bound', () => {
  test("leaves out Interlock's own folder under every name", () => {
    const { folder, home, project, plan } = planner();
    const own = join(home, '.interlock');
    mkdirSync(own);
    symlinkSync(own, join(folder, 'link'));
    symlinkSync(home, join(folder, 'above'));
    const around = { ownHome: join(folder, 'above', '.interlock') };
    for (const name of [own, home, join(folder, 'link'), join(folder, 'above')])
      for (const key of ['readOnly', 'readWrite'] as const)
        for (const entry of plan(project, { [key]: [name] }, around).entries)
          expect(entry.kind === 'bind' && `${own}/`.startsWith(`${entry.source}/`)).toBe(false);
  });

  test("covers Interlock's own folder where the system's folders hold it", () => {
    const { project, targets } = planner();
    expect(targets(project, {}, { ownHome: '/usr/lib' })).toContain('/usr/lib');
  });

  test('takes folders of the PATH as they are written, and none that shows the home folder', () => {
    const { folder, home, project, targets } = planner();
    mkdirSync(join(home, 'tools'));
    symlinkSync(home, join(folder, 'link'));
    const path = [`${home}/tools/`, home, `${home}/`, '.', '', 'bin', join(folder, 'link'), folder];
    const found = targets(project, {}, { path });
    expect(found.filter((target) => target.startsWith(folder))).toEqual(
      expect.arrayContaining([`${home}/tools`]),
    );
    for (const target of found) expect(target).toMatch(/^\/(?:.*[^/])?$/);
    expect(found).not.toContain(join(folder, 'link'));
    expect(found).not.toContain(folder);
  });

  test.each([
    ['.npmrc', '//r/:_authToken=x', false],
    ['.npmrc', 'key="-----BEGIN PRIVATE KEY-----', false],
    ['.npmrc', 'save-exact=true', true],
    ['.gitconfig', '[url "https://abc@host/"]', false],
    ['.gitconfig', '[url "ssh://git@host/"]\n[user]\nsigningkey = 1\n[author]\nname=n', true],
    ['.gitconfig', '[credential "https://host"]\nusername = n', true],
    ['.config/git/config', '[http]\nextraHeader = Authorization: x', false],
    ['.config/git/credentials', 'https://n:p@host', false],
    ['.config/git/ignore', '*.o', true],
    ['.config/gh/hosts.yml', 'oauth_token: x', false],
    ['.netrc', 'machine host', false],
  ])('~/%s with %j is seen: %s', (name, text, isSeen) => {
    const { home, project, targets } = planner();
    put(join(home, name), text);
    expect(targets(project).includes(join(home, name))).toBe(isSeen);
  });

  test('gives a service whose home is a folder of the system an empty one', () => {
    const { project, plan } = planner();
    for (const home of ['/', '/usr/sbin', '/bin', '/dev'])
      expect(plan(project, {}, { home }).owner.home).toBe('/home/person');
  });

  test('waits for no pipe that a command has left in place of a file', () => {
    const { project, plan } = planner();
    execFileSync('mkfifo', [join(project, '.git')]);
    expect(rootFiles().text(join(project, '.git'))).toBeNull();
    expect(plan(project).workspace).toBe(project);
  });
});

describe.skipIf(whyNot !== null)("the person's Git, from inside", () => {
  test('a file that a command left as .git leads to no other folder', async () => {
    const { workspace, folder, host } = box();
    const secret = put(join(folder, 'keys', 'id'), 'secret');
    await inside(host, `echo "gitdir: ${folder}/keys" > .git`, workspace);
    expect((await inside(host, `cat ${secret}`, workspace)).stdout).toBe('');
    // The other end may be named only by who can write there.
    put(join(folder, 'worktrees', 'x', 'gitdir'), `${workspace}/.git\n`);
    put(join(folder, 'beside'), 'secret');
    writeFileSync(join(workspace, '.git'), `gitdir: ${folder}/worktrees/x\n`);
    expect((await inside(host, `cat ${folder}/beside`, workspace)).stdout).toBe('');
  });

  test('a linked worktree is read where its history is, by its full name and by a relative one', async () => {
    const { folder, host } = box();
    const main = join(folder, 'main');
    const linked = join(folder, 'linked');
    mkdirSync(main);
    git(main, 'init', '-q');
    git(main, 'commit', '-q', '--allow-empty', '-m', 'first');
    git(main, 'worktree', 'add', '-q', linked);
    const look = 'git log --format=%s; echo "[x]" >> $(git rev-parse --git-common-dir)/config';
    const full = await inside(host, look, linked);
    expect(full.stdout).toBe('first\n');
    writeFileSync(join(linked, '.git'), 'gitdir: ../main/.git/worktrees/linked\n');
    expect((await inside(host, look, linked)).stdout).toBe('first\n');
    expect(readFileSync(join(main, '.git', 'config'), 'utf8')).not.toContain('[x]');
  });

  test('a .git that is a link is not a workspace: it could not be held in place', async () => {
    const { workspace, host } = box();
    mkdirSync(join(workspace, 'real'));
    symlinkSync('real', join(workspace, '.git'));
    await expect(inside(host, 'true', workspace)).rejects.toMatchObject({
      refusal: { message: expect.stringContaining('link') as string },
    });
  });

  test.each(['', 'one', 'group/two'])(
    'projects in a configured folder keep their histories, seen from "%s"',
    async (from) => {
      const { workspace, host } = box();
      for (const name of ['one', 'group/two'])
        put(join(workspace, name, '.git', 'config'), '[core]\n');
      await inside(
        host,
        `cd ${workspace}; for p in one group/two; do
           echo x >> $p/.git/config; mv $p/.git $p/away; mv $p away; rm -rf $p; mkdir -p $p/.git; echo x > $p/.git/config
         done; mv group away; mkdir -p group/two/.git; echo x > group/two/.git/config; true`,
        join(workspace, from),
      );
      for (const name of ['one', 'group/two'])
        expect(readFileSync(join(workspace, name, '.git', 'config'), 'utf8')).toBe('[core]\n');
    },
  );

  test('a submodule keeps what leads to its history, with all folders on the way', async () => {
    const { workspace, folder, host } = box();
    const other = join(folder, 'other');
    mkdirSync(other);
    for (const path of [workspace, other]) {
      git(path, 'init', '-q');
      git(path, 'commit', '-q', '--allow-empty', '-m', 'first');
    }
    git(workspace, 'submodule', '--quiet', 'add', '--name', 'n/m', other, 'libs/other');
    const leads = readFileSync(join(workspace, 'libs/other/.git'), 'utf8');
    const { stdout } = await inside(
      host,
      `rm -f .gitmodules; echo 'gitdir: ${workspace}/evil' > libs/other/.git; mv libs away; mv libs/other away
       mkdir -p libs/other; echo 'gitdir: ${workspace}/evil' > libs/other/.git; git -C libs/other log --format=%s`,
      workspace,
    );
    expect(stdout).toBe('first\n');
    expect(readFileSync(join(workspace, 'libs/other/.git'), 'utf8')).toBe(leads);
  });

  test('programs of the PATH in a workspace stay as they are', async () => {
    const folder = temporaryFolder();
    const { host } = box({}, { path: ['/usr/bin', '/bin', join(folder, 'work/a/bin')] });
    chmodSync(folder, 0o755);
    const tool = put(join(folder, 'work', 'a', 'bin', 'tool'), 'mine');
    put(join(folder, 'work', '.git', 'config'));
    await inside(
      host,
      `echo x > a/bin/tool; mv a/bin a/away; mv a away; mkdir -p a/bin; echo x > a/bin/tool; touch a/new; true`,
      join(folder, 'work'),
    );
    expect(readFileSync(tool, 'utf8')).toBe('mine');
    expect(existsSync(join(folder, 'work', 'a', 'new'))).toBe(true);
  });
});

test('where a path leads is found as the kernel finds it, also where each folder is looked at once', () => {
  const top = temporaryFolder();
  put(join(top, 'a/b/file'));
  put(join(top, 'ä b/x'));
  mkdirSync(join(top, 'shut'));
  for (const [path, to] of [
    ['link', 'a/b'],
    ['a/up', '..'],
    ['a/b/far', `${top}/link/file`],
    ['dangling', 'nowhere'],
    ['loop', 'loop'],
    ['chain', 'link'],
  ] as const)
    symlinkSync(to, join(top, path));
  const names = 'a b link up far file dangling loop chain nowhere .. . shut ä\\x20b x'
    .split(' ')
    .map((name) => name.replace('\\x20', ' '));
  const paths = ['', ...names].flatMap((one) =>
    ['', ...names].flatMap((two) => names.map((three) => `${top}/${one}/${two}/${three}`)),
  );
  const each = [...paths, ...paths.map((path) => path.replaceAll(/\/{2,}/g, '/')), '/', '', 'a'];
  const [once, anew] = [filesOfOneRoot(), rootFiles()];
  for (const path of each) expect([path, once.realPath(path)]).toEqual([path, anew.realPath(path)]);
});
