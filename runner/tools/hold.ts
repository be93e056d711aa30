import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { filesOfTool, programFolders } from '../../shared/engine/index.ts';
import type { ToolPolicy } from '../../shared/engine/index.ts';
import type { FileHold, HostTask, NamedFile } from '../hosts/host.ts';
import { isBelow } from '../hosts/sandbox/paths.ts';
import type { GitPlaces } from './git.ts';

/**
 * Of the system's settings those by which names, users, certificates and time zones are found, one by
 * one: beside them are keys, and a process that may read `/proc/self` can be made to show its variables.
 */
const settings = [
  '/etc/alternatives',
  '/etc/ca-certificates',
  '/etc/crypto-policies',
  '/etc/gai.conf',
  '/etc/gitconfig',
  '/etc/group',
  '/etc/host.conf',
  '/etc/hosts',
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/ld.so.conf.d',
  '/etc/locale.alias',
  '/etc/localtime',
  '/etc/mime.types',
  '/etc/nsswitch.conf',
  '/etc/os-release',
  '/etc/passwd',
  '/etc/pki/ca-trust',
  '/etc/pki/tls/cert.pem',
  '/etc/pki/tls/certs',
  '/etc/pki/tls/openssl.cnf',
  '/etc/protocols',
  '/etc/resolv.conf',
  '/etc/services',
  '/etc/ssl/cert.pem',
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
  '/proc/cpuinfo',
  '/proc/filesystems',
  '/proc/meminfo',
  '/proc/stat',
  '/proc/sys/kernel',
  '/proc/sys/net/core',
  '/proc/sys/vm',
  '/proc/version',
  '/run/NetworkManager',
  '/run/resolvconf',
  '/run/systemd/resolve',
  '/sys/devices/system/cpu',
  '/sys/fs/cgroup',
  '/sys/kernel/mm/transparent_hugepage',
  '/usr/share/zoneinfo',
  '/var/cache/ldconfig',
  '/var/lib/ca-certificates',
  '/var/lib/sss/mc',
];

/** Programs that are installed into a home, with their parts, by what manages versions of them. */
const managers = ['.asdf', '.linuxbrew', '.local/share/mise', '.nvm', '.pyenv', '.volta'];

interface Call {
  readonly task: Pick<HostTask, 'cwd' | 'execution' | 'named'>;
  readonly git: GitPlaces | null;
  /** The call's own, empty. */
  readonly folder: string;
  readonly home: string;
}

/**
 * What the kernel holds a call out of a sandbox to: the system's programs, the call's own folder, what
 * is the tool's own, and of the sandbox the files that it names, as they are now. Null for other calls.
 */
export function holdOfTool(
  { tool, files = filesOfTool(tool) }: ToolPolicy,
  { task, git, folder, home }: Call,
): FileHold | null {
  if (task.named === undefined || task.execution.kind === 'missing') return null;
  const place = (path: string): string =>
    path === '.' ? task.cwd : path.replace(/^~(?=\/|$)/u, home);
  const { reads = [], writes = [], starts = [] } = files;
  const own = task.execution.kind === 'argv' ? partsOf(task.execution.file, home) : [];
  return {
    reads: realOf([...settings, ...reads.map(place)]),
    writes: realOf([folder, ...writes.map(place)]),
    starts: realOf([...programFolders, ...own, ...starts.map(place)]),
    same: [...task.named, ...(git?.same ?? [])],
    into: [...(git?.into ?? [])],
    network: true,
  };
}

/** A file or folder as it is now. Throws where nothing is there. */
export function fileAt(path: string): NamedFile {
  const real = realpathSync.native(path);
  const { dev, ino } = lstatSync(real);
  return { path: real, device: dev, inode: ino };
}

/** A program and the folder that it is installed in with its parts, where that is its own. */
function partsOf(file: string, home: string): readonly string[] {
  const [real] = realOf([file]);
  if (real === undefined) return [];
  const manager = managers.map((name) => join(home, name)).find((path) => isBelow(file, path));
  const beside = dirname(real);
  const around = basename(beside) === 'bin' ? dirname(beside) : beside;
  const holdsMore = isBelow(home, around) || around === join(home, '.local');
  return [file, real, ...(holdsMore ? [] : [around]), ...(manager === undefined ? [] : [manager])];
}

/** As they are on the disk, each once; those that are not there are left out. */
function realOf(paths: readonly string[]): readonly string[] {
  const real = paths.flatMap((path) => {
    try {
      return [realpathSync.native(path)];
    } catch {
      return [];
    }
  });
  return [...new Set(real)];
}
