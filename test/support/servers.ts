import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownUid, ownUser } from '../../shared/home/index.ts';

/** Servers of others that tests and measurements start for themselves: nats-server and sshd. */

const natsProgram = ['/usr/sbin/nats-server', '/usr/local/bin/nats-server'].find((each) =>
  existsSync(each),
);
export const hasNatsServer = natsProgram !== undefined;
const sshd = '/usr/sbin/sshd';
export const hasSshd = existsSync(sshd);

/** Waits for what comes over sockets. */
export async function until(isSo: () => boolean): Promise<void> {
  for (let turn = 0; !isSo(); turn += 1) {
    if (turn > 8_000) throw new Error('it did not come to that');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** A port of loopback that is free now. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** A program until it is killed; started once it has said the words on its standard error. */
async function started(file: string, args: readonly string[], words: string) {
  const child: ChildProcess = spawn(file, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr?.on('data', (data: Buffer) => (said += data.toString()));
  await until(() => said.includes(words) || child.exitCode !== null);
  if (child.exitCode !== null) throw new Error(`${file} did not start: ${said}`);
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  return { pid: child.pid ?? -1, kill };
}

/** A real nats-server with these settings, which may be killed and started again. */
export async function startNatsServer(config: string) {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-nats-'));
  const file = join(folder, 'nats.conf');
  writeFileSync(file, config.replaceAll('/var/lib/nats', folder));
  const start = async () => started(natsProgram ?? '', ['-c', file], 'Server is ready');
  let running = await start();
  const kill = async (): Promise<void> => running.kill();
  return {
    pid: (): number => running.pid,
    start: async (): Promise<void> => {
      running = await start();
    },
    kill,
    /** It forgets all that it kept: streams, and what it was told of its accounts. */
    forget: (): void => {
      for (const each of ['jetstream', 'jwt'])
        rmSync(join(folder, each), { recursive: true, force: true });
    },
    dispose: async (): Promise<void> => {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The words that have a machine's runner wait for its gateway, as a forced command of sshd. */
export function stdioCommand(interlockHome: string): string {
  const cli = join(process.cwd(), 'dist', 'runner', 'cli', 'main.js');
  return `INTERLOCK_HOME=${interlockHome} '${process.execPath}' '${cli}' node stdio`;
}

/**
 * A real sshd of this user's on loopback, whose only key may do nothing but `command`, or anything
 * where that is null. Its folder `bin` has an `ssh` that knows it as the host `build`.
 */
export async function startSshServer(command: string | null) {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-sshd-'));
  const port = await freePort();
  const at = (name: string): string => join(folder, name);
  for (const name of ['host', 'user'])
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', at(name)]);
  const publicOf = (name: string): string =>
    execFileSync('ssh-keygen', ['-y', '-f', at(name)], { encoding: 'utf8' }).trim();
  const forced = command === null ? '' : `command="${command}",`;
  writeFileSync(at('keys'), `${forced}restrict ${publicOf('user')}\n`);
  writeFileSync(at('known'), `[127.0.0.1]:${port} ${publicOf('host')}\n`);
  writeFileSync(
    at('sshd_config'),
    `Port ${port}\nListenAddress 127.0.0.1\nHostKey ${at('host')}\nAuthorizedKeysFile ${at('keys')}\n` +
      'StrictModes no\nUsePAM no\nPasswordAuthentication no\nPidFile none\n' +
      // Or bash reads what the person has in ~/.bashrc first, which is none of SSH's time.
      'SetEnv SHLVL=2\n',
  );
  writeFileSync(
    at('config'),
    `Host build\n HostName 127.0.0.1\n Port ${port}\n User ${ownUser().name}\n IdentityFile ${at('user')}\n` +
      ` IdentitiesOnly yes\n UserKnownHostsFile ${at('known')}\n GlobalKnownHostsFile /dev/null\n` +
      ` ControlPath ${at('master')}\n`,
  );
  mkdirSync(at('bin'));
  writeFileSync(at('bin/ssh'), `#!/bin/sh\nexec /usr/bin/ssh -F '${at('config')}' "$@"\n`, {
    mode: 0o755,
  });
  if (ownUid() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  const server = await started(sshd, ['-D', '-e', '-f', at('sshd_config')], 'listening');
  return {
    /** What `ssh` is told, to reach it. */
    config: at('config'),
    path: `${at('bin')}:${process.env['PATH'] ?? ''}`,
    dispose: async (): Promise<void> => {
      await server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
