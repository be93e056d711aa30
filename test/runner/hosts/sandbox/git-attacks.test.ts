import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { as, begun, historyBox, person } from './git-support.ts';
import { inside, isRoot, whyNot } from './support.ts';

const owners = isRoot ? [0, 65_534] : [process.geteuid?.() ?? -1];
/** Makes a commit with one entry in its tree, as no Git would make it itself. */
const forged = (mode: string, name: string, content = 'echo x', type = 'blob') => `
  blob=$(printf '%s' "${content}" | git hash-object -w --stdin); sub=$(printf '100644 blob %s\tx\n' $blob | git mktree)
  tree=$(python3 - "${mode}" "${name}" $${type === 'tree' ? 'sub' : 'blob'} <<'END'
import sys, subprocess
mode, name, oid = sys.argv[1:]
data = mode.encode() + b' ' + name.encode() + bytes([0]) + bytes.fromhex(oid)
print(subprocess.run(['git', 'hash-object', '-w', '--literally', '-t', 'tree', '--stdin'], input=data, stdout=subprocess.PIPE).stdout.decode().strip())
END
  ); git update-ref refs/heads/forged $(git commit-tree -m forged $tree)`;

/** What is tried inside; `$RUN` leaves a sign when it runs on the host, `$OUT` is a folder outside. */
const attacks: readonly (readonly [string, string])[] = [
  ['settings', 'git config core.fsmonitor "$RUN"; git config diff.external "$RUN"'],
  [
    'settings of all',
    'git config core.pager "$RUN"; git config core.editor "$RUN"; git config alias.status "!$RUN"',
  ],
  [
    'hooks',
    `mkdir -p .git/hooks; for h in pre-commit post-commit post-checkout reference-transaction post-index-change; do
       printf '#!/bin/sh\n%s\n' "$RUN" > .git/hooks/$h; chmod +x .git/hooks/$h; done; git commit -q --allow-empty -m x`,
  ],
  [
    'another folder for hooks',
    `mkdir h; printf '#!/bin/sh\n%s\n' "$RUN" > h/pre-commit; chmod +x h/pre-commit; git config core.hooksPath h`,
  ],
  ['a folder moved away', `mv .git away; git init -q; git config core.fsmonitor "$RUN"`],
  ['a folder taken away', `rm -rf .git; git init -q .; git config core.fsmonitor "$RUN"`],
  [
    'commondir',
    `mkdir evil; cp -r .git/objects .git/refs .git/HEAD evil; printf '[core]\nfsmonitor = %s\n' "$RUN" > evil/config; echo ../evil > .git/commondir`,
  ],
  [
    'config.worktree',
    'git config extensions.worktreeConfig true; git config --worktree core.fsmonitor "$RUN"',
  ],
  [
    'filters',
    `git config filter.f.smudge "$RUN"; git config filter.f.clean "$RUN"; echo '* filter=f' > .git/info/attributes; echo '* filter=f' > .gitattributes; git add .gitattributes; git commit -qm x`,
  ],
  ['alternates', 'echo $OUT > .git/objects/info/alternates; git commit -q --allow-empty -m x'],
  [
    'a linked index',
    'cp .git/index $OUT/index 2>/dev/null; rm .git/index; ln -s $OUT/kept .git/index; true',
  ],
  [
    'linked logs',
    'rm -rf .git/logs; mkdir .git/logs; ln -s $OUT/kept .git/logs/HEAD; git branch x; true',
  ],
  ['a linked folder of logs', 'rm -rf .git/logs; ln -s $OUT .git/logs; git branch x; true'],
  [
    'a linked message',
    'ln -s $OUT/kept .git/COMMIT_EDITMSG; git commit -q --allow-empty -m x; true',
  ],
  ['a linked head', 'rm .git/HEAD; ln -s $OUT/kept .git/HEAD'],
  ['linked refs', 'rm -rf .git/refs; ln -s $OUT .git/refs; git branch x; true'],
  ['one linked name', 'ln -s $OUT/kept .git/refs/heads/x'],
  ['linked packed refs', 'ln -s $OUT/kept .git/packed-refs'],
  ['linked objects', 'mv .git/objects .git/o; ln -s $OUT .git/objects; true'],
  [
    'a linked folder of objects',
    'ln -s $OUT .git/objects/zz; ln -s $OUT .git/objects/pack/x; git commit -q --allow-empty -m x; true',
  ],
  ['a tree with .git', forged('40000', '.git', 'x', 'tree')],
  ['a tree with .GIT', forged('40000', '.GIT', 'x', 'tree')],
  ['a tree with ..', forged('40000', '..', 'x', 'tree')],
  ['a tree with a path', forged('100644', 'x/../../y')],
  ['a link as .git', forged('120000', '.git', '/tmp')],
  [
    'a submodule address that is an option',
    forged('100644', '.gitmodules', '[submodule \\"x\\"]\n\tpath = x\n\turl = -u./run'),
  ],
  [
    'a submodule update that is a command',
    forged('100644', '.gitmodules', '[submodule \\"x\\"]\n\tpath = x\n\turl = u\n\tupdate = !run'),
  ],
  ['a link as .gitmodules', forged('120000', '.gitmodules', '/tmp')],
  [
    'a path of Git in the index',
    `git update-index --add --cacheinfo 100644,$(echo x | git hash-object -w --stdin),d/x; python3 - <<'END'
import hashlib
data = open('.git/index','rb').read()[:-20].replace(b'd/x\\0', b'.git')
open('.git/index','wb').write(data + hashlib.sha1(data).digest())
END`,
  ],
  [
    'a branch that is a path',
    'mkdir -p .git/refs/heads; git rev-parse HEAD > ".git/refs/heads/../x"; printf "%s refs/heads/../../../x\n" $(git rev-parse HEAD) > .git/packed-refs',
  ],
  ['a head that is a path', 'echo "ref: refs/heads/../../config" > .git/HEAD'],
  [
    'an object of another name',
    'cd .git/objects; o=$(ls -d ??/* | head -1); mkdir -p aa; cp $o aa/00000000000000000000000000000000000000; cd ../..; echo aa00000000000000000000000000000000000000 > .git/refs/heads/false',
  ],
];

describe.skipIf(whyNot !== null).each(owners)("the person's Git, as the user %i", (owner) => {
  test.each(attacks)('runs and writes nothing after %s', async (name, attack) => {
    const { folder, workspace, host } = historyBox({ owner });
    const { git } = person(owner);
    begun(workspace, owner);
    const out = join(folder, 'out');
    const sign = join('/tmp', `interlock-sign-${process.pid}-${folder.slice(-6)}`);
    mkdirSync(out);
    writeFileSync(join(out, 'kept'), 'kept\n');
    const settings = readFileSync(join(workspace, '.git', 'config'), 'utf8');
    const hooks = readdirSync(join(workspace, '.git', 'hooks'));
    const { stderr } = await inside(
      host,
      `${as} export RUN='touch ${sign}' OUT=${out}; ${attack}`,
      workspace,
    );
    if (/^(?:a tree|a link as|a submodule)/.test(name)) expect(stderr).toContain('not taken over');
    // Whatever was taken over, all of it can be read.
    expect(git(workspace, 'fsck', '--strict', '--no-dangling')).not.toMatch(/error/);
    for (const words of [
      'status',
      'log --all -p',
      'add -A',
      'commit -q --allow-empty -m mine',
      'stash -q',
      'diff HEAD',
      'branch -f other HEAD',
      'checkout -q other',
      'status',
    ])
      git(workspace, ...words.split(' '));
    for (const one of git(workspace, 'for-each-ref', '--format=%(refname)').split('\n'))
      git(workspace, 'checkout', '-q', '--detach', '-f', one);
    git(workspace, 'status');
    expect(existsSync(sign)).toBe(false);
    expect(readdirSync(out)).toEqual(['kept']);
    expect(readFileSync(join(out, 'kept'), 'utf8')).toBe('kept\n');
    expect(readFileSync(join(workspace, '.git', 'config'), 'utf8')).toBe(settings);
    expect(readdirSync(join(workspace, '.git', 'hooks'))).toEqual(hooks);
    // Nor does what is left of it in the layer.
    await inside(host, 'true', workspace);
    expect(readdirSync(out)).toEqual(['kept']);
  });
});
