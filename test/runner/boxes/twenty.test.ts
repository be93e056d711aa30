import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eachBox } from '../../../runner/cli/box/open.ts';
import { parseStat } from '../../../shared/home/index.ts';
import { canBox, groupsThere, home, inBox, lives } from './support.ts';

/** Slow: all of it together takes a quarter of a minute. */
const isLong = process.env['INTERLOCK_LONG'] === '1';

const names = Array.from({ length: 20 }, (_, at) => `b${String(at)}`);

function git(folder: string, ...words: readonly string[]): string {
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
  return execFileSync('git', ['-C', folder, ...who, ...words], { encoding: 'utf8' }).trim();
}

/** Numbers and names of all that is below some processes, themselves among it. */
function below(tops: readonly number[]): ReadonlyMap<number, string> {
  const all = readdirSync('/proc').flatMap((name) => {
    try {
      const stat = /^\d+$/u.test(name)
        ? parseStat(readFileSync(`/proc/${name}/stat`, 'utf8'))
        : null;
      return stat === null ? [] : [{ pid: Number(name), ...stat }];
    } catch {
      return [];
    }
  });
  const found = new Map<number, string>();
  const add = (pid: number): void => {
    const own = all.find((one) => one.pid === pid);
    if (own !== undefined) found.set(pid, own.name);
    for (const { pid: child, parent } of all) if (parent === pid && !found.has(child)) add(child);
  };
  tops.forEach(add);
  return found;
}

/** What some processes take of the memory alone, and their part of what they share, in bytes. */
function memoryOf(pids: Iterable<number>): number {
  let sum = 0;
  for (const pid of pids)
    try {
      const [, kib = '0'] =
        /^Pss:\s+(\d+)/mu.exec(readFileSync(`/proc/${String(pid)}/smaps_rollup`, 'utf8')) ?? [];
      sum += Number(kib) * 1_024;
    } catch {
      // It has ended since.
    }
  return sum;
}

describe.runIf(canBox && isLong)('twenty boxes on one repository', () => {
  it('are made, worked in, killed in every way and ended at once, with nothing left and nothing lost', async () => {
    const { boxes, records, paths, workspace, keys } = home();
    git(workspace, 'init', '-q', '-b', 'main');
    writeFileSync(join(workspace, 'kept'), 'committed');
    git(workspace, 'add', '.');
    git(workspace, 'commit', '-qm', 'first');
    writeFileSync(join(workspace, 'kept'), 'changed');
    const groups = groupsThere();
    const begun = performance.now();
    await Promise.all(
      names.map(async (name) =>
        boxes.up({
          name,
          templateName: 'isolated',
          workspace: { kind: 'worktree', repository: workspace },
        }),
      ),
    );
    const tookMs = performance.now() - begun;
    const keepers = names.map((name) => records.read(name)?.keeper?.pid ?? 0);
    const there = below(keepers);
    process.stderr.write(
      `twenty boxes: ${(tookMs / 20).toFixed(0)} ms each, ${String(there.size)} processes, ${(memoryOf(there.keys()) / 2 ** 20).toFixed(1)} MiB in all\n`,
    );
    const commit = 'echo x > new && git add new && git -c user.name=a -c user.email=a@b commit -qm';
    const done = await Promise.all(
      names.map(async (name) => inBox(boxes, name, 'sh', '-c', `${commit} "in ${name}"`)),
    );
    expect(done.map(({ code, text }) => [code, text])).toEqual(names.map(() => [0, '']));

    const kill = (pid: number): void => void process.kill(pid, 'SIGKILL');
    keepers.slice(0, 5).forEach(kill);
    for (const keeper of keepers.slice(5, 10)) {
      const first = readFileSync(`/proc/${String(keeper)}/task/${String(keeper)}/children`, 'utf8');
      kill(Number(first.split(' ')[0]));
    }
    for (const keeper of keepers.slice(10, 15))
      for (const [pid, name] of below([keeper])) if (name.startsWith('tmux: server')) kill(pid);
    for (const keeper of keepers.slice(0, 10)) await expect.poll(() => lives(keeper)).toBe(false);

    const said = await boxes.gc();
    expect(said.filter((line) => line.includes('it had ended'))).toHaveLength(10);
    expect((await boxes.states()).map(({ state }) => state).toSorted()).toEqual([
      ...names.slice(0, 10).map(() => 'running'),
      ...names.slice(0, 10).map(() => 'stopped'),
    ]);
    const { failed } = await eachBox(names, async (name) => void (await boxes.down(name)));
    expect(failed).toEqual([]);
    expect(await boxes.gc()).toEqual([]);

    // What was done in each is there, by its name.
    for (const name of names)
      expect(git(workspace, 'log', '-1', '--format=%s', `interlock-${name}`)).toBe(`in ${name}`);
    expect(readFileSync(join(workspace, 'kept'), 'utf8')).toBe('changed');
    // And nothing else is.
    expect([...there.keys()].filter(lives)).toEqual([]);
    expect([...keys]).toEqual([]);
    expect(readdirSync(records.directory).filter((file) => !/^\.|\.lock$/u.test(file))).toEqual([]);
    expect(readdirSync(join(paths.sandboxLayers, 'boxes'))).toEqual([]);
    expect(git(workspace, 'worktree', 'list', '--porcelain').match(/^worktree /gmu)).toHaveLength(
      1,
    );
    expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(join(paths.home, '..'));
    await expect.poll(groupsThere).toEqual(groups);
  }, 300_000);
});
