import { clouds } from './clouds.ts';
import { inspecting } from './inspecting.ts';
import { pages } from './pages.ts';
import { services } from './services.ts';
import { versions } from './versions.ts';
import type { StarterSet } from './types.ts';

/** Programs of which a word says what they read, and nothing what they change or run. */
const readers =
  '{ls,cat,head,tail,wc,nl,c++filt,addr2line,base64,rg,grep,egrep,fgrep,sort,uniq,cut,tr,diff,cmp,comm,join,paste,fold,tac,rev,column,shuf,tree,file,stat,du,df,basename,dirname,realpath,readlink,md5sum,sha1sum,sha256sum,hexdump,od,xxd,strings,nm,size,jq,yq,ack,cloc,tokei,scc}';

const machine =
  '{ps,pgrep,lsof,free,ss,vmstat,iostat,lsblk,getent,groups,which,date,cal,uname,whoami,id,nproc,uptime,hostname,seq,expr,sleep}';

/** Commands of Git that only read, whatever follows. */
const gitReads =
  'status diff log show blame ls-files ls-tree rev-parse rev-list describe grep shortlog merge-base cat-file name-rev diff-tree show-ref check-ignore'.split(
    ' ',
  );

/** Look around: nothing here changes a file or starts another program. */
export const lookAround: StarterSet = {
  name: 'look-around',
  version: 9,
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
        noMatch: ['tar -xzf a.tgz', 'gzip a.txt', 'tar -czf a.tgz b', 'tar -tMf a'],
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
      name: 'machine-states',
      why: 'They say what runs, what is mounted and which addresses this machine has.',
      pattern: '{mount,timedatectl,ip}',
      args: [],
      changes: 'nothing',
      examples: { match: ['mount'], noMatch: ['mount /dev/sda1 /mnt', 'timedatectl set-time x'] },
    },
    {
      name: 'machine-processes',
      why: 'It lists once what runs.',
      pattern: 'top',
      argPattern:
        '^(?:-bn ?[1-3]|-b -n ?[1-3]|-n ?[1-3] -b)(?: -[HciS]| -o [%\\w+-]+| -p \\d+| -w \\d+)*$',
      examples: {
        match: ['top -bn1', 'top -b -n 1 -o %MEM'],
        noMatch: ['top -b', 'top -b -n 1 -u x'],
      },
    },
    {
      name: 'machine-addresses',
      why: 'It says which addresses and ways this machine has.',
      pattern: 'ip',
      args: [
        ['-br', 'addr', 'a', 'route', 'r', 'link', 'neigh'],
        ['addr', 'a', 'route', 'r', 'link', 'l', 'neigh', 'n', 'show', 'list'],
      ],
      changes: 'nothing',
      examples: {
        match: ['ip addr show'],
        noMatch: ['ip link set x down', 'ip route add x', 'ip -b a'],
      },
    },
    {
      name: 'machine-address',
      why: 'The same in short.',
      pattern: 'ip',
      args: [['addr', 'a', 'route', 'r', 'link', 'neigh']],
      changes: 'nothing',
      examples: { match: ['ip route'], noMatch: ['ip netns exec x sh'] },
    },
    {
      name: 'machine-clock',
      why: 'It says what time it is and where it is taken from.',
      pattern: 'timedatectl',
      args: [['status', 'show']],
      changes: 'nothing',
      examples: { match: ['timedatectl status'], noMatch: ['timedatectl set-ntp no'] },
    },
    {
      name: 'databases-read',
      why: 'They show what a database in a file holds; a query that changes it is not covered.',
      pattern: 'sqlite3',
      changes: 'nothing',
      examples: {
        match: ["sqlite3 a.db 'select 1'"],
        noMatch: ["sqlite3 a.db 'delete from t'", "sqlite3 a.db '.shell id'", 'sqlite3 a.db .read'],
      },
    },
    {
      name: 'code-reads',
      why: 'Code in the command itself that is read to its end, and computes and prints from files that it names.',
      pattern: '{python,python3}',
      changes: 'nothing',
      examples: {
        match: [
          "python3 -c 'print(1 + 1)'",
          'python3 -c \'import json; print(json.load(open("a.json"))["x"])\'',
        ],
        noMatch: [
          'python3 a.py',
          'python3 -m http.server',
          'python3 -c \'import os; os.system("id")\'',
          "python3 -c 'import os; print(os.environ)'",
          'python3 -c \'open("a.txt", "w")\'',
          'python3 -c \'print(open(".env").read())\'',
        ],
      },
    },
    {
      name: 'php-says',
      why: 'PHP says what it has, or whether a file can be read as code; nothing of it runs.',
      pattern: 'php',
      args: [['-m', '--ini']],
      changes: 'nothing',
      examples: { match: ['php -m'], noMatch: ['php -i', 'php -r x', 'php -S localhost:1'] },
    },
    {
      name: 'checks-code',
      why: 'A script is read and not run.',
      pattern: '{php,bash,sh,dash,zsh,node,ruby}',
      args: [['-l', '-n', '--check', '-c', '-wc', '-cw'], '[!-]**'],
      only: 'reads',
      changes: 'nothing',
      examples: {
        match: ['bash -n a.sh'],
        noMatch: ['bash -c x', 'bash -l a.sh', 'node -e x', 'php a.php', 'bash a.sh'],
      },
    },
    {
      name: 'conda-lists',
      why: 'It says what is installed.',
      pattern: 'conda',
      args: [['list', 'info']],
      changes: 'nothing',
      examples: { match: ['conda list'], noMatch: ['conda install x', 'conda run x'] },
    },
    {
      name: 'conda-environments',
      why: 'It lists environments.',
      pattern: 'conda',
      args: ['env', 'list'],
      changes: 'nothing',
      examples: { match: ['conda env list'], noMatch: ['conda env remove -n x'] },
    },
    ...versions,
    {
      name: 'archive-lists',
      why: 'It lists what an archive holds.',
      pattern: 'unzip',
      only: 'reads',
      changes: 'nothing',
      examples: {
        match: ['unzip -l a.zip', "unzip -Z1 a.zip '*.ts'", 'unzip -tq a.zip'],
        noMatch: [
          'unzip a.zip',
          'unzip a.zip -l',
          'unzip -o a.zip -d x',
          'unzip -lT a.zip',
          'unzip -l -o a.zip',
          'unzip -p a.zip .env',
          'unzip -c a.zip',
        ],
      },
    },
    {
      name: 'graphics-card',
      why: 'It says what the graphics card does.',
      pattern: 'nvidia-smi',
      args: [],
      changes: 'nothing',
      examples: { match: ['nvidia-smi'], noMatch: ['nvidia-smi -r', 'nvidia-smi -f a.txt'] },
    },
    {
      name: 'graphics-card-lists',
      why: 'The same as a list.',
      pattern: 'nvidia-smi',
      args: [['-L', '--query-*'], '--format=*'],
      changes: 'nothing',
      examples: {
        match: ['nvidia-smi --query-gpu=name --format=csv'],
        noMatch: ['nvidia-smi --query-gpu=name -f a.txt'],
      },
    },
    {
      name: 'only-reads',
      why: 'Whatever of these programs only prints; what changes, starts or sends something is not covered.',
      pattern: '{git,npm,pnpm,yarn}',
      only: 'reads',
      changes: 'nothing',
      examples: {
        match: ['git cherry -v main', "git tag --list 'v*' --sort=-v:refname"],
        noMatch: [
          'git push',
          'git tag -d v1',
          'git branch -D x',
          'git checkout .',
          'git log --output=x',
          'npm install x',
          'npm audit fix',
        ],
      },
    },
    {
      name: 'tools-read',
      why: 'They say which versions and packages are there.',
      pattern: '{rustup,uv}',
      args: [
        ['show', 'which', 'pip', 'tree', 'toolchain', 'component', 'target', 'override'],
        '...',
      ],
      only: 'reads',
      changes: 'nothing',
      examples: {
        match: ['rustup show', 'rustup toolchain list', 'uv pip list'],
        noMatch: [
          'rustup toolchain install x',
          'rustup target add x',
          'rustup update',
          'uv pip install x',
          'rustup run nightly sh',
        ],
      },
    },
    {
      name: 'github-login',
      why: 'It says who is logged in, and hides the token.',
      pattern: 'gh',
      args: ['auth', 'status'],
      changes: 'nothing',
      examples: {
        match: ['gh auth status'],
        noMatch: ['gh auth status --show-token', 'gh auth token'],
      },
    },
    ...pages,
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
      name: 'git-settings',
      why: 'It says who commits and what the first branch is called.',
      pattern: 'git',
      args: ['config', ['--get', 'get'], ['user.name', 'user.email', 'init.defaultBranch']],
      changes: 'nothing',
      examples: { match: ['git config --get user.name'], noMatch: ['git config user.name x'] },
    },
    {
      name: 'git-bisect-reads',
      why: 'It says how far a search for a commit has come, and what it calls good and bad.',
      pattern: 'git',
      args: ['bisect', ['log', 'terms'], '...'],
      changes: 'nothing',
      examples: {
        match: ['git bisect log', 'git bisect terms'],
        noMatch: ['git bisect run ./x', 'git bisect start', 'git bisect log > b.txt'],
      },
    },
    {
      name: 'github-reads',
      why: 'They show pull requests, issues, runs and releases; --web, which opens a browser, is not covered.',
      pattern: 'gh',
      args: [
        ['pr', 'issue', 'run', 'release', 'workflow', 'repo'],
        ['view', 'list', 'status', 'checks', 'diff', 'watch'],
        '...',
      ],
      changes: 'nothing',
      examples: {
        match: ['gh pr view 12', 'gh run list --limit 5'],
        noMatch: ['gh pr merge 12', 'gh pr view 12 --web', 'gh api user'],
      },
    },
    ...services,
    ...clouds,
    ...inspecting,
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
