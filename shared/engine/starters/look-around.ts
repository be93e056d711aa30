import type { StarterSet } from './types.ts';

/** Programs of which a word says what they read, and nothing what they change or run. */
const readers =
  '{ls,cat,head,tail,wc,nl,rg,grep,egrep,fgrep,sort,uniq,cut,tr,diff,cmp,comm,join,paste,fold,tac,rev,column,tree,file,stat,du,df,basename,dirname,realpath,readlink,md5sum,sha1sum,sha256sum,hexdump,od,xxd,strings,jq}';

const machine =
  '{ps,pgrep,lsof,free,ss,vmstat,iostat,lsblk,getent,groups,which,date,cal,uname,whoami,id,nproc,uptime,hostname,seq,expr,sleep}';

const versioned =
  '{node,npm,pnpm,yarn,bun,deno,tsc,python,python3,pip,pip3,uv,poetry,ruff,mypy,pytest,black,rustc,cargo,rustup,go,gcc,g++,clang,cc,make,cmake,ninja,java,javac,mvn,gradle,ruby,gem,bundle,php,composer,dotnet,git,gh,docker,kubectl,helm,terraform,bash,jq,rg,curl,psql,sqlite3,eslint,prettier,shellcheck}';

/** Commands of Git that only read, whatever follows. */
const gitReads =
  'status diff log show blame ls-files ls-tree rev-parse rev-list describe grep shortlog merge-base cat-file name-rev diff-tree show-ref check-ignore'.split(
    ' ',
  );

/** Look around: nothing here changes a file or starts another program. */
export const lookAround: StarterSet = {
  name: 'look-around',
  version: 1,
  title: 'Look around',
  says: 'Programs that only read, Git where it only reads, and what GitHub shows.',
  needs: [],
  rules: [
    {
      name: 'read',
      why: 'They print what files hold or what lies in folders; with an option that writes they are not covered.',
      pattern: readers,
      changes: 'nothing',
      examples: {
        match: ['ls -la', 'head -n 20 a.txt', 'grep -n x a.txt', 'wc -l a.txt'],
        noMatch: ['sort -o b.txt a.txt', 'uniq a.txt b.txt', 'tree -o b.txt', 'cat a.txt > b.txt'],
      },
    },
    {
      name: 'find',
      why: 'It lists files by name; where it deletes, writes or starts something it is not covered.',
      pattern: '{find,fd,fdfind}',
      changes: 'nothing',
      examples: {
        match: ["find . -name '*.ts'"],
        noMatch: ['find . -delete', 'find . -fprint b.txt', "find . -exec sh -c 'x' {} +"],
      },
    },
    {
      name: 'awk-prints',
      why: 'It prints parts of lines; a script that writes or starts something is not covered.',
      pattern: '{awk,gawk,mawk}',
      changes: 'nothing',
      examples: {
        match: ["awk '{print $1}' a.txt"],
        noMatch: [
          'awk \'BEGIN {system("x")}\'',
          'awk \'{print > "b.txt"}\' a.txt',
          'awk -f x.awk a',
        ],
      },
    },
    {
      name: 'archives',
      why: 'They list or print what an archive holds, and unpack nothing into files.',
      pattern: '{tar,gzip,gunzip,zcat,zgrep,bzip2,bzcat,xz,xzcat,zipinfo}',
      changes: 'nothing',
      examples: {
        match: ['tar -tzf a.tgz', 'gzip -c a.txt'],
        noMatch: ['tar -xzf a.tgz', 'gzip a.txt', 'tar -czf a.tgz b', 'tar -tf a --to-command=x'],
      },
    },
    {
      name: 'sed-prints',
      why: 'With -n it prints the lines that it is asked for; with -i or w it is not covered.',
      pattern: 'sed',
      args: [['-n', '-nE', '-En', '-ne'], '...'],
      changes: 'nothing',
      examples: {
        match: ["sed -n '1,20p' a.txt"],
        noMatch: ["sed -n -i 's/a/b/p' a.txt", "sed -n 's/a/b/w b.txt' a.txt", 'sed s/a/b/ a.txt'],
      },
    },
    {
      name: 'machine',
      why: 'They tell the time, the user, the processes and where a program lies.',
      pattern: machine,
      changes: 'nothing',
      examples: { match: ['which git', 'date +%F'], noMatch: ['date > now.txt'] },
    },
    {
      name: 'versions',
      why: 'They say which version they are and end.',
      pattern: versioned,
      args: [['--version', '-V']],
      changes: 'nothing',
      examples: { match: ['git --version'], noMatch: ['node --version x.js', 'make -v x'] },
    },
    {
      name: 'version-words',
      why: 'The same in their own spelling.',
      pattern: '{node,npm,pnpm,yarn}',
      args: ['-v'],
      changes: 'nothing',
      examples: { match: ['node -v'], noMatch: ['node -v x.js'] },
    },
    {
      name: 'go-reads',
      why: 'Go says its version, its settings and what a package documents.',
      pattern: 'go',
      args: [['version', 'doc'], '...'],
      changes: 'nothing',
      examples: { match: ['go version'], noMatch: ['go run .', 'go env -w X=y'] },
    },
    {
      name: 'git-reads',
      why: 'They show the state and the history of a repository.',
      pattern: 'git',
      args: [gitReads, '...'],
      changes: 'nothing',
      examples: {
        match: ['git status', 'git log --oneline -5', 'git diff HEAD~1 -- a.txt'],
        noMatch: ['git diff --output=b.txt', 'git commit -m x', 'git log > b.txt'],
      },
    },
    {
      name: 'git-reads-plain',
      why: 'The same without a pager.',
      pattern: 'git',
      args: ['--no-pager', gitReads, '...'],
      changes: 'nothing',
      examples: { match: ['git --no-pager log -5'], noMatch: ['git --no-pager commit -m x'] },
    },
    {
      name: 'git-reads-below',
      why: 'The same in a folder that is named.',
      pattern: 'git',
      args: ['-C', '**', gitReads, '...'],
      changes: 'nothing',
      examples: { match: ['git -C . status'], noMatch: ['git -C . push'] },
    },
    {
      name: 'git-lists',
      why: 'They list what lies in stashes and which folders belong to the repository.',
      pattern: 'git',
      args: [['stash', 'worktree'], 'list'],
      changes: 'nothing',
      examples: {
        match: ['git stash list'],
        noMatch: ['git stash drop', 'git stash', 'git branch list', 'git tag list'],
      },
    },
    {
      name: 'git-branches',
      why: 'They list branches.',
      pattern: 'git',
      args: [
        'branch',
        ['-a', '-r', '-v', '-vv', '-av', '-avv', '-rv', '--all', '--list', '--show-current'],
      ],
      changes: 'nothing',
      examples: {
        match: ['git branch -a', 'git branch --show-current'],
        noMatch: ['git branch new', 'git branch -D old'],
      },
    },
    {
      name: 'git-names',
      why: 'They list branches, tags and remotes.',
      pattern: 'git',
      args: [['branch', 'tag', 'remote', 'reflog']],
      changes: 'nothing',
      examples: { match: ['git branch', 'git tag'], noMatch: ['git tag v1', 'git stash'] },
    },
    {
      name: 'git-remotes',
      why: 'They list remotes and tags with what they stand for.',
      pattern: 'git',
      args: [
        ['remote', 'tag'],
        ['-v', '-l', '--list', '-n'],
      ],
      changes: 'nothing',
      examples: { match: ['git remote -v', 'git tag -l'], noMatch: ['git remote add a b'] },
    },
    {
      name: 'git-remote-address',
      why: 'It says where a remote lies.',
      pattern: 'git',
      args: ['remote', 'get-url', '[!-]*'],
      changes: 'nothing',
      examples: { match: ['git remote get-url origin'], noMatch: ['git remote set-url a b'] },
    },
    {
      name: 'git-stash-shows',
      why: 'It shows what a stash holds.',
      pattern: 'git',
      args: ['stash', 'show', '...'],
      changes: 'nothing',
      examples: { match: ['git stash show'], noMatch: ['git stash pop'] },
    },
    {
      name: 'git-tag-lists',
      why: 'It lists tags by a pattern or in an order.',
      pattern: 'git',
      args: ['tag', ['-l', '--list', '--sort=*'], '[!-]*'],
      changes: 'nothing',
      examples: { match: ["git tag -l 'v*'"], noMatch: ['git tag -d v1'] },
    },
    {
      name: 'git-tag-order',
      why: 'It lists tags in an order.',
      pattern: 'git',
      args: ['tag', '--sort=*'],
      changes: 'nothing',
      examples: { match: ['git tag --sort=-creatordate'], noMatch: ['git tag v1'] },
    },
    {
      name: 'git-settings',
      why: 'It says who commits and what the first branch is called.',
      pattern: 'git',
      args: ['config', ['--get', 'get'], ['user.name', 'user.email', 'init.defaultBranch']],
      changes: 'nothing',
      examples: { match: ['git config --get user.name'], noMatch: ['git config user.name x'] },
    },
    {
      name: 'github-reads',
      why: 'They show pull requests, issues, runs and releases; --web, which opens a browser, is not covered.',
      pattern: 'gh',
      args: [
        ['pr', 'issue', 'run', 'release', 'workflow', 'repo'],
        ['view', 'list', 'status', 'checks', 'diff'],
        '...',
      ],
      changes: 'nothing',
      examples: {
        match: ['gh pr view 12', 'gh run list --limit 5'],
        noMatch: ['gh pr merge 12', 'gh pr view 12 --web', 'gh api user'],
      },
    },
    {
      name: 'services',
      why: 'They say which services run and what they wrote to the journal.',
      pattern: 'systemctl',
      args: [
        ['status', 'list-units', 'list-timers', 'is-active', 'is-enabled', 'is-failed'],
        '...',
      ],
      changes: 'nothing',
      examples: { match: ['systemctl status app'], noMatch: ['systemctl restart app'] },
    },
    {
      name: 'journal',
      why: 'It prints what services wrote.',
      pattern: 'journalctl',
      changes: 'nothing',
      examples: { match: ['journalctl -u app -n 50'], noMatch: ['journalctl --vacuum-size=1M'] },
    },
    {
      name: 'containers',
      why: 'They list containers and images, and print what containers wrote.',
      pattern: '{docker,podman}',
      args: [['ps', 'images', 'logs', 'stats', 'top', 'port', 'version', 'info'], '...'],
      changes: 'nothing',
      examples: { match: ['docker ps -a'], noMatch: ['docker rm x', 'docker inspect x'] },
    },
    {
      name: 'compose',
      why: 'The same for the containers of the project.',
      pattern: '{docker,podman}',
      args: ['compose', ['ps', 'logs', 'images', 'ls', 'top'], '...'],
      changes: 'nothing',
      examples: { match: ['docker compose ps'], noMatch: ['docker compose down'] },
    },
    {
      name: 'cluster',
      why: 'They show what runs in the cluster; secrets and tokens are not covered.',
      pattern: 'kubectl',
      args: [['get', 'describe', 'logs', 'top', 'version', 'explain', 'api-resources'], '...'],
      changes: 'nothing',
      examples: {
        match: ['kubectl get pods', 'kubectl logs deploy/app'],
        noMatch: ['kubectl delete pod x', 'kubectl get secret x -o yaml'],
      },
    },
    {
      name: 'cluster-words',
      why: 'They show how a rollout went and which cluster is meant.',
      pattern: 'kubectl',
      args: [
        ['rollout', 'config'],
        ['history', 'status', 'current-context', 'get-contexts'],
        '...',
      ],
      changes: 'nothing',
      examples: {
        match: ['kubectl rollout status deploy/app'],
        noMatch: ['kubectl rollout undo deploy/app', 'kubectl config view --raw'],
      },
    },
    {
      name: 'charts',
      why: 'They list releases of charts and their history.',
      pattern: 'helm',
      args: [['list', 'ls', 'history', 'status', 'version'], '...'],
      changes: 'nothing',
      examples: { match: ['helm list'], noMatch: ['helm upgrade a b'] },
    },
    {
      name: 'python-packages',
      why: 'They say which packages are installed.',
      pattern: '{pip,pip3}',
      args: [['list', 'show', 'freeze', 'check'], '...'],
      changes: 'nothing',
      examples: {
        match: ['pip list'],
        noMatch: ['pip install x', 'pip list --index-url http://x'],
      },
    },
    {
      name: 'each-of-a-list',
      why: 'xargs hands names to a program that says where they lie. Programs that print what files hold are not covered: nobody can tell yet which files it will be.',
      pattern: 'xargs',
      args: [['ls', 'stat', 'basename', 'dirname'], '...'],
      changes: 'nothing',
      examples: {
        match: ['xargs ls -l', 'xargs basename'],
        noMatch: ['xargs cat', 'xargs wc -l', 'xargs grep x', 'xargs rm', 'xargs sh -c x'],
      },
    },
  ],
};
