import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { doorText } from '../../../runner/cli/box/gateway.ts';

export const sshd = '/usr/sbin/sshd';
export const hasSshd = existsSync(sshd);

/**
 * The door as a real sshd opens it to one key, each connection with an sshd of its own and no port.
 *
 * @param command what stands in the place of the command line: its words
 * @param home INTERLOCK_HOME; null: none is set
 */
export function openDoor(command: (folder: string) => readonly string[], home: string | null) {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-door-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const key = (name: string) =>
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, name)]);
  key('host');
  key('mine');
  const user = userInfo().username;
  const words = command(folder);
  const text = doorText({ command: words, user, home, port: 2222 });
  const line = text.split('\n').find((one) => one.startsWith('restrict,')) ?? '';
  const mine = readFileSync(join(folder, 'mine.pub'), 'utf8');
  writeFileSync(join(folder, 'keys'), line.replace('ssh-ed25519 AAAA...', mine), { mode: 0o600 });
  const config = `HostKey ${folder}/host
AuthorizedKeysFile ${folder}/keys
StrictModes no
UsePAM no
PidFile none
PasswordAuthentication no
`;
  writeFileSync(join(folder, 'config'), config);
  if (process.geteuid?.() === 0) mkdirSync('/run/sshd', { recursive: true });
  const given = [
    '-F',
    'none',
    '-i',
    join(folder, 'mine'),
    '-oBatchMode=yes',
    '-oStrictHostKeyChecking=no',
    `-oUserKnownHostsFile=${folder}/known`,
    `-oProxyCommand=${sshd} -i -f ${folder}/config`,
  ];
  return {
    folder,
    config,
    text,
    user,
    ssh: (...more: readonly string[]) =>
      spawnSync('ssh', [...given, `${user}@door`, ...more], { encoding: 'utf8', timeout: 20_000 }),
    /** With a terminal there; what it shows is gathered. */
    atTerminal: (...more: readonly string[]) => {
      const child = spawn('ssh', [...given, '-tt', `${user}@door`, ...more], { stdio: 'pipe' });
      onTestFinished(() => void child.kill('SIGKILL'));
      let shown = '';
      child.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
      child.stderr.on('data', (chunk: Buffer) => (shown += chunk.toString()));
      child.stdin.on('error', () => {});
      const ended = new Promise<number | null>((resolve) => void child.once('exit', resolve));
      return {
        type: (keys: string) => void child.stdin.write(keys),
        shown: () => shown,
        /** Forgets what was shown until now. */
        anew: () => void (shown = ''),
        ended,
      };
    },
  };
}

/** A program in the place of the command line that says what it was asked for. */
export function echoing(folder: string): readonly string[] {
  const door = join(folder, 'door');
  writeFileSync(door, '#!/bin/sh\nprintf "asked: <%s>\\n" "${SSH_ORIGINAL_COMMAND-}"\n');
  chmodSync(door, 0o755);
  return [door];
}
