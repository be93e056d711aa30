import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../../shared/base/index.ts';
import { createEngine, defaultConfig } from '../../../shared/engine/index.ts';
import { openMachine } from '../../../shared/home/index.ts';
import { runnerClient } from '../../../shared/ipc/index.ts';
import {
  auditRows,
  endOf,
  exec,
  makeHome,
  root,
  startRunnerProcess,
  stdoutOf,
} from '../service/support.ts';
import { whyNot } from '../hosts/sandbox/support.ts';
import { bench, codeOf, ownUid } from '../gate/support.ts';

/** A runner whose commands run in the sandbox, and a workspace. */
async function sandboxed(undo: object = {}) {
  const paths = await makeHome({ security: 'full', ask: 'off' });
  const workspace = join(dirname(paths.home), 'work');
  mkdirSync(workspace);
  chmodSync(dirname(paths.home), 0o755);
  writeFileSync(join(workspace, 'a.txt'), 'one\n');
  const config = { version: 1, exec: { host: 'sandbox', workspaces: [workspace] }, undo };
  writeFileSync(paths.config, JSON.stringify(config), { mode: 0o600 });
  const runner = await startRunnerProcess(paths);
  const client = runnerClient({ socketPath: paths.runnerSocket, timeoutMs: 60_000 });
  const run = async (command: string) => exec(paths, { command, cwd: workspace }).done;
  return { paths, workspace, runner, client, run };
}

describe.skipIf(whyNot !== null)('a command in the sandbox', () => {
  it('is taken back with all that it changed, and does not see what is kept', async () => {
    const { paths, workspace, runner, client, run } = await sandboxed();
    const look =
      'H=$(dirname "$PWD"); find "$H" -maxdepth 3 -name "undo*" -o -name segments; ls -a "$H"';
    const events = await run(`${look}; echo two > a.txt; mkdir d; echo b > d/b; ln -s / d/root`);
    expect(endOf(events)).toBe('exit 0');
    expect(stdoutOf(events).split('\n').filter(Boolean)).toEqual(['.', '..', 'work']);
    expect(existsSync(join(paths.undoDirectory, 'store'))).toBe(true);
    const [entry] = await client.changes({ limit: 5 });
    const [whole] = await client.changes({ id: entry?.id ?? '' });
    expect(whole).toMatchObject({ files: 4, undoes: null, workspace });
    expect(whole && 'shown' in whole ? whole.shown : []).toContainEqual({
      path: 'a.txt',
      what: 'changed',
      kind: 'file',
      isKept: true,
      with: [],
      diff: '@@ -1,1 +1,1 @@\n-one\n+two',
      note: null,
    });
    const { id, files } = await client.undo({ id: entry?.id ?? '' });
    expect(new Set(files.map(({ result }) => result))).toEqual(new Set(['taken-back']));
    expect(readdirSync(workspace)).toEqual(['a.txt']);
    expect(readFileSync(join(workspace, 'a.txt'), 'utf8')).toBe('one\n');
    await client.undo({ id: id ?? '' });
    expect(readFileSync(join(workspace, 'd/b'), 'utf8')).toBe('b\n');
    await runner.kill('SIGTERM');
    expect(runner.stderr()).not.toMatch(/Warning|error/);
  });

  it('is told what it changed after the runner was killed in the middle', async () => {
    const { paths, workspace, runner, run, client } = await sandboxed();
    const running = run('echo two > a.txt; touch ready; sleep 60').catch(() => []);
    await expect.poll(() => existsSync(join(workspace, 'ready'))).toBe(true);
    await runner.kill('SIGKILL');
    await running;
    await startRunnerProcess(paths);
    const [entry] = await client.changes({ limit: 5 });
    expect(entry).toMatchObject({ files: 2, isCutOff: true });
    // Only a place for a mount; the runner takes it away once it has started.
    await expect.poll(() => existsSync(join(workspace, '.git'))).toBe(false);
    await client.undo({ id: entry?.id ?? '' });
    expect(readdirSync(workspace)).toEqual(['a.txt']);
    expect(readFileSync(join(workspace, 'a.txt'), 'utf8')).toBe('one\n');
  });

  it('is taken back at a terminal though the runner was killed before it had looked', async () => {
    const { paths, workspace, runner, run, client } = await sandboxed();
    // It is looked at beside what comes next, so nothing has been written down by now.
    expect(endOf(await run('echo two > a.txt; echo b > b.txt'))).toBe('exit 0');
    await runner.kill('SIGKILL');
    const program = join(root, 'dist/runner/cli/main.js');
    const words = `'${process.execPath}' '${program}' undo`;
    await startRunnerProcess(paths);
    await expect.poll(async () => (await client.changes({ limit: 5 })).length).toBe(1);
    const env = { PATH: process.env['PATH'], HOME: paths.home, INTERLOCK_HOME: paths.home };
    const ended = spawnSync('script', ['-qec', words, '/dev/null'], { env, encoding: 'utf8' });
    expect(ended).toMatchObject({ status: 0 });
    expect(readdirSync(workspace)).toEqual(['a.txt']);
    expect(readFileSync(join(workspace, 'a.txt'), 'utf8')).toBe('one\n');
  });

  it('is told of with what it left that acts later, at the end of its session', async () => {
    const { paths, workspace, client } = await sandboxed();
    const run = async (command: string, session: string) =>
      exec(paths, { command, cwd: workspace, session }).done;
    expect(endOf(await run('echo all: > Makefile; echo x > plain.txt', 'one'))).toBe('exit 0');
    expect(endOf(await run('echo {} > package.json', 'two'))).toBe('exit 0');
    const left = [{ session: 'one', workspace, path: join(workspace, 'Makefile') }];
    expect(await client.left('one')).toMatchObject(left);
    expect((await client.left()).map(({ session }) => session)).toContain('two');
    const noted = () =>
      auditRows(paths).flatMap((row) =>
        row.type === 'note' && row.code === 'session-left' ? [row.text] : [],
      );
    expect(noted()).toEqual([]);
    for (let again = 0; again < 2; again += 1)
      await client.endSession({ agent: 'main', session: 'one' });
    await expect.poll(noted).toHaveLength(1);
    expect(noted()[0]).toContain(join(workspace, 'Makefile'));
    expect(noted()[0]).not.toContain('package.json');
    await expect(client.left('')).rejects.toThrow();
  });

  it('cannot take anything back, and neither can one on the gateway', async () => {
    const { paths, workspace, run, client } = await sandboxed();
    await run('echo two > a.txt');
    const [entry] = await client.changes({ limit: 5 });
    const program = join(root, 'dist/runner/cli/main.js');
    const ask = `require('node:http').request({socketPath:'${paths.runnerSocket}',method:'POST',path:'/v1/undo',headers:{'content-type':'application/json'}},r=>r.pipe(process.stdout)).on('error',e=>console.log(e.code)).end(JSON.stringify({id:'${entry?.id}'}))`;
    const inside = await run(
      `node -e "${ask}" < /dev/null; node '${program}' undo '${entry?.id}' 2>&1`,
    );
    expect(stdoutOf(inside)).not.toContain('taken-back');
    const config = { version: 1, exec: { host: 'gateway', workspaces: [workspace] } };
    writeFileSync(paths.config, JSON.stringify(config), { mode: 0o600 });
    const script = join(workspace, 'ask.cjs');
    writeFileSync(script, ask);
    const outside = await exec(paths, { argv: [process.execPath, script], cwd: workspace }).done;
    expect(stdoutOf(outside)).toContain('confirm-rejected');
    expect(readFileSync(join(workspace, 'a.txt'), 'utf8')).toBe('two\n');
  });

  it('leaves nothing to take back where a person has switched it off', async () => {
    const { workspace, run, client, paths } = await sandboxed({ on: 'off' });
    expect(endOf(await run('echo two > a.txt'))).toBe('exit 0');
    expect(await client.changes({ limit: 5 })).toEqual([]);
    expect(existsSync(join(paths.undoDirectory, 'changes'))).toBe(true);
    expect(readFileSync(join(workspace, 'a.txt'), 'utf8')).toBe('two\n');
    await expect(client.undo({ id: 'unknown' })).rejects.toSatisfy(
      (error) => refusalOf(error)?.code === 'invalid-request',
    );
  });

  it('runs on a rule where nothing can be kept, and the log says so', async () => {
    const { workspace, runner, run, client } = await sandboxed({ files: 100 });
    for (let at = 0; at < 101; at += 1) writeFileSync(join(workspace, String(at)), '');
    expect(endOf(await run('echo two > a.txt'))).toBe('exit 0');
    await runner.says('cannot be taken back');
    expect(await client.changes({ limit: 5 })).toEqual([]);
  });
});

describe('where nothing can be kept', () => {
  const why = 'the disk is full';
  const policy = { version: 1, agents: { '*': { security: 'full', ask: 'off' } } } as const;
  const undo = {
    check: async () => ({ kind: 'no', why }) as const,
    before: async () => ({ kind: 'no', why }) as const,
    after: () => expect.unreachable(),
  };

  it('runs what a rule allows, and says so in the log', async () => {
    const { exec: ask, logged, ran } = bench({ policy, ports: { undo } });
    expect(codeOf(await ask({ argv: ['true'] }))).toBe('ran 0');
    expect(logged.join()).toContain(why);
    expect(ran).toHaveLength(1);
  });

  it('has nothing open for a command that was kept and never started', async () => {
    const over: boolean[] = [];
    const kept = {
      check: async () => ({ kind: 'kept' }) as const,
      before: async () => {
        rmSync(folder, { recursive: true });
        return { kind: 'kept' } as const;
      },
      after: (id: string, isAlive: () => boolean) => void over.push(id === 'id-1' && !isAlive()),
    };
    const folder = mkdtempSync(join(tmpdir(), 'il-undo-'));
    const { exec: ask, ran } = bench({ policy, ports: { undo: kept } });
    const { result } = await ask({ argv: ['true'], cwd: folder });
    expect(result.ok).toBe(false);
    expect([over, ran]).toEqual([[true], []]);
  });

  it('refuses what nobody has allowed', async () => {
    const own = createEngine(openMachine(process.env, ownUid), () => defaultConfig);
    const engine = {
      ...own,
      decide: (situation: Parameters<typeof own.decide>[0]) => ({
        ...own.decide(situation),
        reason: 'sandbox-unasked' as never,
      }),
    };
    const { exec: ask, ran } = bench({ policy, ports: { undo, engine } });
    const { result } = await ask({ argv: ['true'] });
    expect(result).toMatchObject({
      refusal: { code: 'host-unavailable', message: expect.stringContaining(why) as string },
    });
    expect(ran).toEqual([]);
  });
});
