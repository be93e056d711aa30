import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { askedFor, doorText, serveGateway } from '../../../runner/cli/box/gateway.ts';
import type { GatewayPorts } from '../../../runner/cli/box/gateway.ts';
import {
  emptyPicker,
  keysOf,
  pickerLines,
  press,
  withBoxes,
} from '../../../runner/cli/box/picker.ts';
import type { PickerBox } from '../../../runner/cli/box/picker.ts';
import type { Io } from '../../../runner/cli/io.ts';
import { echoing, hasSshd, openDoor, sshd } from './ssh-support.ts';

const box = (name: string, more: Partial<PickerBox> = {}): PickerBox => ({
  name,
  template: 'claude',
  state: 'running',
  locked: false,
  startedAt: 0,
  attached: 0,
  ...more,
});

describe('what somebody who comes over ssh may ask for', () => {
  it.each([undefined, ''])('is the list with %j', (command) => {
    expect(askedFor(command)).toBeNull();
  });

  it('is one box by its name', () => {
    expect(askedFor('fix-7')).toBe('fix-7');
  });

  it.each([
    'fix; id',
    'fix --json',
    ' fix',
    'fix\n',
    '$(id)',
    '--help',
    '-c',
    'scp -t /tmp',
    'internal-sftp ',
    'git-upload-pack x',
    '../x',
    'Fix',
    'ﬁx',
    'x'.repeat(33),
  ])('is nothing else: %j', (command) => {
    expect(() => askedFor(command)).toThrow('This door leads to boxes only');
  });
});

describe('the list of boxes', () => {
  const boxes = [box('one'), box('two', { state: 'stopped', startedAt: null }), box('three')];
  const state = withBoxes(emptyPicker, boxes);
  const after = (...keys: readonly string[]) => {
    let now = { state, act: null as ReturnType<typeof press>['act'] };
    for (const key of keys) now = press(now.state, key);
    return now;
  };

  it('is walked through by arrows and letters, and stops at its ends', () => {
    expect(after('j', '\u001B[B', 'j', 'j').state.marked).toBe('three');
    expect(after('j', 'k', '\u001B[A').state.marked).toBe('one');
    expect(keysOf('j\u001B[Bk\u001BOA\r')).toEqual(['j', '\u001B[B', 'k', '\u001BOA', '\r']);
  });

  it('keeps its mark on a box whatever comes and goes around it', () => {
    const marked = after('j').state;
    expect(withBoxes(marked, [box('new'), ...boxes]).marked).toBe('two');
    expect(withBoxes(marked, [box('new')]).marked).toBe('new');
    expect(withBoxes(marked, []).marked).toBeNull();
  });

  it('ends a box only with a second, other key', () => {
    expect(after('j', 'd').act).toBeNull();
    expect(after('j', 'd', 'y').act).toEqual({ kind: 'down', name: 'two' });
    for (const key of ['d', '\r', 'Y', '\u0003', 'q']) expect(after('j', 'd', key).act).toBeNull();
    expect(after('j', 'd', 'x', 'y').act).toBeNull();
  });

  it('attaches, makes, and is left', () => {
    expect(after('\r').act).toEqual({ kind: 'attach', name: 'one' });
    expect(after('n').act).toEqual({ kind: 'new' });
    for (const key of ['q', '\u0003', '\u0004']) expect(after(key).act).toEqual({ kind: 'quit' });
    expect(press(emptyPicker, '\r').act).toBeNull();
  });

  it('shows name, template, state, age and who is there, within the width', () => {
    const lines = pickerLines(
      withBoxes(emptyPicker, [
        box('one', { attached: 2 }),
        box('two', { startedAt: null, state: 'stopped' }),
        box('three', { startedAt: null, state: 'stopped', locked: true }),
      ]),
      { now: 3 * 3_600_000, columns: 60 },
    );
    expect(lines.slice(2, 5)).toEqual([
      '> one    claude        running       3h  2 attached',
      '  two    claude        stopped',
      '  three  claude        locked',
    ]);
    expect(pickerLines(state, { now: 0, columns: 10 }).every((line) => line.length <= 10)).toBe(
      true,
    );
  });
});

describe('the door', () => {
  const terminal = () => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
    const io = {
      env: {},
      stdin,
      stdout,
      stderr: stdout,
      now: () => 0,
      onSignal: () => () => undefined,
    };
    return { io: io as unknown as Io, stdin, stdout };
  };
  const portsOf = (done: string[]): GatewayPorts => ({
    boxes: async () => [box('one'), box('two')],
    attach: async (name) => done.push(`attach ${name}`),
    down: async (name) => void done.push(`down ${name}`),
    make: async () => {
      done.push('make');
      return 'three';
    },
  });

  it('goes on with the list after each thing that was done, until it is left', async () => {
    const { io, stdin } = terminal();
    const done: string[] = [];
    const type = ['\r', 'j', 'd', 'y', 'n', 'q'];
    const ports = portsOf(done);
    const feed = setInterval(() => stdin.write(type.shift() ?? 'q'), 5);
    expect(await serveGateway(io, null, ports)).toBe(0);
    clearInterval(feed);
    expect(done).toEqual(['attach one', 'down two', 'make', 'attach three']);
  });

  it('is refused without a terminal', async () => {
    const { io, stdin } = terminal();
    stdin.isTTY = false;
    await expect(serveGateway(io, 'one', portsOf([]))).rejects.toThrow('needs a terminal');
  });

  it('is printed with its words quoted for each of its places', () => {
    const text = doorText({
      command: ['/usr/bin/node', '/opt/it"s mine/main.js'],
      user: 'me',
      home: '/h',
      port: 2222,
    });
    expect(text).toContain(
      `ForceCommand env INTERLOCK_HOME=/h /usr/bin/node '/opt/it"s mine/main.js' box gateway\n`,
    );
    expect(text).toContain(
      `command="env INTERLOCK_HOME=/h /usr/bin/node '/opt/it\\"s mine/main.js' box gateway" `,
    );
    expect(text).toContain('Match LocalPort 2222\n  AllowUsers me\n');
  });

  it.skipIf(!hasSshd)(
    'is opened by a real sshd for one key, which gets nothing but the door',
    () => {
      const { folder, config, text, user, ssh } = openDoor(echoing, null);
      expect(ssh('fix').stdout).toBe('asked: <fix>\n');
      expect(ssh().stdout).toBe('asked: <>\n');
      expect(ssh('cat', '/etc/passwd; id').stdout).toBe('asked: <cat /etc/passwd; id>\n');
      expect(ssh('-W', '127.0.0.1:22').status).not.toBe(0);
      const parsed = join(folder, 'parsed');
      const rest = text.slice(text.indexOf('Port 22\n'), text.indexOf('\n# 3.'));
      writeFileSync(parsed, `${config}${rest}`);
      const about = `user=${user},host=h,addr=127.0.0.1,laddr=127.0.0.1,lport=2222`;
      const given = ['-T', '-f', parsed, '-C', about];
      const effective = execFileSync(sshd, given, { encoding: 'utf8' });
      expect(effective).toContain(`forcecommand ${folder}/door box gateway`);
      expect(effective).toContain('disableforwarding yes');
    },
  );
});
