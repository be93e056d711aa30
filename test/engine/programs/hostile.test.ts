import { describe, expect, it } from 'vitest';
import {
  doesOf,
  environmentOf,
  proposalShape,
  secretOptions,
} from '../../../shared/engine/programs/judge.ts';
import { judgeLine, known, pathsOf, readWords } from './support/read.ts';

/** Spellings of what starts programs, loads code or writes; none may be open. */
const pinned = `
sort --compress-program=x f
sort --comp x f
sort f --compress-prog x
sort -S1 --compress-program x
sort --files0-from=f
wc --files0=f
rg --pre x foo
rg --pre=x foo
rg foo . --hostname-bin=x
tar xf a.tar --to-command=id
tar -xf a.tar --to-c id
tar cfI a.tar id x
tar -cf a.tar -Iid x
tar -caIid -f a.tar x
tar --use-comp=id -cf a.tar x
tar cf a.tar x --checkpoint=1 --checkpoint-action=exec=id
tar cf a.tar --checkpoint-a=exec=id x
tar cf a.tar x -F id
tar cFf id a.tar x
tar cf host:a.tar x
tar cf host:a.tar x --rsh-command=id
tar cf a.tar -T list
tar xPf a.tar
tar xf a.tar --absolute-n
tar xf a.tar --transform=s,a,b,
find . -exec kill 1 ;
find . -exec touch {} ;
find . -execdir sh -c x ;
find . -ok rm {} ;
find . -delete
find . -fprint x
find . -fprintf x %p
find . -files0-from x
find . -newnothing
find -D exec . -delete
find . ( -name x -o -delete )
sed 1e f
sed s/a/b/e f
sed -n s/a/b/gpe f
sed -es/a/b/w/tmp/x f
sed -nf script f
sed --file=script f
sed --expr=1e f
sed --ex 1e f
sed -e p -e 1e f
sed 1w/tmp/x f
sed r/etc/shadow f
sed /a/,/b/e f
sed \\,a,e f
sed {p;e
sed 1{e
sed s,x,y,;e f
sed :a;e f
sed ba;1e f
xargs rm
xargs -0r rm
curl -K x
curl -sKx https://h/
curl --conf x https://h/
curl --CONFIG x https://h/
curl --engine x https://h/
curl -Q DELE https://h/
curl --resolve h:443:1.2.3.4 https://h/
curl -xp https://h/
curl --unix-sock /run/x http://h/
curl gopher://h/
curl telnet://h/
curl http://{a,b}.com/
curl --expand-url x
git -c core.pager=x log
git -ccore.pager=x log
git --config-env=core.pager=X log
git --exec-path=/tmp log
git --git-dir=x log
git --git-dir x log
git -p log
git log --output=x
git log --ext-diff
git diff --textconv
git show --outp=x
git grep -Oid x
git grep --open-files=id x
git grep -nOid x
git clone --upload-pack=x u
git clone --upload-p x u
git clone -ux u
git clone -qu x u
git clone -c core.pager=x u
git clone --conf core.pager=x u
git clone --template=x u
git clone ext::x
git fetch --upload-pack=x
git fetch ext::x
git push --receive-pack=x
git push --exec=x
git push --receive-p x
git ls-remote --upload-pack=x .
git ls-remote --exec=x .
git archive --remote=x HEAD
git archive -ox.txz HEAD
git archive --out=x.tgz HEAD
git rebase -x id HEAD
git rebase --exec=id HEAD
git rebase -i HEAD
git rebase --int HEAD
git rebase -s x
git merge -sx b
git merge --strategy=x b
git pull -s x
git bisect run id
git submodule foreach id
git config core.pager x
git config set core.pager x
curl --cacert pkcs11:x https://h/
git config --add core.pager x
git config -e
git config --file=x --list
git help -w log
git help --web log
git init --template=x
git apply --unsafe-paths x
git apply --unsafe x
git difftool
git mergetool
git filter-branch
git x
git log --nothing
cp --nothing a b
rm --nothing a
ls --nothing
grep --nothing a
cat -Q
head --nothing
mkdir --nothing
cut -Q`
  .trim()
  .split('\n');

/** Everyday lines: none is asked about for what it may do. */
const open = `
sort -u f
sort -t, -k2,2n f
sort --rev f
head -5 f
head -n 5 f
tail -n +3 f
tail -f f
cat -n f
wc -l f
cut -d: -f1 f
grep -rn foo src
grep -rn --include=*.ts foo src
grep -A3 -B2 foo f
grep -5 foo f
rg -n foo src
rg -e -foo src
rg --files -g !*.ts
ls -la src
ls --color=auto
cp -r a b
mv a b
rm -rf dist
mkdir -p a/b
tar czf a.tgz src
tar xzf a.tgz -C out
tar --exclude=node_modules -czf a.tgz .
tar tf a.tgz
find . -name x
find src -type f -name x -print0
find . ( -name a -o -name b ) -prune -o -print
find . -exec grep -n foo {} +
find . -exec wc -l {} ;
sed -n 1,5p f
sed s/a/b/g f
sed -i s/a/b/ f
sed -i.bak -e s/a/b/ f
sed s|a|b|;p;d f
sed /^#/d;s/e/w/g f
sed $!N;s/a/b/ f
sed 1i\\text f
sed y/abc/xyz/ f
sed :a;N;$!ba;s/x/y/g f
curl -fsSL https://h/x
curl -o x https://h/x
curl -H a:b https://h/
curl --fail-with https://h/
git status
git status -sb
git log --oneline -5
git log -n5 --stat
git log -p --since=yesterday
git log --grep x --author=y
git diff HEAD~1 -- src
git diff --stat --cached
git show HEAD:x
git branch -a
git add -A
git commit -m x
git commit -am x
git commit --amend --no-edit
git pull --rebase
git fetch --all --prune
git checkout -b x
git switch -c x
git stash
git stash list
git stash push -m x
git rebase main
git rebase --continue
git merge --no-ff x
git cherry-pick x
git tag -l
git remote -v
git remote get-url origin
git config --get user.name
git config user.name
git config get user.name
git config list
git rev-parse HEAD
git rev-parse --show-toplevel
git ls-files
git blame -L 1,5 f
git grep -n foo
git worktree list
git worktree add ../x
git clone https://h/x
git -C x status
git --no-pager log
git clean -nd
git submodule update --init
git describe --tags`
  .trim()
  .split('\n');

describe('every spelling of an option that starts, loads or writes by stealth', () => {
  it.each(pinned)('%s', (line) => {
    expect(judgeLine(line).trust.level).not.toBe('open');
  });
});

describe('what changes something that does not come back', () => {
  it.each([
    ['curl -sX POST -d a=b https://h/', 'a=b'],
    ['curl -X DELETE https://h/x', '-X DELETE'],
    ['git branch -D x', 'branch -D'],
    ['git push origin main', 'push'],
    ['git -C sub push -u origin HEAD', 'push'],
    ['git reset --hard HEAD~1', 'reset --hard'],
    ['git checkout -- a', 'checkout a'],
    ['git checkout a.ts', 'checkout a.ts'],
    ['git clean -fdx', 'clean -fdx'],
    ['git stash clear', 'stash clear'],
    ['gh pr merge 3', 'pr merge'],
    ['kubectl -n x delete pod y', 'delete'],
    ['docker container rm x', 'container rm'],
    ['terraform apply', 'apply'],
    ['pulumi up', 'up'],
    ['brew uninstall x', 'uninstall'],
  ])('%s: a rule has to say %s', (line, words) => {
    const { trust } = judgeLine(line);
    const all = line.split(' ').slice(1);
    expect(trust.level).toBe('spelled');
    const named = trust.level === 'spelled' ? trust.words : [];
    expect(named.toSorted((a, b) => a - b).map((word) => all[word])).toEqual(words.split(' '));
  });
});

describe('everyday lines', () => {
  it.each(open)('%s', (line) => {
    expect(judgeLine(line).trust).toEqual({ level: 'open' });
  });
});

describe('what makes input a part of code', () => {
  it.each(['xargs -I{} sh -c {}', 'xargs -i sh -c {}', 'find . -exec sh -c x{} ;'])(
    '%s',
    (line) => {
      expect(judgeLine(line).trust.level).toBe('never');
    },
  );
});

const paths: readonly (readonly [string, readonly string[]])[] = [
  ['sort a -o b', ['reads a', 'writes b']],
  ['sort -ob a', ['reads a', 'writes b']],
  ['sort -uob', ['writes b']],
  ['sort --outp b', ['writes b']],
  ['grep x a b', ['reads a', 'reads b']],
  ['grep -e x a', ['reads a']],
  ['grep -f p a', ['reads a', 'reads p']],
  ['cp a b', ['reads a', 'writes b', 'writes b/a']],
  ['cp -t d a b', ['reads a', 'reads b', 'writes d', 'writes d/a', 'writes d/b']],
  ['cp -rtd a/.', ['into d', 'reads a/.', 'writes d']],
  ['cp --targ=d a', ['reads a', 'writes d', 'writes d/a']],
  ['cp -l a b', ['edits a', 'reads a', 'writes b', 'writes b/a']],
  ['rm -- -rf', ['deletes -rf']],
  ['tar xf a.tar -C d', ['into d', 'reads a.tar']],
  ['tar xCf d a.tar', ['into d', 'reads a.tar']],
  ['tar -xvfa.tar', ['into .', 'reads a.tar']],
  ['tar cf a.tar x', ['reads x', 'writes a.tar']],
  ['tar cf a.tar x --remove-f', ['deletes x', 'reads x', 'writes a.tar']],
  ['sed -i s/a/b/ f', ['edits f']],
  ['sed -n p f', ['reads f']],
  ['sed -ibak -e p f', ['edits f', 'writes fbak']],
  ['curl -o f https://h/x', ['writes f']],
  ['curl -sSLof https://h/x', ['writes f']],
  ['curl -O https://h/x/.envrc?a', ['writes .envrc']],
  ['curl -OJ https://h/x --output-dir d', ['into d', 'writes d/x']],
  ['curl -d @f https://h/', ['reads f']],
  ['curl -F a=@f https://h/', ['reads f']],
  ['curl -Tf https://h/', ['reads f']],
  ['curl file:///etc/passwd', ['reads /etc/passwd']],
  ['ar x a.a', ['edits a.a', 'edits x', 'into .']],
  ['bsdtar -xf a.tar -C d', ['edits a.tar', 'edits d', 'into d']],
  ['patch -d d a.c', ['edits a.c', 'into d', 'into d']],
  ['aws s3 sync s3://x .', ['edits .', 'into .', 'writes ./x']],
  ['gh run download 1', ['into .']],
  ['cp -r h:a .', ['into .', 'reads h:a', 'writes .', 'writes ./h:a']],
  ['cpio -p d', ['edits d', 'into d']],
  ['aria2c -d d https://h/x', ['edits d', 'into d']],
  ['rsync a h', ['into h', 'reads a', 'writes h', 'writes h/a']],
  ['curl -b jar -c jar https://h/', ['reads jar', 'writes jar']],
  ['curl --wr %output{f} https://h/', ['writes f']],
];

describe('which words are paths', () => {
  it.each(paths)('%s', (line, expected) => {
    const [name = '', ...words] = line.split(' ');
    expect(pathsOf(name, words)).toEqual(expected);
  });
});

describe('xargs', () => {
  it('lets later arguments of a program that only reads be open, and of no other', () => {
    expect(judgeLine('xargs -0 wc -l').trust).toMatchObject({ level: 'pinned', leading: 2 });
    expect(judgeLine('xargs -n1 rm').trust).not.toHaveProperty('leading');
  });
});

describe('what readings are asked', () => {
  it.each([
    ['git branch', 'reads', true],
    ['git branch -a', 'reads', true],
    ['git branch new', 'changes', true],
    ['git branch -D x', 'exact', true],
    ['git branch --del x', 'exact', true],
    ['git stash list', 'reads', false],
    ['git stash drop', 'exact', false],
    ['git remote -v', 'reads', true],
    ['git config user.name', 'reads', true],
    ['git log -c core.pager=x --output=f', 'exact', false],
    ['sort f', 'files', false],
    ['sort --compress-program=x f', 'exact', false],
    ['rm f', 'exact', false],
  ])('%s may be offered as %s', (line, offer, mixed) => {
    const [name = '', ...words] = line.split(' ');
    expect(proposalShape(readWords(name, words))).toMatchObject({ offer, mixed });
  });

  it('finds the secrets of curl, and what steers it', () => {
    expect(secretOptions(known('curl'))).toEqual(
      expect.arrayContaining(['-u', '--user', '--oauth2-bearer']),
    );
    expect(environmentOf(known('curl'))).toHaveProperty('CURL_HOME');
    expect(environmentOf(known('sort'))).toHaveProperty('POSIXLY_CORRECT');
    expect(doesOf(known('git'), readWords('git', ['stash', 'list']))).toBe(
      'Lists stashed changes.',
    );
  });

  it.each([
    ['git branch -D x', 'history-rewrite'],
    ['git stash clear', 'history-rewrite'],
    ['git push --force', 'force-push'],
    ['git push --mirr', 'force-push'],
    ['git push origin +x', 'force-push'],
    ['git push origin :x', 'force-push'],
    ['git reset --ha', 'history-rewrite'],
    ['git clean -fdx', 'recursive-delete'],
    ['git clean -n -f --no-dry-run', 'recursive-delete'],
    ['curl -d @f https://h/', 'data-leaving'],
  ])('%s is a risk of %s', (line, code) => {
    expect(
      judgeLine(line)
        .risks.filter((one) => one.level === 'high')
        .map((one) => one.code),
    ).toContain(code);
  });
});
