import { posix } from 'node:path';
import { refuse } from '../../../shared/base/index.ts';
import type { CommandLine, ReadyCommand } from '../launcher.ts';
import type { Entry } from './message.ts';
import { isBelow, parentOf } from './paths.ts';
import type { Box, BoxSettings } from './root.ts';

/**
 * The same box for macOS, which has neither namespaces nor our launcher: Seatbelt holds a process in
 * the person's own file system, and apple/container starts a small virtual machine. Both come from
 * the entries that were planned, so that neither can disagree with Linux about what a command sees.
 */

/** What a box is held to on macOS, beside its entries. */
export interface MacSurroundings {
  /** A folder for this command alone, which is its TMPDIR. */
  readonly temporary: string;
  /** Interlock's own folder: never read or written. */
  readonly ownHome: string;
  readonly network: BoxSettings['network'];
  /** Where the filtered network listens on the loopback; needed for `restricted`. */
  readonly proxyPort?: number;
  /** Follows links: the kernel compares real paths alone. */
  readonly realPath: (path: string) => string | null;
}

/** What Seatbelt lets a string be at most, in bytes. */
const mostBytes = 1025;

/** Where the system has it. */
export const seatbelt = '/usr/bin/sandbox-exec';

/** Services without which the system's libraries do not start, and none that acts for a process. */
const services = [
  'com.apple.bsd.dirhelper',
  'com.apple.logd',
  'com.apple.system.logger',
  'com.apple.system.notification_center',
  'com.apple.system.opendirectoryd.libinfo',
  'com.apple.system.opendirectoryd.membership',
];

/** Where the files of all users lie, each read only as far as it is given. */
const ofUsers = ['/Users', '/Volumes', '/private/tmp', '/private/var/folders', '/private/var/tmp'];

const devices = ['null', 'zero', 'random', 'urandom', 'tty', 'dtracehelper', 'stdout', 'stderr'];

/**
 * A profile for a planned box: nothing by default, the system read, of the users' files those that
 * the box shows, written what the box lets be written. Of two rules for the same operation the later
 * one holds. Throws `host-unavailable` for a path that a profile cannot name.
 */
export function seatbeltProfile({ entries, owner }: Box, around: MacSurroundings): string {
  const { network, temporary, ownHome } = around;
  const real = (path: string): string => around.realPath(path) ?? path;
  const bound = entries.flatMap((entry) => (entry.kind === 'bind' ? [entry] : []));
  const written = bound.filter(({ writable }) => writable === true).map(({ source }) => source);
  const open = [...written, real(temporary)];
  const kept = bound
    .filter(({ source, writable }) => writable !== true && isInside(source, written))
    .map(({ source }) => source);
  const hidden = [...hiddenIn(entries, written), real(ownHome)];
  const shown = [...new Set([...bound.map(({ source }) => source), real(temporary)])];
  return [
    '(version 1)',
    '(deny default)',
    '(allow process-exec process-fork)',
    '(allow signal process-info* (target same-sandbox))',
    '(allow sysctl-read)',
    '(allow ipc-posix-sem)',
    rule('allow mach-lookup', services.map(named('global-name'))),
    rule('allow file-ioctl', ['/dev/tty', '/dev/null'].map(named('literal'))),
    '(allow file-read*)',
    rule('deny file-read*', [...ofUsers, real(owner.home)].map(named('subpath'))),
    rule('allow file-read*', shown.map(named('subpath'))),
    // A path is looked up part by part.
    rule('allow file-read-metadata', parentsOf(shown).map(named('literal'))),
    rule('allow file-write*', [
      ...open.map(named('subpath')),
      ...devices.map((name) => literal(`/dev/${name}`)),
    ]),
    rule('deny file-write*', kept.map(named('subpath'))),
    rule('deny file-read* file-write*', hidden.map(named('subpath'))),
    // Whoever can move a folder away has its files where no rule speaks of them.
    rule(
      'deny file-write-unlink file-write-create',
      parentsWithin([...kept, ...hidden], open).map(named('literal')),
    ),
    ...networkRules(network, around.proxyPort),
  ]
    .filter((line) => line !== '')
    .join('\n');
}

/** What is to be started so that a command is held to a profile. The program's own name is its path. */
export function seatbeltCommand(
  profile: string,
  { file, args }: CommandLine,
  program = seatbelt,
): CommandLine {
  return { file: program, argv0: program, args: ['-p', profile, file, ...args] };
}

/** How much a virtual machine gets. */
interface MachineSize {
  readonly memoryBytes: number;
  readonly processes: number;
  readonly cpus: number;
}

/**
 * What is to be started so that a command runs in a virtual machine of its own, by the program at
 * `container`. Values of variables are inherited by name, because a command line can be read by
 * everybody. Throws `host-unavailable` for what such a machine cannot do.
 *
 * @param name of the machine, by which it is stopped
 * @param image from which it is made
 */
export function containerCommand(
  { entries, owner }: Box,
  command: ReadyCommand,
  {
    container,
    name,
    image,
    network,
    size,
  }: {
    readonly container: string;
    readonly name: string;
    readonly image: string;
    readonly network: BoxSettings['network'];
    readonly size: MachineSize;
  },
): CommandLine {
  const written = entries.flatMap((entry) =>
    entry.kind === 'bind' && entry.writable === true ? [entry.target] : [],
  );
  if (hiddenIn(entries, written).length > 0)
    throw cannot('hides no single file in a virtual machine', 'Ask a person.');
  // A network of its own still reaches this machine and, by address, others.
  if (network === 'restricted')
    throw cannot('has no filtered network', 'Have a person set sandbox.network to "none".');
  return {
    file: container,
    argv0: container,
    args: [
      'run',
      '--rm',
      '--interactive',
      '--init',
      '--name',
      name,
      '--memory',
      `${Math.ceil(size.memoryBytes / 1024 ** 2)}M`,
      '--cpus',
      String(size.cpus),
      '--ulimit',
      `nproc=${size.processes}`,
      '--uid',
      String(owner.uid),
      '--gid',
      String(owner.gid),
      '--cap-drop',
      'ALL',
      ...(network === 'none' ? ['--network', 'none'] : []),
      ...entries.flatMap(mountOf),
      ...Object.keys(command.env).flatMap((variable) => ['--env', variable]),
      '--workdir',
      command.cwd,
      '--entrypoint',
      command.file,
      image,
      ...command.args,
    ],
  };
}

/** The system's own folders come with the image, and so does an empty home. */
function mountOf(entry: Entry): readonly string[] {
  if (entry.kind !== 'bind' || isSystem(entry.target)) return [];
  for (const path of [entry.source, entry.target])
    if (/[,=:"\p{Cc}]/u.test(path))
      throw cannot(`cannot show ${JSON.stringify(path)}`, 'Give the folder a plain name.');
  const rights = entry.writable === true ? '' : ',readonly';
  return ['--mount', `type=bind,source=${entry.source},target=${entry.target}${rights}`];
}

const isSystem = (path: string): boolean =>
  ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc', '/opt', '/System', '/Library'].some((one) =>
    isBelow(path, one),
  );

/** What is there and must not be seen: a file without content, an empty folder in its place. */
function hiddenIn(entries: readonly Entry[], written: readonly string[]): readonly string[] {
  return entries.flatMap((entry) =>
    (entry.kind === 'file' || entry.kind === 'tmpfs') && isInside(entry.target, written)
      ? [entry.target]
      : [],
  );
}

function isInside(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path !== folder && isBelow(path, folder));
}

function parentsOf(paths: readonly string[]): readonly string[] {
  const all = new Set<string>();
  for (const path of paths)
    for (let at = posix.dirname(path); !all.has(at); at = posix.dirname(at)) all.add(at);
  return [...all].toSorted();
}

/** The folders between a path and the open one that it lies in, and the path itself. */
function parentsWithin(paths: readonly string[], open: readonly string[]): readonly string[] {
  const all = new Set<string>();
  for (const path of paths) for (let at = path; isInside(at, open); at = parentOf(at)) all.add(at);
  return [...all].toSorted();
}

function networkRules(
  network: BoxSettings['network'],
  port: number | undefined,
): readonly string[] {
  switch (network) {
    case 'none':
      // The loopback is the machine's own, with all that listens on it.
      return [];
    case 'restricted':
      if (port === undefined)
        throw cannot('has no filtered network', 'Have a person set sandbox.network to "none".');
      return [`(allow network-outbound (remote ip "localhost:${port}"))`];
    case 'full':
      return ['(allow network* system-socket)'];
    default:
      throw new TypeError('an unknown network');
  }
}

/** One rule for several filters; none at all where there is none, for a rule without would be for all. */
function rule(head: string, filters: readonly string[]): string {
  return filters.length === 0 ? '' : `(${head} ${filters.join(' ')})`;
}

function named(filter: 'subpath' | 'literal' | 'global-name'): (text: string) => string {
  return (text) => `(${filter} ${quoted(text)})`;
}

const literal = named('literal');

function quoted(text: string): string {
  if (Buffer.byteLength(text) > mostBytes || /[\p{Cc}\p{Surrogate}]/u.test(text))
    throw cannot(`cannot name ${JSON.stringify(text)}`, 'Give the folder a shorter, plain name.');
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

function cannot(what: string, hint: string): Error {
  return refuse('host-unavailable', `The sandbox of macOS ${what}, so nothing was run.`, hint);
}
