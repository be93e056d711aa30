import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createBoxDoors, runRequestOf } from '../../../runner/ingress/box-door.ts';
import type { ExecIncoming } from '../../../runner/gate/request-context.ts';
import type { GateIo } from '../../../runner/hosts/host.ts';
import { packageRoot } from '../../../runner/version.ts';
import { clientPath } from '../../../shared/agents/index.ts';
import { refusalOf } from '../../../shared/base/index.ts';
import type { RefusalError } from '../../../shared/base/index.ts';
import { temporaryFolder } from '../hosts/support.ts';
import { canBox, home, inBox } from './support.ts';

const client = join(packageRoot(), clientPath);
const waiting = 'interlock: waiting for a person to decide\n';

/** What a call asks for, or the refusal. */
function read(words: readonly string[], more: { cwd?: string; stdin?: string } = {}) {
  const workspace = temporaryFolder();
  try {
    const call = { cwd: workspace, argv: ['interlock', ...words], env: {}, ...more };
    const { cwd, ...request } = runRequestOf(call, workspace).request;
    return { ...request, isInWorkspace: cwd.startsWith(workspace) };
  } catch (error) {
    return refusalOf(error)?.message ?? String(error);
  }
}

describe('what a box asks for', () => {
  it('is a program on the machine itself about which a person is asked, with what the options say', () => {
    expect(read(['run', '--', 'ls', '-l'])).toEqual({
      host: 'gateway',
      ask: 'always',
      argv: ['ls', '-l'],
      isInWorkspace: true,
    });
    expect(read(['run', '--reason', 'why', '--timeout', '5m', 'npm', 'run', '--silent'])).toEqual({
      host: 'gateway',
      ask: 'always',
      argv: ['npm', 'run', '--silent'],
      statedReason: 'why',
      timeoutMs: 300_000,
      isInWorkspace: true,
    });
    expect(
      read(['run', '--env', 'A=b=c', '--stdin', '-c', 'cat | wc'], {
        stdin: 'aGk=',
      }),
    ).toEqual({
      host: 'gateway',
      ask: 'always',
      command: 'cat | wc',
      env: { A: 'b=c' },
      stdin: 'aGk=',
      isInWorkspace: true,
    });
  });

  it.each([
    [['status'], 'nothing but "run"'],
    [[], 'nothing but "run"'],
    [['run'], 'either a program'],
    [['run', '-c', 'ls', '--', 'ls'], 'either a program'],
    [['run', '--agent', 'main', '--', 'ls'], '--agent'],
    [['run', '--key', '/k', '--', 'ls'], '--key'],
    [['run', '--session', 'x', '--', 'ls'], '--session'],
    [['run', '--host', 'tools', '--', 'gh'], '--host'],
    [['run', '--ask', 'off', '--', 'ls'], '--ask'],
    [['run', '--cwd', '/', '--', 'ls'], 'only its workspace'],
    [['run', '--cwd', '..', '--', 'ls'], 'only its workspace'],
    [['run', '--env', 'A', '--', 'ls'], 'NAME=VALUE'],
    [['run', '--timeout', 'soon', '--', 'ls'], 'not a duration'],
  ] as const)('is refused as %j', (words, why) => {
    expect(read(words)).toContain(why);
  });
});

describe('a command that a box asks for', () => {
  it.each<[string, string[], boolean]>([
    ['by its name', ['--', 'cat', 'note'], true],
    ['behind an option', ['--', 'curl', '--data=@note'], true],
    ['glued to an option', ['--', 'gh', '-Fnote'], true],
    ['by its whole path', ['--', 'cat', '$WORKSPACE/note'], true],
    ['in a variable', ['--env', 'FILE=note', '--', 'env'], true],
    ['in a text', ['-c', 'cat <note; wc "sub/../note"'], true],
    ['as a folder', ['--cwd', 'sub', '--', 'ls'], true],
    ['not at all', ['--', 'ls', '-l'], false],
  ])('does not start where a link took the place of what it names %s', (_, words, isNamed) => {
    for (const exchange of ['link', 'file', 'nothing'] as const) {
      const workspace = temporaryFolder();
      const other = temporaryFolder();
      mkdirSync(join(workspace, 'sub'));
      for (const folder of [workspace, other]) writeFileSync(join(folder, 'note'), folder);
      const argv = words.map((word) => word.replace('$WORKSPACE', workspace));
      const call = { cwd: workspace, argv: ['interlock', 'run', ...argv], env: {} };
      const { starting } = runRequestOf(call, workspace);
      if (exchange === 'link')
        for (const name of ['note', 'sub']) {
          rmSync(join(workspace, name), { recursive: true });
          symlinkSync(join(other, name === 'sub' ? '' : name), join(workspace, name));
        }
      // What it writes itself, and what it makes, is its own.
      if (exchange === 'file') writeFileSync(join(workspace, 'note'), 'other words');
      let refused: string | null = null;
      try {
        starting();
      } catch (error) {
        refused = refusalOf(error)?.code ?? String(error);
      }
      expect([exchange, refused]).toEqual([
        exchange,
        exchange === 'link' && isNamed ? 'policy-deny' : null,
      ]);
    }
  });

  it('does not start where what was not there is a link out by then', () => {
    const workspace = temporaryFolder();
    const other = temporaryFolder();
    const argv = ['interlock', 'run', '-c', 'ls >new; cat later'];
    const { starting } = runRequestOf({ cwd: workspace, argv, env: {} }, workspace);
    writeFileSync(join(workspace, 'new'), '');
    expect(starting()).toBeNull();
    symlinkSync(other, join(workspace, 'later'));
    expect(starting).toThrow('leads somewhere else');
  });
});

/** A box and its door, with a gate that answers with what it was asked. */
async function asking() {
  const made = home();
  const { boxes, records, paths, workspace, keys } = made;
  mkdirSync(paths.toolsDirectory, { recursive: true, mode: 0o700 });
  writeFileSync(
    join(paths.toolsDirectory, 'hello.yaml'),
    "version: 1\ntool: hello\nfolder: private\ncredentials: []\nallow: [{ args: [to, '...'] }]\nconfirm: []\nothers: refused\n",
    { mode: 0o600 },
  );
  execFileSync('mkdir', [join(workspace, 'sub')]);
  const asked: ExecIncoming[] = [];
  const exec = async (incoming: ExecIncoming, io: GateIo) => {
    asked.push(incoming);
    const id = '1';
    let text = '';
    await io.emit({ type: 'pending', id, askId: 'a', expiresAt: 0 });
    try {
      text = `${String(await incoming.prove?.())} asks`;
    } catch (error) {
      await io.emit({ type: 'refused', id, refusal: (error as RefusalError).refusal });
      return {} as never;
    }
    await io.emit({ type: 'stdout', id, encoding: 'utf8', data: text });
    const end = { type: 'finished', id, exitCode: 7, signal: null, durationMs: 1 } as const;
    await io.emit({ ...end, stdout: '', stderr: '', truncated: false } as never);
    return {} as never;
  };
  const openDoors = () =>
    createBoxDoors({
      policies: paths.toolsDirectory,
      uid: made.options.uid,
      path: ['/usr/bin', '/bin'],
      gate: () => ({ exec }),
      principals: {
        key: async (name) => Promise.resolve(keys.has(name) ? new Uint8Array(32) : null),
      },
      log: { warn: () => {} },
    });
  const open = async (name = 'one', keeper = records.read(name)?.keeper?.pid ?? 0) => {
    const doors = openDoors();
    const close = await doors.open({
      name,
      workspace,
      history: null,
      uid: made.options.uid,
      keeper,
      folder: records.doorOf(name),
    });
    onTestFinished(() => {
      close();
      doors.dispose();
    });
    return close;
  };
  await boxes.up({ name: 'one', templateName: 'isolated', workspace });
  return { ...made, asked, open };
}

/** Calls at a socket, and takes what comes back until the end. */
async function knock(path: string): Promise<{ isConnected: boolean; text: string }> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    const heard = { isConnected: false, text: '' };
    socket.on('connect', () => {
      heard.isConnected = true;
      socket.write('POST /call HTTP/1.0\r\ncontent-length: 2\r\n\r\n{}');
    });
    socket.on('data', (chunk: Buffer) => (heard.text += chunk.toString()));
    socket.on('error', () => {});
    socket.on('close', () => resolve(heard));
  });
}

describe.runIf(canBox && existsSync(client))('the door of a box', () => {
  it('brings what it asks for to the gate in its own name, also after the runner began anew', async () => {
    const { boxes, workspace, asked, open, keys, records } = await asking();
    const ask = async () => inBox(boxes, 'one', 'sh', '-c', 'interlock run --reason x -- ls 2>&1');
    expect((await ask()).text).toContain('the way out of the sandbox to the runner is closed');
    const close = await open();
    expect(await ask()).toEqual({ code: 7, text: `${waiting}box-one asks` });
    close();
    await open();
    expect(
      await inBox(boxes, 'one', 'sh', '-c', 'cd sub && interlock run -c "ls | wc" 2>&1'),
    ).toEqual({
      code: 7,
      text: `${waiting}box-one asks`,
    });
    // A tool says nothing but what it says outside.
    expect(await inBox(boxes, 'one', 'hello', 'to', 'all')).toEqual({
      code: 7,
      text: 'box-one asks',
    });
    expect(asked.map(({ request }) => request)).toEqual([
      {
        agent: 'box-one',
        session: 'one',
        host: 'gateway',
        ask: 'always',
        cwd: workspace,
        argv: ['ls'],
        statedReason: 'x',
      },
      {
        agent: 'box-one',
        session: 'one',
        host: 'gateway',
        ask: 'always',
        cwd: join(workspace, 'sub'),
        command: 'ls | wc',
      },
      {
        agent: 'box-one',
        session: 'one',
        host: 'tools',
        cwd: workspace,
        argv: ['hello', 'to', 'all'],
      },
    ]);
    // Nothing but the door is there: no key, and none of the places of the home.
    expect(await inBox(boxes, 'one', 'ls', '/run/interlock-tools/gate')).toMatchObject({
      text: 'door',
    });
    expect(
      (await inBox(boxes, 'one', 'sh', '-c', 'echo > /run/interlock-tools/gate/x')).text,
    ).toContain('Read-only');
    // Whose key was taken away is nobody.
    keys.clear();
    expect((await ask()).text).toContain('was taken away');
    keys.add('box-one');
    await boxes.stop('one');
    expect(existsSync(records.doorOf('one'))).toBe(false);
    await boxes.down('one');
    expect(readdirSync(records.directory)).toEqual(['.changed']);
  });

  it('is shut for whoever is in no box, and in another one', async () => {
    const made = await asking();
    const { boxes, workspace, records, open, asked } = made;
    await open();
    const door = join(records.doorOf('one'), 'door');
    // Connected, and closed with no word of an answer.
    expect(await knock(door)).toEqual({ isConnected: true, text: '' });
    await boxes.up({ name: 'two', templateName: 'isolated', workspace });
    const inTwo = await inBox(boxes, 'two', 'interlock', 'run', '--', 'ls');
    expect(inTwo.text).toContain('is closed');
    // The folder of its door is there, and it is not the one whose door this is.
    await open('two', records.read('one')?.keeper?.pid);
    expect((await inBox(boxes, 'two', 'interlock', 'run', '--', 'ls')).text).toContain('is closed');
    expect(asked).toEqual([]);
  });
});
