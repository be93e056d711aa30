import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run, shell, temporaryFolder, ways } from './support.ts';

describe.each(ways)('a gateway that starts commands %s', (_, gateway) => {
  test('a command runs in its folder and its output and status come back', async () => {
    const cwd = temporaryFolder();
    const command = run(gateway(), shell('pwd; echo wrong >&2; exit 3', cwd));
    expect(await command.ended).toEqual({ ending: 'exited', exitCode: 3, signal: null });
    expect(command.output()).toEqual({ stdout: `${cwd}\n`, stderr: 'wrong\n' });
  });

  test('an argv runs without a shell, with the name it was called by', async () => {
    const command = run(gateway(), {
      ...shell(''),
      execution: {
        kind: 'argv',
        file: '/bin/bash',
        argv: ['my-name', '-c', 'echo "$0" "$1"', 'x', '$HOME'],
      },
    });
    await command.ended;
    expect(command.output().stdout).toBe('x $HOME\n');
  });

  test('standard input reaches the command, and a command that ignores it is no error', async () => {
    const host = gateway();
    const reads = run(host, shell('cat'), { stdin: Buffer.from('hello') });
    expect((await reads.ended).exitCode).toBe(0);
    expect(reads.output().stdout).toBe('hello');
    const ignores = run(host, shell('exit 0'), { stdin: Buffer.alloc(1_000_000) });
    expect((await ignores.ended).exitCode).toBe(0);
  });

  const inOrder = { oneStream: true, folder: false };

  test('both streams in one come out in the order in which they were written', async () => {
    const text = 'for i in 1 2 3; do echo "out $i"; echo "err $i" >&2; done; echo x > /dev/stderr';
    const command = run(gateway(), { ...shell(text), telling: inOrder });
    expect(await command.ended).toMatchObject({ exitCode: 0 });
    expect(command.output()).toEqual({
      stdout: 'out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\nx\n',
      stderr: '',
    });
  });

  test('a command opens its streams by their names, as pipes can be', async () => {
    const command = run(gateway(), shell('echo a > /dev/stdout; echo b > /dev/stderr'));
    await command.ended;
    expect(command.output()).toEqual({ stdout: 'a\n', stderr: 'b\n' });
  });

  test('where no program can be started, no descriptor is left open', async () => {
    const open = (): number => readdirSync('/proc/self/fd').length;
    const argv = { kind: 'argv', file: '/nonexistent/x', argv: ['x'] } as const;
    const once = async (): Promise<void> => {
      const task = { ...shell(''), execution: argv, telling: inOrder };
      expect((await run(gateway(), task).ended).exitCode).toBe(127);
    };
    await once();
    const before = open();
    for (let at = 0; at < 5; at += 1) await once();
    await expect.poll(open).toBe(before);
  });

  test.each([
    ['cd sub', 'sub'],
    ['cd sub && cd ..', ''],
    ['(cd sub)', ''],
    ['cd sub; sleep 60 & { sleep 60; echo; } &', 'sub'],
    ['cd sub; false', null],
    ['cd sub; exit 0', null],
    ['cd sub; echo /forged >&3', null],
    ['if', null],
  ])('the folder in which "%s" ended is told', async (text, where) => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'sub'));
    const telling = { oneStream: false, folder: true };
    const { folder } = await run(gateway(), { ...shell(text, cwd), telling }).ended;
    expect(folder).toBe(where === null ? undefined : join(cwd, where).replace(/\/$/u, ''));
  });

  test('without standard input the command sees its end at once', async () => {
    const command = run(gateway(), shell('cat; echo done'));
    await command.ended;
    expect(command.output().stdout).toBe('done\n');
  });

  test('the environment of the runner is not inherited, and INTERLOCK_* cannot be set', async () => {
    process.env['BASH_ENV'] = '/tmp/evil';
    process.env['LEAKED_SECRET'] = 'x';
    try {
      const command = run(gateway(), {
        ...shell('env'),
        env: { ASKED: 'yes', INTERLOCK_RUN_ID: 'forged', INTERLOCK_HOME: '/x' },
      });
      await command.ended;
      const names = command
        .output()
        .stdout.split('\n')
        .map((line) => line.split('=')[0]);
      expect(names).not.toContain('BASH_ENV');
      expect(names).not.toContain('LEAKED_SECRET');
      expect(names).not.toContain('INTERLOCK_HOME');
      expect(command.output().stdout).toContain('ASKED=yes\n');
      expect(command.output().stdout).toContain('INTERLOCK_RUN_ID=run-1\n');
    } finally {
      delete process.env['BASH_ENV'];
      delete process.env['LEAKED_SECRET'];
    }
  });

  test('a shell reads no start-up file', async () => {
    const home = temporaryFolder();
    const { writeFileSync } = await import('node:fs');
    writeFileSync(join(home, '.bashrc'), 'echo from-rc');
    writeFileSync(join(home, '.bash_profile'), 'echo from-profile');
    const command = run(gateway(), { ...shell('echo only'), env: { HOME: home } });
    await command.ended;
    expect(command.output().stdout).toBe('only\n');
  });

  test('a program that does not exist ends as a shell would end it: 127', async () => {
    const host = gateway();
    const unknown = run(host, { ...shell(''), execution: { kind: 'missing', name: 'nosuch' } });
    expect(await unknown.ended).toEqual({ ending: 'exited', exitCode: 127, signal: null });
    expect(unknown.output().stderr).toBe('interlock: nosuch: command not found\n');
    const gone = run(host, {
      ...shell(''),
      execution: { kind: 'argv', file: '/nowhere/prog', argv: ['prog'] },
    });
    expect((await gone.ended).exitCode).toBe(127);
  });

  test('a file that may not be executed ends with 126', async () => {
    const command = run(gateway(), {
      ...shell(''),
      execution: { kind: 'argv', file: '/etc/passwd', argv: ['/etc/passwd'] },
    });
    expect((await command.ended).exitCode).toBe(126);
    expect(command.output().stderr).toContain('permission denied');
  });

  test('a folder that is gone is refused in words, and nothing runs', async () => {
    const cwd = join(temporaryFolder(), 'gone');
    mkdirSync(cwd);
    rmSync(cwd, { recursive: true });
    await expect(run(gateway(), shell('echo hi', cwd)).ended).rejects.toMatchObject({
      refusal: { code: 'host-unavailable', message: `The working directory ${cwd} is gone.` },
    });
  });

  test('arguments that are too long for the system are refused in words', async () => {
    const argv = ['/bin/true', 'x'.repeat(4_000_000)];
    const task = { ...shell(''), execution: { kind: 'argv' as const, file: '/bin/true', argv } };
    await expect(run(gateway(), task).ended).rejects.toMatchObject({
      refusal: { code: 'host-unavailable', hint: 'Pass less data as arguments.' },
    });
  });

  test('a command that dies of a signal tells which', async () => {
    const command = run(gateway(), shell('kill -KILL $$'));
    expect(await command.ended).toEqual({ ending: 'exited', exitCode: null, signal: 'SIGKILL' });
  });
});
