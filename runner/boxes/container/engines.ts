import type { LaunchLimits } from '../../hosts/sandbox/message.ts';
import type { BoxSpec } from '../runtime.ts';
import type { ContainerMount } from './root.ts';
import { cannotHold } from './root.ts';

/** What is asked of an engine: one container, whose first process is our keeper. */
export interface ContainerStart {
  /** The engine's name for it. */
  readonly id: string;
  /** What it calls itself. */
  readonly hostname: string;
  /** The folder that is its root, read-only. */
  readonly root: string;
  readonly mounts: readonly ContainerMount[];
  /** Our launcher on this machine, which is bound as the one program that the engine starts. */
  readonly launcher: string;
  /** `full`: the machine's own; any other: one with nothing but a loopback. */
  readonly network: BoxSpec['network'];
  readonly limits: BoxSpec['limits'];
  /** Whose rights the engine has; null for root. */
  readonly user: { readonly uid: number; readonly gid: number } | null;
  /** Where the engine writes the number of the first process, if it does. */
  readonly pidFile: string;
}

/** Where our launcher lies inside. Landlock keeps what runs there from it. */
export const program = '/.interlock-launcher';

/**
 * The words for podman. Descriptors 3 to 5 go on to the first process. It keeps the rights that it needs
 * to become the workspace's owner, and nothing that it starts has any.
 */
export function podmanWords(start: ContainerStart): readonly string[] {
  const { id, hostname, root, mounts, launcher, network, limits, user, pidFile } = start;
  const own: ContainerMount = { kind: 'bind', target: program, source: launcher, writable: false };
  return [
    ...'run --detach --rm --preserve-fds 3 --cgroups disabled --log-driver none'.split(' '),
    '--name',
    id,
    '--hostname',
    hostname,
    '--pidfile',
    pidFile,
    '--workdir',
    '/',
    '--network',
    network === 'full' ? 'host' : 'none',
    '--no-hosts',
    '--http-proxy=false',
    '--read-only',
    '--read-only-tmpfs=false',
    '--cap-drop',
    'all',
    '--security-opt',
    'no-new-privileges',
    '--security-opt',
    'label=disable',
    ...(user === null
      ? ['--cap-add', 'setuid,setgid,setpcap,chown,kill,dac_override', '--user', '0:0']
      : ['--userns', 'keep-id', '--user', `${String(user.uid)}:${String(user.gid)}`]),
    ...limitWords(limits),
    '--mount',
    'type=tmpfs,destination=/sys,notmpcopyup',
    ...[...mounts, own].flatMap((mount) => ['--mount', podmanMount(mount)]),
    '--rootfs',
    root,
    program,
  ];
}

/** Its own numbers would be higher than ours may be. */
function limitWords({ processes, openFiles }: LaunchLimits): readonly string[] {
  const files = openFiles === 0 ? 1_024 : openFiles;
  return [
    '--ulimit',
    `nofile=${String(files)}:${String(files)}`,
    ...(processes === 0 ? [] : ['--ulimit', `nproc=${String(processes)}:${String(processes)}`]),
  ];
}

/** It reads the words of a mount as a line of a table, and paths in it have no quotes. */
function podmanMount(mount: ContainerMount): string {
  const paths = mount.kind === 'bind' ? [mount.source, mount.target] : [mount.target];
  for (const path of paths)
    if (/[,"\n\r]/u.test(path)) throw cannotHold(`a place with a comma or quote in it: ${path}`);
  if (mount.kind === 'bind')
    return `type=bind,source=${mount.source},destination=${mount.target},readonly=${String(!mount.writable)},bind-propagation=rprivate`;
  const { size, mode } = sizeAndMode(mount.options);
  const more = [...(size === null ? [] : [`tmpfs-size=${size}`]), `tmpfs-mode=${mode}`];
  return ['type=tmpfs', `destination=${mount.target}`, 'notmpcopyup', 'exec', ...more].join(',');
}

const units: Readonly<Record<string, number>> = { k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** It takes size and mode of a folder in memory alone. */
function sizeAndMode(options: string): { readonly size: string | null; readonly mode: string } {
  const [, size = '', unit = ''] = /(?:^|,)size=(\d+)([kmg]?)/u.exec(options) ?? [];
  const [, mode = '0755'] = /(?:^|,)mode=([0-7]+)/u.exec(options) ?? [];
  return { size: size === '' ? null : String(Number(size) * (units[unit] ?? 1)), mode };
}

/** The words for systemd-nspawn, which has to be started with `LISTEN_FDS` for descriptors 3 to 5. */
export function nspawnWords(start: ContainerStart): readonly string[] {
  const { id, hostname, root, mounts, launcher, network, limits } = start;
  const own: ContainerMount = { kind: 'bind', target: program, source: launcher, writable: false };
  const { processes, openFiles } = limits;
  return [
    ...'--quiet --settings=no --register=no --keep-unit --read-only --console=pipe'.split(' '),
    ...'--no-new-privileges=yes --resolv-conf=off --timezone=off --link-journal=no'.split(' '),
    `--machine=${id}`,
    `--hostname=${hostname}`,
    `--directory=${root}`,
    `--system-call-filter=${landlock}`,
    ...(network === 'full' ? [] : ['--private-network']),
    ...(processes === 0 ? [] : [`--rlimit=RLIMIT_NPROC=${String(processes)}`]),
    ...(openFiles === 0 ? [] : [`--rlimit=RLIMIT_NOFILE=${String(openFiles)}`]),
    ...[...mounts, own].filter(({ target }) => target !== nspawnsOwn).map(nspawnMount),
    program,
  ];
}

/** What its own filter keeps from a container, and ours is put up by. */
const landlock = 'landlock_create_ruleset landlock_add_rule landlock_restrict_self';

/** It has this in memory itself, keeps something of its own there, and fails where that is hidden. */
const nspawnsOwn = '/run';

function nspawnMount(mount: ContainerMount): string {
  const escaped = (path: string): string => path.replace(/[\\:]/gu, String.raw`\$&`);
  if (mount.kind === 'tmpfs') return `--tmpfs=${escaped(mount.target)}:${mount.options}`;
  const how = mount.writable ? '--bind' : '--bind-ro';
  return `${how}=${escaped(mount.source)}:${escaped(mount.target)}`;
}
