import { normalize } from 'node:path/posix';
import type {
  Analysis,
  FileFacts,
  FileView,
  Surroundings,
} from '../../shared/engine/plan/types.ts';
import { loadAnalyser } from './analyser.ts';
import { cwd, home } from './stages.ts';

/** What lies on a make-believe machine: path → content of a file, or null for a directory. */
export type Files = Readonly<Record<string, string | null>>;

const elf = '\u007fELF';

/** Programs that a developer's machine has in /usr/bin. */
const programs = `
  [ awk bash basename biome black busybox cargo cat chmod chown clang cmake cmp code comm composer cp crontab
  curl cut date dd deno df diff dig dirname docker dotnet du echo env eslint expand expr fd file find fmt
  fold gcc gh git go gofmt gradle grep gunzip gzip head helm hexdump hostname id install java javac jest
  join jq kill kubectl ldd less ln ls lsof make md5sum mkdir mkfs.ext4 mktemp mv mvn mypy nc nl node nohup
  npm npx nproc od openssl parallel paste patch perl pgrep php ping pip pip3 pkill pnpm poetry prettier printenv
  printf ps psql pwd pytest python3 readlink realpath rg rm rmdir rsync ruby ruff rustc rustfmt sed
  seq sh sha256sum shellcheck sleep sort source-highlight split sqlite3 ssh scp stat strings su sudo
  systemctl tac tail tar tee terraform test timeout time touch tr tree true tsc tsx uname uniq unzip uptime
  uv uvx vi vim vitest watch wc wget which whoami xargs xxd yarn yes zip zsh shred doas pkexec setcap
  launchctl ssh-copy-id fdisk wipefs mkswap aws gsutil ansible-playbook nice stdbuf setsid flock false
  at psql mysql redis-cli brew apt apt-get gem bundle rails node22 turbo nx bun twine chgrp truncate nm
`
  .trim()
  .split(/\s+/);

function entries(files: Files): ReadonlyMap<string, string | null> {
  const all = new Map<string, string | null>(Object.entries(files));
  for (const name of programs) all.set(`/usr/bin/${name}`, elf);
  for (const path of [home, cwd, `${cwd}/src`, `${cwd}/test`, '/tmp', '/etc']) all.set(path, null);
  for (const path of all.keys()) {
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      if (!all.has(path.slice(0, at))) all.set(path.slice(0, at), null);
    }
  }
  return all.set('/', null);
}

function viewOf(files: Files): FileView {
  const all = entries(files);
  const inodes = new Map([...all.keys()].map((path, index) => [path, index + 1]));
  const mine = (path: string) => path.startsWith(home) || path.startsWith('/tmp');
  return {
    realPath: (path) => (all.has(normalize(path)) ? normalize(path) : null),
    facts(path): FileFacts | null {
      const content = all.get(normalize(path));
      if (content === undefined) return null;
      const kind = content === null ? 'directory' : 'file';
      return {
        kind,
        executable: true,
        mode: 0o755,
        uid: mine(path) ? 1000 : 0,
        inode: inodes.get(normalize(path)) ?? 0,
      };
    },
    head: (path, bytes) =>
      new TextEncoder().encode(all.get(normalize(path)) ?? '').subarray(0, bytes),
    isLink: () => false,
    readLink: () => null,
    entries(folder) {
      const at = normalize(folder).replace(/\/+$/, '');
      if (at !== '' && all.get(at) !== null) return null;
      return [...all].flatMap(([path, content]) => {
        const name = path.slice(at.length + 1);
        const isChild = path.startsWith(`${at}/`) && name !== '' && !name.includes('/');
        return isChild ? [[name, content === null ? 'folder' : 'file'] as const] : [];
      });
    },
  };
}

/** A Linux machine with the usual programs, whose user has uid 1000. */
export function machine(files: Files = {}): Surroundings {
  return {
    files: viewOf(files),
    platform: 'linux',
    uid: 1000,
    path: ['/usr/local/bin', '/usr/bin', '/bin'],
    trustedDirectories: ['/usr/local/bin', '/usr/bin', '/bin'],
    home,
    workspaces: [cwd],
    variables: { HOME: home, USER: 'me', PWD: cwd },
    shell: '/usr/bin/bash',
  };
}

/** The real analysis of shell text on such a machine. */
export async function analyserOn(files: Files = {}): Promise<(command: string) => Analysis> {
  const analyser = await loadAnalyser();
  const surroundings = machine(files);
  return (command) => analyser.analyse({ command, cwd }, surroundings);
}
