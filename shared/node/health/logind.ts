import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What `gdbus` is started with: nothing of a session but the address of the system's bus, if it is an unusual one. */
export function gdbusEnvironment(
  own: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const { DBUS_SYSTEM_BUS_ADDRESS: address = '' } = own;
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    LC_ALL: 'C',
    ...(address !== '' && { DBUS_SYSTEM_BUS_ADDRESS: address }),
  };
}

/** Asks logind for a sign of life. Null when it gives one, else a sentence that says what is missing. */
export async function probeLogind(
  own: Readonly<Record<string, string | undefined>>,
): Promise<string | null> {
  const ping = [
    '--object-path',
    '/org/freedesktop/login1',
    '--method',
    'org.freedesktop.DBus.Peer.Ping',
  ];
  const args = ['call', '--system', '--timeout', '2', '--dest', 'org.freedesktop.login1', ...ping];
  try {
    await run('gdbus', args, { env: gdbusEnvironment(own), timeout: 4_000 });
    return null;
  } catch (error) {
    const { code, stderr = '' } = error as { readonly code?: unknown; readonly stderr?: string };
    if (code === 'ENOENT') return 'gdbus is not installed.';
    const said = stderr.trim().split('\n')[0] ?? '';
    return said === '' ? 'logind does not answer.' : said.slice(0, 300);
  }
}
