import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { HomePaths } from '../../../shared/home/paths.ts';
import { runnerClient } from '../../../shared/ipc/runner-client.ts';
import { findSecrets } from '../../support/secret-scan.ts';
import {
  auditRows,
  endOf,
  exec,
  makeHome,
  root,
  startApprover,
  startRunnerProcess,
} from '../service/support.ts';
import type { Process } from '../service/support.ts';
import { git, secretsOf, startGitServer, workIn, writeTool } from './support.ts';
import type { GitServer } from './support.ts';

const token = 'tok_0123456789abcdefghij/ABCDEFGHIJ+KLMN';

interface Scene {
  readonly paths: HomePaths;
  readonly runner: Process;
  readonly server: GitServer;
  readonly work: string;
  readonly folder: string;
}

/** A home with Git brokered, a server that wants the token, and a repository with it as its origin. */
async function scene(modes: Parameters<typeof makeHome>[0] = { security: 'full', ask: 'off' }) {
  const paths = await makeHome(modes);
  const folder = dirname(paths.home);
  const server = await startGitServer(folder, token);
  const shipped = readFileSync(join(root, 'assets/tools/git.yaml'), 'utf8');
  const policy = shipped.replace("'https://github.com/*'", `'${server.origin}/*'`);
  expect(policy).not.toBe(shipped);
  writeTool(paths, 'git', policy);
  await (await secretsOf(paths)).set('github', Buffer.from(token));
  const work = workIn(folder);
  git(work, 'remote', 'add', 'origin', `${server.origin}/repo.git`);
  const runner = await startRunnerProcess(paths);
  return { paths, runner, server, work, folder };
}

const ask = (
  { paths, work }: Pick<Scene, 'paths' | 'work'>,
  words: readonly string[],
  more: object = {},
) => exec(paths, { host: 'tools', argv: ['git', ...words], cwd: work, ...more }).done;

const said = (events: Awaited<ReturnType<typeof ask>>): string =>
  events.map((event) => ('data' in event ? event.data : JSON.stringify(event))).join('');

describe('git with a credential that the agent does not have', () => {
  let at: Scene;
  beforeEach(async (context) => {
    at = await scene(context.task.name.includes('wherever asked') ? {} : undefined);
  });

  it('pushes, and the token is nowhere but at the server', async () => {
    const events = await ask(at, ['push', 'origin', 'main']);
    expect(said(events)).toContain('main -> main');
    expect(endOf(events)).toBe('exit 0');
    expect(git(at.server.repository, 'rev-parse', 'main')).toBe(git(at.work, 'rev-parse', 'main'));
    expect(at.server.seen.at(-1)).toContain('Basic ');
    // The hook of the server prints it: the output shows that something was there, and not what.
    expect(said(events)).toContain('seen: [redacted]');
    expect(git(at.work, 'rev-parse', 'origin/main')).toBe(git(at.work, 'rev-parse', 'main'));

    const client = runnerClient({ socketPath: at.paths.runnerSocket, timeoutMs: 5_000 });
    const where = {
      folders: [at.paths.home, at.work, join(at.folder, 'data')],
      pids: [at.runner.child.pid ?? 0, process.pid],
      texts: {
        answers: said(events),
        log: at.runner.stderr(),
        history: JSON.stringify(await client.history({ offset: 0, limit: 50 })),
        status: JSON.stringify(await client.status()),
      },
    };
    expect(findSecrets([token], where)).toEqual([]);
    // The same scan finds what is there to be found.
    const planted = Buffer.from(`x-access-token:${token}`).toString('base64');
    writeFileSync(join(at.work, 'planted'), planted);
    const found = findSecrets([token], { ...where, texts: { ...where.texts, planted } });
    expect(found).toEqual([join(at.work, 'planted'), 'planted']);

    const [kept] = (await secretsOf(at.paths)).list();
    expect(kept).toMatchObject({ name: 'github', lastUsedBy: 'git' });
    expect(auditRows(at.paths)).toContainEqual(
      expect.objectContaining({ type: 'decision', host: 'tools', decision: 'allow' }),
    );
  });

  it('fetches and lists, also from a linked worktree', async () => {
    await ask(at, ['push', 'origin', 'main']);
    const linked = join(at.folder, 'linked');
    git(at.work, 'worktree', 'add', '-q', '-b', 'other', linked);
    git(linked, 'commit', '-q', '--allow-empty', '-m', 'two');
    const there = { ...at, work: linked };
    expect(endOf(await ask(there, ['push', '-u', 'origin', 'other']))).toBe('exit 0');
    expect(endOf(await ask(there, ['fetch', '--prune']))).toBe('exit 0');
    const listed = await ask(there, ['ls-remote', '--heads', 'origin']);
    expect(said(listed)).toContain('refs/heads/other');
  });

  it('runs nothing that the repository names, and gives its addresses nothing', async () => {
    const trace = join(at.folder, 'trace');
    const spy = join(at.work, 'spy');
    writeFileSync(
      spy,
      `#!/bin/sh\n{ echo "$0 $*"; env; cat; } >> ${trace} 2>/dev/null </dev/null\nexit 0\n`,
    );
    chmodSync(spy, 0o755);
    for (const hook of ['pre-push', 'reference-transaction', 'post-checkout', 'fsmonitor-watchman'])
      writeFileSync(join(at.work, '.git/hooks', hook), `#!/bin/sh\nexec ${spy}\n`, { mode: 0o755 });
    const elsewhere = await startGitServer(mkdirIn(at.folder, 'elsewhere'), 'another token');
    for (const [key, value] of [
      ['credential.helper', `!${spy}`],
      [`credential.${at.server.origin}.helper`, `!${spy}`],
      ['core.fsmonitor', spy],
      ['core.sshCommand', spy],
      ['core.askPass', spy],
      ['core.hooksPath', join(at.work, '.git/hooks')],
      ['core.gitProxy', spy],
      ['http.proxy', elsewhere.origin],
      [`http.${at.server.origin}.proxy`, elsewhere.origin],
      [`http.${at.server.origin}.extraHeader`, 'X-Spy: 1'],
      [`url.${elsewhere.origin}/.insteadOf`, `${at.server.origin}/`],
      [`url.${elsewhere.origin}/.pushInsteadOf`, `${at.server.origin}/`],
      ['remote.origin.receivepack', spy],
      ['remote.origin.vcs', 'spy'],
      ['remote.origin.proxy', elsewhere.origin],
      ['include.path', join(at.work, 'more')],
      ['push.gpgSign', 'true'],
      ['gpg.program', spy],
    ] as const)
      git(at.work, 'config', '--add', key, value);
    writeFileSync(join(at.work, 'more'), `[credential]\n\thelper = !${spy}\n`);
    expect(said(await ask(at, ['push', 'origin', 'main']))).toContain('main -> main');
    expect(endOf(await ask(at, ['fetch', 'origin']))).toBe('exit 0');
    expect(existsSync(trace)).toBe(false);
    expect(elsewhere.seen).toEqual([]);
    // By itself the repository starts what it names.
    git(at.work, 'status');
    expect(existsSync(trace)).toBe(true);
  });

  it('does not overwrite without a person, wherever asked', async () => {
    const forced = [
      ['push', '--force', 'origin', 'main'],
      ['push', '--force-with-lease=main', 'origin', 'main'],
      ['push', 'origin', '+main'],
      ['push', 'origin', ':main'],
      ['push', 'origin', '--delete', 'main'],
    ];
    // Nobody is there: not even a rule for it lets it through.
    for (const words of forced) expect(endOf(await ask(at, words))).toBe('approver-unavailable');
    expect(at.server.seen).toEqual([]);
    const approver = await startApprover(at.paths);
    const waiting = ask(at, forced[0] ?? []);
    const asked = await approver.next('ask');
    expect(asked.ask).toMatchObject({ host: 'tools', whyCode: 'rule-ask', durations: ['once'] });
    expect(findSecrets([token], { texts: { ask: JSON.stringify(asked) } })).toEqual([]);
    approver.decide(asked, { decision: 'allow-once' });
    expect(said(await waiting)).toContain('main -> main');
  });

  it('refuses what the policy does not name, and asks about a forced push also under "full"', async () => {
    expect(endOf(await ask(at, ['push', '-f', 'origin', 'main']))).toBe('approver-unavailable');
    const refused = {
      'an option that is not listed': ['push', '--receive-pack=/bin/sh', 'origin', 'main'],
      'an abbreviation of one': ['push', '--forc', 'origin', 'main'],
      'options in front': ['-c', 'core.sshCommand=x', 'push', 'origin', 'main'],
      'another subcommand': ['config', '--list'],
      'another address': ['push', 'http://127.0.0.1:9/repo.git', 'main'],
      'an address that begins alike': ['push', `${at.server.origin}.evil.invalid/repo.git`, 'main'],
      'an address with a login': ['ls-remote', at.server.origin.replace('://', '://x@')],
      'a path': ['push', '../served/repo.git', 'main'],
      'a remote helper': ['ls-remote', 'ext::sh -c id'],
    };
    for (const [what, words] of Object.entries(refused))
      expect([what, endOf(await ask(at, words))]).toEqual([what, 'policy-deny']);
    const plain = { host: 'tools', cwd: at.work };
    for (const request of [
      { command: 'git push origin main' },
      { argv: ['/usr/bin/git', 'push'] },
      { argv: ['env', 'git', 'push'] },
      { argv: ['git', 'push'], env: { GIT_SSH_COMMAND: 'id' } },
      { argv: ['git', 'push'], env: { INTERLOCK_GIT_TOKEN: 'x' } },
    ])
      expect(endOf(await exec(at.paths, { ...plain, ...request }).done)).toBe('invalid-request');
    for (const request of [{ argv: ['ls'] }, { argv: ['git', 'push'], env: { ANYTHING: 'x' } }])
      expect(endOf(await exec(at.paths, { ...plain, ...request }).done)).toBe('policy-deny');
    expect(at.server.seen).toEqual([]);
  });

  it('refuses a repository that takes its objects from somebody else', async () => {
    const theirs = mkdirIn(at.folder, 'theirs');
    const victim = workIn(theirs);
    const mine = mkdirIn(at.folder, 'mine');
    writeFileSync(join(mine, '.git'), `gitdir: ${join(victim, '.git')}\n`);
    const address = `${at.server.origin}/repo.git`;
    expect(endOf(await ask({ ...at, work: mine }, ['push', address, 'main']))).toBe('policy-deny');
    writeFileSync(join(at.work, '.git/objects/info/alternates'), join(victim, '.git/objects'));
    expect(endOf(await ask(at, ['push', 'origin', 'main']))).toBe('policy-deny');
    expect(at.server.seen).toEqual([]);
  });

  it('refuses a repository that an agent has put together from files of somebody else’s', async () => {
    const victim = join(workIn(mkdirIn(at.folder, 'theirs')), '.git');
    const mine = mkdirIn(at.folder, 'mine');
    const push = async (): Promise<string> =>
      endOf(await ask({ ...at, work: mine }, ['push', `${at.server.origin}/repo.git`, 'main']));

    // It leads there and back, but what it says to share is of a repository that knows nothing of it.
    const own = mkdirIn(mine, 'own');
    writeFileSync(join(own, 'gitdir'), `${join(mine, '.git')}\n`);
    writeFileSync(join(own, 'commondir'), `${victim}\n`);
    writeFileSync(join(own, 'HEAD'), 'ref: refs/heads/main\n');
    writeFileSync(join(mine, '.git'), `gitdir: ${own}\n`);
    expect(await push()).toBe('policy-deny');
    rmSync(join(mine, '.git'));

    // A plain folder, with links to what is theirs further below.
    git(mine, 'init', '-q', '-b', 'main');
    const tip = git(victim, 'rev-parse', 'main').trim();
    const object = (hash: string): string => `objects/${hash.slice(0, 2)}/${hash.slice(2)}`;
    for (const name of [
      'refs/heads',
      'HEAD',
      'packed-refs',
      object(tip),
      'objects/ff',
      'refs/a/b',
    ]) {
      const place = join(mine, '.git', name);
      rmSync(place, { recursive: true, force: true });
      mkdirSync(dirname(place), { recursive: true });
      symlinkSync(join(victim, name), place);
      expect([name, await push()]).toEqual([name, 'policy-deny']);
      rmSync(join(mine, '.git'), { recursive: true });
      git(mine, 'init', '-q', '-b', 'main');
    }
    expect(at.server.seen).toEqual([]);
  });

  it('uses nothing without the secret, a policy that holds, or while everything is locked', async () => {
    await (await secretsOf(at.paths)).remove('github');
    const lacking = await ask(at, ['push', 'origin', 'main']);
    expect(endOf(lacking)).toBe('config-invalid');
    expect(said(lacking)).toContain('interlock secret set github');
    await (await secretsOf(at.paths)).set('github', Buffer.from(token));
    const path = join(at.paths.toolsDirectory, 'git.yaml');
    chmodSync(path, 0o666);
    expect(endOf(await ask(at, ['push', 'origin', 'main']))).toBe('config-invalid');
    chmodSync(path, 0o600);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, `${text}\nversion: 1\n`);
    expect(endOf(await ask(at, ['push', 'origin', 'main']))).toBe('config-invalid');
    writeFileSync(path, text);
    const client = runnerClient({ socketPath: at.paths.runnerSocket, timeoutMs: 5_000 });
    await client.lockout('test');
    expect(endOf(await ask(at, ['push', 'origin', 'main']))).toBe('lockout-active');
    expect(at.server.seen).toEqual([]);
  });
});

function mkdirIn(folder: string, name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
}
