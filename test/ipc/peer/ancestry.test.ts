import { describe, expect, it } from 'vitest';
import { ancestryOf } from '../../../shared/ipc/ancestry.ts';
import type { ProcessLookup, ProcessRow } from '../../../shared/ipc/ancestry.ts';
import { linuxLookup, psLookup } from '../../../shared/ipc/ancestry.ts';

const table =
  (rows: readonly ProcessRow[]): ProcessLookup =>
  (pid) =>
    Promise.resolve(rows.find((row) => row.pid === pid) ?? null);

const names = async (pid: number, rows: readonly ProcessRow[]): Promise<string[]> =>
  (await ancestryOf(pid, table(rows))).map(({ name }) => name);

const row = (pid: number, parent: number, name: string, command = name): ProcessRow => ({
  pid,
  parent,
  name,
  command,
});

describe('the ancestry of a process', () => {
  it('goes from the process up to its terminal, and no further', async () => {
    const rows = [
      row(40, 30, 'git'),
      row(30, 20, 'node'),
      row(20, 10, 'bash'),
      row(10, 5, 'kitty'),
      row(5, 1, 'gnome-shell'),
    ];
    expect(await names(40, rows)).toEqual(['git', 'node', 'bash', 'kitty']);
  });

  it('leaves init out, unless init is the one who asks', async () => {
    const rows = [row(20, 1, 'agent'), row(1, 0, 'systemd')];
    expect(await names(20, rows)).toEqual(['agent']);
    expect(await names(1, rows)).toEqual(['systemd']);
  });

  it('ends where a process is gone, where it goes in circles, and after sixteen', async () => {
    expect(await names(7, [row(7, 6, 'orphan')])).toEqual(['orphan']);
    expect(await names(9, [])).toEqual([]);
    expect(await names(3, [row(3, 4, 'a'), row(4, 3, 'b')])).toEqual(['a', 'b']);
    const long = Array.from({ length: 60 }, (_, index) => row(100 + index, 101 + index, 'sh'));
    expect(await names(100, long)).toHaveLength(16);
  });

  it('shows long command lines cut, on one line', async () => {
    const [shown] = await ancestryOf(5, table([row(5, 1, 'sh', `sh -c\n${'x'.repeat(5_000)}`)]));
    expect(shown?.command).toHaveLength(200);
    expect(shown?.command).toMatch(/^sh -c x+…$/);
  });

  it('shows no control and no direction characters', async () => {
    const [shown] = await ancestryOf(5, table([row(5, 1, 'a\u202Eb', 'x\u001b[31m\u0007')]));
    expect(`${shown?.name ?? ''}${shown?.command ?? ''}`).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it.runIf(process.platform === 'linux')('reads the real chain of this process', async () => {
    const [self, parent] = await ancestryOf(process.pid);
    expect(self?.pid).toBe(process.pid);
    expect(self?.command).toContain('node');
    expect(parent?.pid).toBe(process.ppid);
    expect(await linuxLookup('/nowhere')(process.pid)).toBeNull();
  });

  it('reads the listings of ps, whatever a path holds', async () => {
    const lookup = psLookup({
      names: '    1     0 /sbin/launchd\n  501     1 /Applications/My App.app/MacOS/My App\n',
      commands: '    1 /sbin/launchd\n  501 /Applications/My App.app/MacOS/My App --flag\n',
    });
    expect(await lookup(501)).toEqual({
      pid: 501,
      parent: 1,
      name: 'My App',
      command: '/Applications/My App.app/MacOS/My App --flag',
    });
    expect(await lookup(7)).toBeNull();
  });
});
