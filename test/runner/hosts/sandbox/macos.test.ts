import { describe, expect, test } from 'vitest';
import {
  containerCommand,
  seatbeltCommand,
  seatbeltProfile,
} from '../../../../runner/hosts/sandbox/macos.ts';
import type { MacSurroundings } from '../../../../runner/hosts/sandbox/macos.ts';
import type { Entry } from '../../../../runner/hosts/sandbox/message.ts';
import type { Box } from '../../../../runner/hosts/sandbox/root.ts';

/** Nothing here was ever run on macOS: what is tested is what would be started. */
const ws = '/Users/ann/work/app';
const entries: readonly Entry[] = [
  { kind: 'bind', target: '/usr', source: '/usr', ifPresent: true },
  { kind: 'bind', target: ws, source: ws, writable: true },
  { kind: 'bind', target: `${ws}/.git/hooks`, source: `${ws}/.git/hooks` },
  { kind: 'bind', target: '/Users/ann/.gitconfig', source: '/Users/ann/.gitconfig' },
  { kind: 'file', target: `${ws}/conf/.env`, content: '' },
  { kind: 'tmpfs', target: `${ws}/.keys`, options: 'size=4k' },
  { kind: 'tmpfs', target: '/tmp', options: 'size=1m' },
];
const box: Box = {
  workspace: ws,
  owner: { uid: 501, gid: 20, name: 'ann', home: '/Users/ann' },
  entries,
};
const around: MacSurroundings = {
  temporary: '/private/tmp/one',
  ownHome: '/Users/ann/.interlock',
  network: 'none',
  realPath: (path) => path,
};
const profileOf = (changes: Partial<MacSurroundings> = {}, more: readonly Entry[] = []): string =>
  seatbeltProfile({ ...box, entries: [...entries, ...more] }, { ...around, ...changes });

/** The rules that speak of a path for an operation, in their order: the last one holds. */
function verdict(profile: string, operation: string, path: string): string {
  let last = 'deny';
  for (const line of profile.split('\n')) {
    const [, act = '', operations = '', filters = ''] =
      /^\((allow|deny) ([a-z*\- ]+?)( \(.*|\))$/.exec(line) ?? [];
    const speaks = operations
      .split(' ')
      .some(
        (one) => one === operation || (one.endsWith('*') && operation.startsWith(one.slice(0, -1))),
      );
    if (!speaks) continue;
    const all = [...filters.matchAll(/\((subpath|literal) "([^"]*)"\)/g)];
    const fits = all.some(([, kind, at = '']) =>
      kind === 'literal' ? path === at : path === at || path.startsWith(`${at}/`),
    );
    if (all.length === 0 || fits) last = act;
  }
  return last;
}

describe('a Seatbelt profile', () => {
  const profile = profileOf();

  test.each([
    ['file-read-data', '/usr/bin/env', 'allow'],
    ['file-read-data', `${ws}/src/a.ts`, 'allow'],
    ['file-read-data', '/Users/ann/.gitconfig', 'allow'],
    ['file-read-data', '/Users/ann/.ssh/id_ed25519', 'deny'],
    ['file-read-data', '/Users/bob/notes', 'deny'],
    ['file-read-data', '/Volumes/backup/x', 'deny'],
    ['file-read-data', '/private/tmp/other', 'deny'],
    ['file-read-data', '/private/tmp/one/x', 'allow'],
    ['file-read-data', `${ws}/conf/.env`, 'deny'],
    ['file-read-data', `${ws}/.keys/a`, 'deny'],
    ['file-read-data', '/Users/ann/.interlock/exec-approvals.json', 'deny'],
    ['file-write-data', `${ws}/src/a.ts`, 'allow'],
    ['file-write-data', `${ws}/.git/hooks/pre-commit`, 'deny'],
    ['file-write-data', `${ws}/conf/.env`, 'deny'],
    ['file-write-unlink', `${ws}/conf`, 'deny'],
    ['file-write-unlink', `${ws}/.git`, 'deny'],
    ['file-write-create', `${ws}/.git/hooks`, 'deny'],
    ['file-write-unlink', `${ws}/src`, 'allow'],
    ['file-write-data', '/Users/ann/.zshrc', 'deny'],
    ['file-write-data', '/usr/local/bin/x', 'deny'],
    ['file-write-data', '/private/tmp/one/x', 'allow'],
    ['file-write-data', '/private/tmp/other', 'deny'],
    ['file-read-metadata', '/Users/ann/work', 'allow'],
    ['file-read-metadata', '/Users/ann/.ssh', 'deny'],
  ])('has %s of %s as %s', (operation, path, expected) => {
    expect(verdict(profile, operation, path)).toBe(expected);
  });

  test('begins with nothing and opens no network that was not asked for', () => {
    expect(profile.split('\n').slice(0, 2)).toEqual(['(version 1)', '(deny default)']);
    expect(profile).not.toContain('network');
    expect(profileOf({ network: 'restricted', proxyPort: 9 })).toContain(
      '(allow network-outbound (remote ip "localhost:9"))',
    );
    expect(() => profileOf({ network: 'restricted' })).toThrow('no filtered network');
    expect(profileOf({ network: 'full' })).toContain('(allow network* system-socket)');
  });

  test('has no rule without a filter but those that are meant for all', () => {
    const bare = profile.split('\n').filter((line) => !/ \(/.test(line));
    expect(bare).toEqual([
      '(version 1)',
      '(deny default)',
      '(allow process-exec process-fork)',
      '(allow sysctl-read)',
      '(allow ipc-posix-sem)',
      '(allow file-read*)',
    ]);
  });

  test('names a path so that it cannot end its own string', () => {
    const source = '/Users/ann/a") (allow default) ("\\';
    const line = profileOf({}, [{ kind: 'bind', target: source, source, writable: true }])
      .split('\n')
      .find((one) => one.startsWith('(allow file-write*'));
    expect(line).toContain('(subpath "/Users/ann/a\\") (allow default) (\\"\\\\")');
  });

  test.each([`/Users/ann/${'x'.repeat(1020)}`, '/Users/ann/a\nb', '/Users/ann/\ud800'])(
    'refuses a path that it cannot name',
    (source) => {
      const more: Entry = { kind: 'bind', target: source, source };
      expect(() => profileOf({}, [more])).toThrow('cannot name');
    },
  );

  test('compares real paths', () => {
    const realPath = (path: string): string => (path.startsWith('/tmp') ? `/private${path}` : path);
    const linked = profileOf({ temporary: '/tmp/one', realPath });
    expect(verdict(linked, 'file-write-data', '/private/tmp/one/x')).toBe('allow');
  });

  test('comes with a command whose own words stay apart from it', () => {
    expect(seatbeltCommand('P', { file: '/bin/sh', argv0: 'sh', args: ['-c', 'x; y'] })).toEqual({
      file: '/usr/bin/sandbox-exec',
      argv0: '/usr/bin/sandbox-exec',
      args: ['-p', 'P', '/bin/sh', '-c', 'x; y'],
    });
  });
});

describe('a virtual machine', () => {
  const command = {
    file: '/bin/sh',
    argv0: 'sh',
    args: ['-c', 'echo $TOKEN'],
    cwd: ws,
    env: { TOKEN: 'very-secret', HOME: '/Users/ann' },
    tells: false,
  };
  const options = {
    container: '/usr/local/bin/container',
    name: 'interlock-1',
    image: 'node:22-slim',
    network: 'none',
    size: { memoryBytes: 2 * 1024 ** 3, processes: 512, cpus: 4 },
  } as const;

  const shown = { ...box, entries: entries.filter(({ kind }) => kind === 'bind') };

  test('sees the workspace and what was given, and not the system of this one', () => {
    const { args } = containerCommand(shown, command, options);
    const mounts = args.filter((_, index) => args[index - 1] === '--mount');
    expect(mounts).toEqual([
      `type=bind,source=${ws},target=${ws}`,
      `type=bind,source=${ws}/.git/hooks,target=${ws}/.git/hooks,readonly`,
      'type=bind,source=/Users/ann/.gitconfig,target=/Users/ann/.gitconfig,readonly',
    ]);
    expect(args.slice(0, 6)).toEqual([
      'run',
      '--rm',
      '--interactive',
      '--init',
      '--name',
      'interlock-1',
    ]);
    expect(args.slice(-4)).toEqual(['/bin/sh', 'node:22-slim', '-c', 'echo $TOKEN']);
    expect(args.join(' ')).toContain(
      '--memory 2048M --cpus 4 --ulimit nproc=512 --uid 501 --gid 20',
    );
    expect(args.join(' ')).toContain('--cap-drop ALL --network none');
  });

  test('gets variables by name, so that no value stands on a command line', () => {
    const { args } = containerCommand(shown, command, options);
    expect(args.filter((_, index) => args[index - 1] === '--env')).toEqual(['TOKEN', 'HOME']);
    expect(args.join(' ')).not.toContain('very-secret');
  });

  test('is refused what it cannot do', () => {
    const filtered = { ...options, network: 'restricted' } as const;
    expect(() => containerCommand(shown, command, filtered)).toThrow('no filtered network');
    expect(() => containerCommand(box, command, options)).toThrow('hides no single file');
    const source = '/Users/ann/a,readonly=false';
    const odd = { ...box, entries: [{ kind: 'bind', target: source, source } as const] };
    expect(() => containerCommand(odd, command, options)).toThrow('cannot show');
  });
});
