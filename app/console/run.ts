import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { refuse } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import type { Home } from '../../shared/home/index.ts';
import { runnerClient } from '../../shared/ipc/index.ts';
import { inOwnFolder } from '../../shared/operations/index.ts';
import { pageSettings } from '../bridge/settings.ts';
import { createDeviceDoor } from '../host/device-door.ts';
import { readPageFiles } from '../host/page-files.ts';
import type { PageFiles } from '../host/page-files.ts';
import { startUiHost } from '../host/start.ts';
import { plainFacts } from '../host/types.ts';
import type { UiHost } from '../host/types.ts';
import { dropLink, keepLink, openInBrowser, redirectPath } from './link.ts';
import { createPush } from './push.ts';
import { openDeviceServer } from './device-server.ts';
import type { DeviceServer } from './device-server.ts';
import { openConsole } from './server.ts';
import type { Console } from './server.ts';

/** How the console was started. */
interface ConsoleArguments {
  /** Open the person's browser. */
  readonly open: boolean;
  /** Absolute path of a Unix socket to listen on as well. */
  readonly socketPath: string | null;
  /** The name under which devices are served; absent: none is. */
  readonly listen?: string | undefined;
  /** In the place of what `config.json` says. */
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
  /** Addresses to listen at, which the person named. */
  readonly addresses?: readonly string[] | undefined;
}

/** Reads `[--open] [--socket PATH] [--listen NAME [--address ADDRESS]… [--cert FILE] [--key FILE]]`. Throws an `Error` with a sentence for anything else. */
export function parseArguments(argv: readonly string[]): ConsoleArguments {
  const { values } = parseArgs({
    args: [...argv],
    strict: true,
    options: {
      open: { type: 'boolean', default: false },
      socket: { type: 'string' },
      listen: { type: 'string' },
      address: { type: 'string', multiple: true },
      cert: { type: 'string' },
      key: { type: 'string' },
    },
  });
  return {
    open: values.open,
    socketPath: values.socket === undefined ? null : resolve(values.socket),
    listen: values.listen,
    addresses: values.address,
    certificate: values.cert === undefined ? undefined : resolve(values.cert),
    key: values.key === undefined ? undefined : resolve(values.key),
  };
}

export interface RunConsoleOptions extends ConsoleArguments {
  readonly home: Home;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly packageRoot: string;
  /** Where the built page is. */
  readonly pageDirectory: string;
  readonly clock: Clock;
  readonly random: (bytes: number) => Uint8Array;
  /** Prints one line for whoever started the console: `console: http://…`. */
  readonly print: (line: string) => void;
  readonly log: (line: string) => void;
}

/** The port at the far end that we suggest for `ssh -L`; any other works as well. */
const tunnelPort = 8077;

/**
 * Starts the UI host with the console as its shell, and prints the one-time link. When another
 * approver runs already, prints that one's link or where it is, and yields null.
 */
export async function runConsole(
  options: RunConsoleOptions,
): Promise<{ close(): Promise<void> } | null> {
  const { home, env, clock, random, print, log } = options;
  const files = await readPageFiles(options.pageDirectory);
  let opened: Console | null = null;
  let devices: DeviceServer | null = null;
  const freshLink = (): string | null => {
    const link = opened?.newLink() ?? null;
    if (link !== null) keepLink(home, link);
    return link;
  };

  const started = await startUiHost({
    home,
    env,
    packageRoot: options.packageRoot,
    shell: 'console',
    clock,
    log,
    onFocus: freshLink,
    facts: plainFacts([...pageSettings, 'attention', 'sound']),
  });
  if (started.kind === 'already-running') {
    const { shell, pid, link } = started.other;
    print(link === null ? `already running: ${shell} (pid ${pid})` : `console: ${link}`);
    if (options.listen !== undefined)
      throw refuse(
        'concurrency-busy',
        'The approver that runs already does not listen for devices by this.',
        'End it, and start it anew with --listen.',
      );
    if (link !== null && options.open) openInBrowser(redirectPath(home), process.platform);
    return null;
  }

  const { host } = started;
  try {
    const { ui } = home.configOrSafe();
    opened = await openConsole({
      host,
      files,
      clock,
      random,
      idleMs: ui.consoleIdleMs,
      port: ui.consolePort,
      ...(options.socketPath !== null && { socketPath: options.socketPath }),
      onLinkUsed: () => dropLink(home),
    });
    if (options.listen !== undefined)
      devices = await listenForDevices(options, { host, files, listen: options.listen });
    print(`console: ${freshLink()}`);
    if (devices !== null) print(`devices: ${devices.origin}`);
    if (options.socketPath !== null) {
      print(`tunnel: ssh -L ${tunnelPort}:${options.socketPath} HOST`);
      print(`tunnel link: ${opened.newTunnelLink(tunnelPort)}`);
    }
  } catch (error) {
    await devices?.dispose();
    await opened?.dispose();
    await host.dispose();
    throw error;
  }
  if (options.open) openInBrowser(redirectPath(home), process.platform);
  const shown = opened;
  const listening = devices;
  return {
    close: async () => {
      dropLink(home);
      await listening?.dispose();
      await shown.dispose();
      await host.dispose();
    },
  };
}

/** Serves the page to devices. Throws where the settings say of another name, or of no certificate. */
async function listenForDevices(
  options: RunConsoleOptions,
  {
    host,
    files,
    listen,
  }: { readonly host: UiHost; readonly files: PageFiles; readonly listen: string },
): Promise<DeviceServer> {
  const { home, clock, random, log } = options;
  const { ui } = home.configOrSafe();
  const own = (path: string | null): string | null =>
    path === null ? null : inOwnFolder(path, options.env);
  const certificate = options.certificate ?? own(ui.phoneCertificate);
  const key = options.key ?? own(ui.phoneKey);
  const hint = 'docs/phone.md says how; then start it anew.';
  // The runner takes passkeys for that name alone, so that a slip of the hand makes none for another.
  if (ui.phoneHost !== listen)
    throw refuse('config-invalid', `"ui.phoneHost" in config.json is not "${listen}".`, hint);
  if (certificate === null || key === null)
    throw refuse('config-invalid', 'There is no certificate for the page of devices.', hint);
  const runner = runnerClient({ socketPath: home.runnerSocket, timeoutMs: 15_000 });
  return openDeviceServer({
    host,
    files,
    clock,
    random,
    uid: home.uid,
    push: createPush({ paths: home, uid: home.uid, clock }),
    door: createDeviceDoor({ paths: home, clock, runner }),
    log,
    listen: {
      host: listen,
      port: ui.phonePort,
      addresses: options.addresses ?? [],
      certificate,
      key,
    },
  });
}
