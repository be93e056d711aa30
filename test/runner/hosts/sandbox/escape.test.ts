import { createServer } from 'node:net';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer as createHttp } from 'node:http';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findBubblewrap } from '../../../../runner/hosts/sandbox/bubblewrap.ts';
import {
  box as boxOf,
  compile,
  hasScopes,
  inside,
  isRoot,
  launcher,
  rungs,
  whyNot,
} from './support.ts';
import type { BoxOptions } from './support.ts';

const fixtures = join(import.meta.dirname, '../../../fixtures/sandbox');
/** Another user, of whom nothing is here. */
const somebody = 65_534;
const owners = isRoot ? [0, somebody] : [process.geteuid?.() ?? -1];

describe.skipIf(whyNot !== null).each(rungs)(
  'from inside a sandbox that is built by %s',
  (rung) => {
    const box = (settings: Parameters<typeof boxOf>[0] = {}, options: BoxOptions = {}) =>
      boxOf(settings, { rung, ...options });

    describe.each(owners)('as the user %i', (owner) => {
      test('the kernel lets none of the ways out through', async () => {
        const { workspace, host } = box({}, { owner });
        compile(join(workspace, 'attacker'), [join(fixtures, 'attacker.c')], ['-static', '-w']);
        chmodSync(join(workspace, 'attacker'), 0o755);
        const { stdout, exitCode } = await inside(host, `./attacker ${workspace}`, workspace);
        expect(exitCode).toBe(0);
        const said = new Map(
          stdout
            .trim()
            .split('\n')
            .map((line) => line.split(' ') as [string, string]),
        );
        const through = [...said].filter(([, how]) => how === 'ok').map(([name]) => name);
        expect(through).toEqual(['plain-create', 'plain-chmod']);
        expect(Object.fromEntries(said)).toMatchObject({
          clone3: 'ENOSYS',
          vsock: 'EAFNOSUPPORT',
          'type-with-high-bits': 'EPERM',
          'x32-call': 'killed',
          CapEff: '0000000000000000',
          CapBnd: '0000000000000000',
          NoNewPrivs: '1',
          Seccomp: '2',
        });
        expect(said.size).toBeGreaterThan(60);
      });

      test('nothing of the host but its programs is to be seen', async () => {
        const { workspace, home, folder, host } = box({}, { owner });
        writeFileSync(join(home, 'config.json'), '{"secret":1}');
        writeFileSync(join(folder, 'beside'), 'beside');
        const look = [
          `${home}/config.json`,
          `${folder}/beside`,
          '/etc/shadow',
          '/etc/machine-id',
          '/root/.bashrc',
          '/var/log',
          '/sys/kernel',
          '/run/systemd',
          // Where the own home lies, it holds that alone.
          ...(userInfo().homedir.startsWith('/home/') ? [] : ['/home']),
        ];
        const { stdout } = await inside(
          host,
          `for f in ${look.join(' ')}; do test -e "$f" && echo "SEEN $f"; done; ls -A /; cat /etc/passwd | wc -l`,
          workspace,
        );
        expect(stdout).not.toContain('SEEN');
        expect(stdout).not.toMatch(/^(?:boot|srv|mnt|media|sys)$/m);
      });

      test('the first process cannot be looked into, nor can the kernel be told anything', async () => {
        const { workspace, host } = box({}, { owner });
        const { stdout } = await inside(
          host,
          `for f in environ mem root cwd maps; do head -c1 /proc/1/$f >/dev/null 2>&1 && echo "OPEN $f"; ls /proc/1/$f/ >/dev/null 2>&1 && echo "OPEN $f"; done
         for f in /proc/sys/kernel/core_pattern /proc/sysrq-trigger /proc/sys/user/max_user_namespaces /proc/sys/vm/drop_caches; do (echo 1 > $f) 2>/dev/null && echo "WROTE $f"; done
         echo end`,
          workspace,
        );
        expect(stdout).toBe('end\n');
      });

      test('only the workspace and what goes away can be written', async () => {
        const { workspace, folder, host } = box({}, { owner });
        const { stdout } = await inside(
          host,
          `for d in / /usr /usr/bin /etc /dev /bin/.. /opt /proc; do touch "$d/planted" 2>/dev/null && echo "WROTE $d"; done
         for d in . /tmp "$HOME" /dev/shm /var/tmp; do touch "$d/mine" && echo "$d"; done; touch ${folder}/beside`,
          workspace,
        );
        expect(stdout).not.toContain('WROTE');
        expect(stdout.trim().split('\n')).toHaveLength(5);
        expect(readFileSync(join(workspace, 'mine'), 'utf8')).toBe('');
        // The folder above is an empty one that goes with the command.
        expect(existsSync(join(folder, 'beside'))).toBe(false);
      });
    });

    test('neither the internet nor servers of this machine can be reached, by address or by name', async () => {
      const { workspace, host } = box();
      const web = createHttp((_, answer) => answer.end('reached'));
      await new Promise<void>((resolve) => void web.listen(0, '127.0.0.1', resolve));
      const hidden = createServer((socket) => socket.end('reached'));
      await new Promise<void>(
        (resolve) => void hidden.listen('\0interlock-test-abstract', resolve),
      );
      onTestFinished(() => {
        web.close();
        hidden.close();
      });
      const { port } = web.address() as { readonly port: number };
      writeFileSync(
        join(workspace, 'reach.mjs'),
        `import { connect } from 'node:net';
       for (const to of [{ port: ${port}, host: '127.0.0.1' }, { port: 53, host: '1.1.1.1' }, { path: '\\0interlock-test-abstract' }])
         await new Promise((done) => connect(to).on('data', () => console.log('REACHED')).on('error', (e) => { console.log(e.code); done(); }).on('end', done));`,
      );
      const { stdout } = await inside(host, 'node reach.mjs', workspace);
      expect(stdout.trim().split('\n')).toEqual(['ECONNREFUSED', 'ENETUNREACH', 'ECONNREFUSED']);
    });

    test.skipIf(!hasScopes)(
      "with this machine's network, names are found, and nameless sockets of a session are not",
      async () => {
        const { workspace, host } = box({ network: 'full' });
        const name = `interlock-test-full-${process.pid}`;
        const hidden = createServer((socket) => socket.end('reached'));
        await new Promise<void>((resolve) => void hidden.listen(`\0${name}`, resolve));
        onTestFinished(() => void hidden.close());
        writeFileSync(
          join(workspace, 'reach.mjs'),
          `import { connect } from 'node:net';
         connect('\\0${name}').on('data', () => console.log('REACHED')).on('error', (e) => console.log(e.code));`,
        );
        const { stdout } = await inside(host, 'node reach.mjs; cat /etc/resolv.conf', workspace);
        expect(stdout).toBe(`EPERM\n${readFileSync('/etc/resolv.conf', 'utf8')}`);
      },
    );

    test('a server and its client in one command find each other', async () => {
      const { workspace, host } = box();
      writeFileSync(
        join(workspace, 'own.mjs'),
        `import { createServer } from 'node:http';
       const server = createServer((_, answer) => answer.end('own')).listen(0, '127.0.0.1', async () => {
         console.log(await (await fetch('http://127.0.0.1:' + server.address().port)).text());
         server.close();
       });`,
      );
      expect((await inside(host, 'node own.mjs', workspace)).stdout).toBe('own\n');
    });

    test("Git's own folder can be read, and neither written nor moved away", async () => {
      const { workspace, host } = box();
      mkdirSync(join(workspace, '.git', 'hooks'), { recursive: true });
      writeFileSync(join(workspace, '.git', 'config'), '[core]\n');
      const { stdout } = await inside(
        host,
        `cat .git/config
       (echo x >> .git/config) 2>/dev/null && echo WROTE
       (echo x > .git/hooks/pre-commit) 2>/dev/null && echo WROTE
       mv .git away 2>/dev/null && echo MOVED
       rm -rf .git 2>/dev/null; ls -A .git | head -1`,
        workspace,
      );
      expect(stdout).toBe('[core]\nconfig\n');
    });

    test.skipIf(rung === 'bubblewrap')(
      "the person's caches are seen, and what is written there stays in a layer",
      async () => {
        const { workspace, host } = box();
        const home = userInfo().homedir;
        const text = `mkdir -p ${home}/.npm && echo once > ${home}/.npm/interlock-sandbox-test && cat ${home}/.npm/interlock-sandbox-test`;
        expect((await inside(host, text, workspace)).stdout).toBe('once\n');
        expect(() => readFileSync(`${home}/.npm/interlock-sandbox-test`)).toThrow('ENOENT');
      },
    );

    test.each(['/', '/etc', '/usr/lib', '/home'])('%s is not a workspace', async (cwd) => {
      const { host } = box();
      await expect(inside(host, 'true', cwd)).rejects.toMatchObject({
        refusal: { code: 'host-unavailable' },
      });
    });

    test("Interlock's own folder is not a workspace, from above and from below", async () => {
      const { host, home, folder } = box();
      for (const cwd of [home, folder])
        await expect(inside(host, 'true', cwd)).rejects.toMatchObject({
          refusal: { code: 'host-unavailable' },
        });
    });

    test.skipIf(rung === 'bubblewrap')(
      'a launcher that is kept from openat2, as by systemd, builds the same box',
      async () => {
        const launcherIn = (folder: string): string =>
          compile(
            join(folder, 'restricted'),
            [join(fixtures, 'without-openat2.c')],
            [`-DLAUNCHER="${launcher}"`],
          );
        const { folder, workspace, host } = box({}, { launcherIn });
        expect((await inside(host, 'echo in > f && cat f && ls -A /', workspace)).stdout).toContain(
          'in',
        );
        // And follows no link either.
        renameSync(workspace, join(folder, 'elsewhere'));
        symlinkSync(join(folder, 'elsewhere'), workspace);
        await expect(inside(host, 'cat f', workspace)).rejects.toMatchObject({
          refusal: { code: 'host-unavailable' },
        });
      },
    );

    test.each([
      ['another folder', 'mv work gone && mv other work'],
      ['a link to one', 'mv work gone && ln -s other work'],
    ])('a workspace that was exchanged for %s just before is not bound', async (_, swap) => {
      // Comes after the plan was made and before whoever builds the box acts on it.
      const late = (program: string) => (folder: string) => {
        const path = join(folder, 'late');
        const text = `#!/bin/sh\ncd ${folder} && ${swap}\ncd / && exec ${program} "$@"\n`;
        writeFileSync(path, text, { mode: 0o755 });
        return path;
      };
      const bubblewrap = findBubblewrap() ?? '';
      const inPlace =
        rung !== 'bubblewrap' ? { launcherIn: late(launcher) } : { bubblewrapIn: late(bubblewrap) };
      const { folder, workspace, host } = box({}, inPlace);
      mkdirSync(join(folder, 'other'));
      writeFileSync(join(folder, 'other', 'secret'), 'of another');
      await expect(inside(host, 'cat secret', workspace)).rejects.toMatchObject({
        refusal: { message: expect.stringMatching(/exchanged|source: ELOOP/) as string },
      });
    });
  },
);
