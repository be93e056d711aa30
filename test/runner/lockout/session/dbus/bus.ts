import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Why no bus can be started here, or null. */
export function whyNoBus(): string | null {
  const gone = ['dbus-daemon', 'gdbus'].find(
    (tool) => spawnSync(tool, ['--version']).error !== undefined,
  );
  return gone === undefined ? null : `there is no ${gone}`;
}

/** A bus of the test's own, in the place of the system's. */
export interface PrivateBus {
  readonly socket: string;
  /** What to start programs with, so that they take it for the system's. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export async function startBus(): Promise<PrivateBus> {
  const folder = mkdtempSync(join(tmpdir(), 'il-bus-'));
  const socket = join(folder, 'bus');
  const config = join(folder, 'bus.conf');
  writeFileSync(
    config,
    `<busconfig>
  <type>session</type>
  <listen>unix:path=${socket}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*"/>
    <allow receive_sender="*"/>
    <allow own="*"/>
  </policy>
</busconfig>\n`,
  );
  const daemon = spawn('dbus-daemon', [`--config-file=${config}`, '--nofork', '--print-address'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(daemon, 'close');
  const stop = async (): Promise<void> => {
    daemon.kill('SIGTERM');
    await ended;
  };
  onTestFinished(async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  });
  await once(daemon.stdout, 'data');
  return { socket, stop, env: { DBUS_SYSTEM_BUS_ADDRESS: `unix:path=${socket}` } };
}
