import { describe, expect, it, test } from 'vitest';
import { nspawnWords, podmanWords, program } from '../../../runner/boxes/container/engines.ts';
import type { ContainerStart } from '../../../runner/boxes/container/engines.ts';
import { containerRoot } from '../../../runner/boxes/container/root.ts';
import type { ContainerRoot } from '../../../runner/boxes/container/root.ts';
import type { Entry } from '../../../runner/hosts/sandbox/message.ts';

/** What lies on this machine, for the tests: folders, and files by their text. */
const folders = '/usr /usr/bin /home/me /home/me/work /home/me/work/.git /cache /opt/a:b'.split(
  ' ',
);
const machineFiles = ['/home/me/work/.env', '/home/me/work/Makefile', '/state/nothing'];
const nothing = { path: '/state/nothing', identity: { device: 1, inode: 2 } };
const host = {
  kindOf: (path: string) =>
    folders.includes(path) ? 'directory' : machineFiles.includes(path) ? 'file' : null,
  nothing,
} as const;

/** What is found at a place: something of this machine, memory, or a file of the root's own. */
type Seen = string;

const bound = (source: string, writable: boolean): Seen =>
  source === nothing.path ? 'an empty file' : `${source}, ${writable ? 'writable' : 'read-only'}`;

const isAtOrBelow = (path: string, target: string): boolean =>
  path === target || path.startsWith(`${target}/`);

/** By the order of the entries, as our own launcher mounts them: what comes later lies on top. */
function seenByLauncher(entries: readonly Entry[], path: string): Seen {
  for (const entry of entries.toReversed()) {
    const rest = path.slice(entry.target.length);
    if (entry.kind === 'bind' && isAtOrBelow(path, entry.target))
      return bound(entry.source + rest, entry.writable === true);
    if (entry.kind === 'tmpfs' && isAtOrBelow(path, entry.target)) return 'memory';
    if (entry.target !== path) continue;
    if (entry.kind === 'file')
      return entry.content === '' ? 'an empty file' : `a file: ${entry.content}`;
    if (entry.kind === 'link') return `a link to ${entry.to}`;
    if (entry.kind === 'directory') return 'a folder';
  }
  return 'nothing';
}

interface Mounted {
  readonly target: string;
  readonly source: string | null;
  readonly writable: boolean;
}

/** By what an engine's words say: the deepest mount holds, whatever their order, then the root below them. */
function seenInContainer(mounts: readonly Mounted[], root: ContainerRoot, path: string): Seen {
  const [deepest] = mounts
    .filter(({ target }) => isAtOrBelow(path, target))
    .toSorted((a, b) => b.target.length - a.target.length);
  const inside = root.inside.findLast(({ kind, target }) => kind === 'file' && target === path);
  if (deepest !== undefined && deepest.source !== null)
    return bound(deepest.source + path.slice(deepest.target.length), deepest.writable);
  // Into memory the first process puts files itself.
  if (inside?.kind === 'file')
    return inside.content === '' ? 'an empty file' : `a file: ${inside.content}`;
  if (deepest !== undefined) return 'memory';
  const link = root.links.find(({ target }) => target === path);
  if (link !== undefined) return `a link to ${link.to}`;
  return root.folders.includes(path) ? 'a folder' : 'nothing';
}

function podmanMounts(words: readonly string[]): readonly Mounted[] {
  return words.flatMap((word, at) => {
    if (words[at - 1] !== '--mount') return [];
    const fields = Object.fromEntries(word.split(',').map((field) => field.split('=')));
    const { type, destination: target = '', source = null, readonly: isReadOnly } = fields;
    return [{ target, source: type === 'tmpfs' ? null : source, writable: isReadOnly === 'false' }];
  });
}

function nspawnMounts(words: readonly string[]): readonly Mounted[] {
  const unescaped = (text: string): string => text.replace(/\\(.)/gu, '$1');
  return words.flatMap((word): readonly Mounted[] => {
    const [, how = '', first = '', second = ''] =
      /^--(bind|bind-ro|tmpfs)=((?:[^:\\]|\\.)*)(?::(.*))?$/u.exec(word) ?? [];
    if (how === '') return [];
    return how === 'tmpfs'
      ? [{ target: unescaped(first), source: null, writable: true }]
      : [{ target: unescaped(second), source: unescaped(first), writable: how === 'bind' }];
  });
}

function startOf(root: Pick<ContainerRoot, 'mounts'>, more: Partial<ContainerStart> = {}) {
  return {
    id: 'interlock-box-1',
    hostname: 'one',
    root: '/state/one.root/root',
    mounts: root.mounts,
    launcher: '/package/launcher',
    network: 'none',
    limits: { processes: 100, memory: 0, fileSize: 0, cpuSeconds: 0, openFiles: 0 },
    user: null,
    pidFile: '/state/one.root/pid',
    ...more,
  } satisfies ContainerStart;
}

const work = '/home/me/work';
const system: readonly Entry[] = [
  { kind: 'bind', target: '/usr', source: '/usr' },
  { kind: 'link', target: '/bin', to: 'usr/bin' },
  { kind: 'file', target: '/etc/hostname', content: 'one' },
  { kind: 'tmpfs', target: '/tmp', options: 'size=64m,mode=1777' },
  { kind: 'tmpfs', target: '/home/me', options: 'size=64m,mode=0700' },
];

const roots: Readonly<Record<string, readonly Entry[]>> = {
  'the system read-only, and folders in memory': system,
  'a workspace in a home folder in memory, whose secrets are empty': [
    ...system,
    { kind: 'bind', target: work, source: work, writable: true },
    { kind: 'file', target: `${work}/.env`, content: '' },
  ],
  'what steers, read-only in a workspace that is written': [
    ...system,
    { kind: 'bind', target: work, source: work, writable: true },
    { kind: 'bind', target: `${work}/.git`, source: `${work}/.git` },
    { kind: 'bind', target: `${work}/Makefile`, source: `${work}/Makefile` },
  ],
  'a folder of the workspace that is hidden': [
    ...system,
    { kind: 'bind', target: work, source: work, writable: true },
    { kind: 'tmpfs', target: `${work}/.git`, options: 'size=4k,mode=0555' },
  ],
  'what a later mount lies over': [
    ...system,
    { kind: 'bind', target: '/home/me/work', source: '/cache', writable: true },
    { kind: 'bind', target: '/home/me', source: '/home/me' },
  ],
  'files that the first process puts into memory': [
    ...system,
    { kind: 'tmpfs', target: '/run/interlock', options: 'size=256k,mode=0700' },
    { kind: 'file', target: '/run/interlock/key', content: 'a secret' },
  ],
  'a place that is left out where it is not there': [
    ...system,
    { kind: 'bind', target: work, source: work, writable: true },
    { kind: 'bind', target: `${work}/.idea`, source: `${work}/.idea`, ifPresent: true },
  ],
  'a place whose name an engine would read': [
    ...system,
    { kind: 'bind', target: '/opt/a:b', source: '/opt/a:b', writable: true },
  ],
};

describe.each(Object.entries(roots))('the root of a box with %s', (_, entries) => {
  const root = containerRoot(entries, host);
  const there = entries.filter(
    (entry) =>
      entry.kind !== 'bind' || entry.ifPresent !== true || host.kindOf(entry.source) !== null,
  );
  const places = there.flatMap(({ kind, target }) =>
    kind === 'bind' || kind === 'tmpfs' ? [target, `${target}/inside`] : [target],
  );
  const expected = Object.fromEntries(places.map((path) => [path, seenByLauncher(there, path)]));
  const seen = (mounts: readonly Mounted[]) =>
    Object.fromEntries(places.map((path) => [path, seenInContainer(mounts, root, path)]));

  it('is by podman what it is by our own launcher', () => {
    expect(seen(podmanMounts(podmanWords(startOf(root))))).toEqual(expected);
  });

  it('is by systemd-nspawn what it is by our own launcher', () => {
    expect(seen(nspawnMounts(nspawnWords(startOf(root))))).toEqual(expected);
  });

  it('has a place for each mount of it', () => {
    const made = [...root.folders, ...root.files.map(({ target }) => target)];
    const outer = root.mounts.filter(
      ({ target }) =>
        !root.mounts.some((one) => one.target !== target && isAtOrBelow(target, one.target)),
    );
    expect(made).toEqual(expect.arrayContaining(outer.map(({ target }) => target)));
  });
});

test('no content that the first process puts there is in a word of an engine, or in its folder', () => {
  const root = containerRoot(
    [
      { kind: 'tmpfs', target: '/run/interlock', options: 'mode=0700' },
      { kind: 'file', target: '/run/interlock/key', content: 'a secret' },
    ],
    host,
  );
  const words = [...podmanWords(startOf(root)), ...nspawnWords(startOf(root))];
  expect(JSON.stringify([words, root.files, root.folders])).not.toContain('a secret');
});

test.each([
  [
    'a layer over a folder',
    { kind: 'overlay', target: '/a', lower: '/cache', upper: '/u', work: '/w' },
  ],
  [
    'a file of its own in a folder of the person',
    { kind: 'file', target: `${work}/.env`, content: 'x' },
  ],
  ['a file in the place of a folder', { kind: 'file', target: `${work}/.git`, content: '' }],
  ['a link in a folder of the person', { kind: 'link', target: `${work}/link`, to: '/' }],
  ['a folder where none is', { kind: 'tmpfs', target: `${work}/none`, options: 'mode=0700' }],
  ['a place that is not there', { kind: 'bind', target: `${work}/none`, source: '/none' }],
] as const)('an engine is given no box with %s', (_, entry) => {
  const workspace = { kind: 'bind', target: work, source: work, writable: true } as const;
  expect(() => containerRoot([...system, workspace, entry], host)).toThrow('No box was made');
});

test.each(['/a,readonly=false', '/a"b', '/a\nb'])(
  'podman is given no place with a name that it would read as more: %j',
  (path) => {
    const mounts = [{ kind: 'bind', target: path, source: path, writable: false }] as const;
    expect(() => podmanWords(startOf({ mounts }))).toThrow('No box was made');
  },
);

test('each engine begins our launcher alone, held and without a network where the box has none', () => {
  const of = (more: Partial<ContainerStart>) => startOf({ mounts: [] }, more);
  const podman = podmanWords(of({}));
  expect(podman.slice(-3)).toEqual(['--rootfs', '/state/one.root/root', program]);
  expect(podman.join(' ')).toContain('--network none');
  expect(podman.join(' ')).toContain('--security-opt no-new-privileges');
  expect(podmanWords(of({ network: 'full' })).join(' ')).toContain('--network host');
  expect(podmanWords(of({ user: { uid: 1_000, gid: 1_001 } })).join(' ')).toContain(
    '--userns keep-id --user 1000:1001',
  );
  const nspawn = nspawnWords(of({}));
  expect(nspawn.at(-1)).toBe(program);
  expect(nspawn).toContain('--private-network');
  expect(nspawn).toContain('--no-new-privileges=yes');
  expect(nspawnWords(of({ network: 'full' }))).not.toContain('--private-network');
  for (const words of [podman, nspawn]) expect(words.join(' ')).toContain('/package/launcher');
});
