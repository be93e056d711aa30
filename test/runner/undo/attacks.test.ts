import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runnerClient } from '../../../shared/ipc/index.ts';
import { endOf, exec, makeHome, startRunnerProcess } from '../service/support.ts';
import { whyNot } from '../hosts/sandbox/support.ts';

/** Names, kinds and contents of all that is kept in a folder. */
function stateOf(folder: string): string {
  const text = `cd "$1" && find . -path ./.git -prune -o -path ./ignored -prune -o -printf '%y %p %l\\n' | sort
    find . -path ./.git -prune -o -path ./ignored -prune -o -type f -exec sha256sum {} + | sort`;
  return execFileSync('bash', ['-c', text, '_', folder], { encoding: 'latin1' });
}

/** A runner whose commands run in the sandbox, some workspaces, and something beside them that is none of theirs. */
async function scene(names: readonly string[]) {
  const paths = await makeHome({ security: 'full', ask: 'off' });
  const around = dirname(paths.home);
  chmodSync(around, 0o755);
  const outside = join(around, 'outside');
  const workspaces = names.map((_, index) => join(around, `work-${index}`));
  for (const workspace of workspaces) {
    mkdirSync(join(workspace, 'src/deep'), { recursive: true });
    mkdirSync(join(workspace, 'ignored'));
    for (const path of ['a.txt', 'src/b.txt', 'src/deep/c.txt'])
      writeFileSync(join(workspace, path), `${path} as it was\n`);
    writeFileSync(join(workspace, '.gitignore'), 'ignored/\n');
  }
  mkdirSync(outside);
  writeFileSync(join(outside, 'secret'), 'very-secret-of-nobody\n');
  const config = { version: 1, exec: { host: 'sandbox', workspaces } };
  writeFileSync(paths.config, JSON.stringify(config), { mode: 0o600 });
  await startRunnerProcess(paths);
  const client = runnerClient({ socketPath: paths.runnerSocket, timeoutMs: 120_000 });
  const run = async (command: string, cwd: string) =>
    exec(paths, { command: `OUT='${outside}'; ${command}`, cwd }).done;
  return { paths, workspaces, outside, client, run };
}

/** What a command does to have a change go unseen, or to have what is taken back land elsewhere. */
const attacks: readonly (readonly [string, string])[] = [
  [
    'a flood of events around it',
    `touch ignored/{1..6000} f{1..3000}; rm -f f{1..3000}; echo x > a.txt; rm -rf ignored/*`,
  ],
  [
    'the same size and the old times',
    `cp -p a.txt ignored/old; tr a-z b-za < ignored/old > a.txt; touch -r ignored/old a.txt; mv src/b.txt ignored/t; tr a-z b-za < ignored/t > src/b.txt; touch -r ignored/t src/b.txt`,
  ],
  [
    'another name that comes and goes',
    `ln a.txt ignored/l; echo x >> ignored/l; rm ignored/l; mkdir ignored/d; ln src/b.txt ignored/d/l; echo y > ignored/d/l; rm -r ignored/d`,
  ],
  [
    'names of two lines, of no text, of signs and as long as they may be',
    `touch $'two\\nlines' $'\\xff\\xfe' ' ' '-rf' 'a\\b' "$(printf 'n%.0s' {1..255})" '..x' '{"a":1}'; mkdir $'d\\n\\xff'; echo x > $'d\\n\\xff/f'; rm a.txt`,
  ],
  [
    'links out, in the place of files and folders',
    `rm a.txt; ln -s "$OUT/secret" a.txt; mv src ignored/src; ln -s "$OUT" src; ln -s /etc/passwd p; ln -s . loop`,
  ],
  [
    'pipes, sockets and a file of a terabyte',
    `rm a.txt; mkfifo a.txt pipe; truncate -s 1T huge; rm -r src/deep; mkfifo src/deep; python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("sock")' 2>/dev/null; true`,
  ],
  [
    'all of it ignored from now on',
    `echo '*' > .gitignore; echo '!ignored' > src/.gitignore; echo x > a.txt; rm -r src/deep; echo new > src/new`,
  ],
  [
    'folders that nobody may read',
    `echo x > a.txt; mkdir -p shut/in; echo y > shut/in/f; chmod 000 shut; chmod 311 src`,
  ],
  [
    'a folder deeper than a path may be long',
    `n=$(printf 'd%.0s' {1..200}); for i in {1..22}; do mkdir $n; cd $n; done; echo x > f; cd /; echo x > "$OLDPWD/../a" 2>/dev/null; true`,
  ],
];

describe.skipIf(whyNot !== null)('what a command in the sandbox changed', () => {
  it('is taken back whatever hides it, and nothing beside it is read or written', async () => {
    const { paths, workspaces, outside, client, run } = await scene(attacks.map(([name]) => name));
    const beside = stateOf(outside);
    for (const [index, [name, text]] of attacks.entries()) {
      const workspace = workspaces[index] ?? '';
      const before = stateOf(workspace);
      expect([name, endOf(await run(text, workspace))]).toEqual([name, 'exit 0']);
      const newest = async () => (await client.changes({ limit: 1 }))[0];
      await expect
        .poll(async () => (await newest())?.workspace, { timeout: 20_000 })
        .toBe(workspace);
      const { files } = await client.undo({ id: (await newest())?.id ?? '' });
      // What is not kept is said, and stays; what was there before is as it was.
      for (const { path, result } of files)
        if (result !== 'taken-back') execFileSync('rm', ['-rf', '--', join(workspace, path)]);
      if (/nobody may read|deeper/.test(name))
        execFileSync('bash', ['-c', 'chmod -R u+rwX .; rm -rf shut ddd*'], { cwd: workspace });
      expect([name, stateOf(workspace)]).toEqual([name, before]);
      // Deeper than Node goes.
      execFileSync('rm', ['-rf', workspace]);
    }
    expect(stateOf(outside)).toBe(beside);
    const words = ['-rl', 'very-secret-of-nobody', paths.undoDirectory];
    expect(spawnSync('grep', words, { encoding: 'utf8' }).stdout).toBe('');
  }, 180_000);
});
