import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createNested } from '../../../../runner/hosts/sandbox/nested.ts';
import { openFolderTrees } from '../../../../shared/home/index.ts';
import { begun, historyBox, person } from './git-support.ts';
import { inside, isRoot, whyNot } from './support.ts';

/** A history in `$1` that has Git run something as soon as it is asked there. */
const hostile = (runs: string) => `hostile() {
  mkdir -p "$1" && git init -q "$1" && git -C "$1" config core.fsmonitor '${runs}'
}; bare() {
  mkdir -p "$1/objects" "$1/refs" && echo 'ref: refs/heads/main' > "$1/HEAD" &&
  printf '[core]\\n\\tbare = true\\n\\tfsmonitor = ${runs}\\n' > "$1/config"
};`;

/** Each is a row of commands, one after the other; `&` before one lets it go on. */
const attacks: readonly (readonly [string, readonly string[]])[] = [
  [
    'a history in a history that is moved aside',
    ['hostile x; hostile x/.git/inner', 'true', 'mv x/.git.sandbox/inner app; true'],
  ],
  ['a bare one in a history that is moved aside', ['hostile x; bare x/.git/modules/y', 'true']],
  ['a name that is no UTF-8', [`hostile $'\\xff'`, `mv $'\\xff' app; true`]],
  [
    'a path that is too long',
    [
      `n=$(printf 'n%.0s' $(seq 200)); top=$PWD; for i in $(seq 24); do mkdir $n && cd $n || exit; done; hostile x; cd $top; mv $n deep`,
      `n=$(printf 'n%.0s' $(seq 200)); top=$PWD; cd deep; for i in $(seq 23); do cd $n; done; mv x $top/app; cd $top; rm -rf deep`,
      'true',
    ],
  ],
  [
    'a bare one whose settings lie elsewhere',
    ['bare c; rm c/HEAD; mkdir s; echo ref: refs/heads/main > s/HEAD; echo ../c > s/commondir'],
  ],
  ['a bare one', ['bare b']],
  ['a bare one put together by two', ['bare b; mv b/HEAD b/H', 'mv b/H b/HEAD']],
  ['a command that goes on while another ends', ['&hostile app; touch going; sleep 1', 'true']],
];

describe.skipIf(whyNot !== null)('histories that commands plant', () => {
  test.each(attacks)(
    'obey nobody outside: %s',
    async (_, commands) => {
      const { host, workspace, folder } = historyBox();
      begun(workspace);
      const runs = join(folder, 'run');
      const going: Promise<unknown>[] = [];
      for (const text of commands) {
        const command = inside(host, hostile(runs) + text.replace(/^&/, ''), workspace);
        if (!text.startsWith('&')) await command;
        else {
          going.push(command);
          await vi.waitFor(() => expect(existsSync(join(workspace, 'going'))).toBe(true), 10_000);
        }
      }
      await Promise.all(going);
      expect(gitEverywhere(workspace, runs)).toEqual([]);
    },
    60_000,
  );
});

describe.skipIf(whyNot !== null)('histories of a person in a workspace', () => {
  test('are held as soon as they are there, bare ones too', async () => {
    const { host, workspace } = historyBox();
    begun(workspace);
    const { git } = person();
    begun(join(workspace, 'deep/down/lib'));
    git(workspace, 'clone', '-q', '--bare', '.', 'store.git');
    const ways = ['deep/down/lib/.git', 'store.git'].flatMap((path) => [
      `printf '[core]\n\tfsmonitor = /x\n' >> ${path}/config`,
      `mkdir -p ${path}/hooks; echo x > ${path}/hooks/post-update`,
      `mv ${path} away; mkdir ${path}`,
      `mv $(dirname ${path}) away`,
    ]);
    for (const way of ways) await inside(host, way, workspace);
    expect(gitEverywhere(workspace, '/x')).toEqual([]);
    expect(git(join(workspace, 'deep/down/lib'), 'log', '--format=%s')).toBe('first');
    expect(git(join(workspace, 'store.git'), 'log', '--format=%s')).toBe('first');
    expect(existsSync(join(workspace, 'store.git/hooks/post-update'))).toBe(false);
    expect(existsSync(join(workspace, 'deep/down/lib/.git/hooks/post-update'))).toBe(false);
  }, 60_000);

  test('stay theirs while a command goes on in a folder of the workspace', async () => {
    const { folder, workspace } = historyBox();
    const inner = join(workspace, 'p');
    begun(join(inner, 'lib'));
    begun(inner);
    const trees = openFolderTrees();
    onTestFinished(() => trees.close());
    const nested = createNested(trees);
    nested.known(inner, []);
    nested.known(workspace, []);
    begun(join(workspace, 'new'));
    begun(join(inner, 'late'));
    expect(nested.known(workspace, [inner]).toSorted()).toEqual(
      ['new/.git', 'p/.git', 'p/lib/.git'].map((path) => join(workspace, path)),
    );
    const { moved } = await nested.look(workspace, 0);
    expect(moved).toHaveLength(1);
    expect(existsSync(join(inner, 'late/.git.sandbox'))).toBe(true);
    expect(() => createNested(trees, 2).known(folder, [])).toThrow(/more than 2 folders/);
  });

  test.skipIf(isRoot)('lie open to us where a command has shut their folder', async () => {
    const { host, workspace } = historyBox();
    begun(workspace);
    await inside(host, 'git init -q shut && chmod 000 shut', workspace);
    expect(existsSync(join(workspace, 'shut/.git.sandbox'))).toBe(true);
  });
});

/** Folders in which a person's Git obeys settings that name a program. */
function gitEverywhere(workspace: string, runs: string): readonly string[] {
  const text = `find . -type d -not -path './.git/*' -print0 | while IFS= read -r -d '' d; do
    (cd -P -- "$d" && [ "$(git config core.fsmonitor)" = "$1" ]) && echo "$d"; done; true`;
  const out = execFileSync('bash', ['-c', text, '_', runs], {
    cwd: workspace,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
  });
  return out.split('\n').filter((line) => line !== '');
}
