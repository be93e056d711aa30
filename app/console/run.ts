import type { Clock } from '../../shared/clock/types.ts';
import type { HomePaths } from '../../shared/node/home/paths.ts';
import { readConfig } from '../host/config.ts';
import { pageSettings } from '../bridge/settings.ts';
import { plainFacts } from '../host/shell-facts.ts';
import { startUiHost } from '../host/start.ts';
import type { ConsoleArguments } from './arguments.ts';
import { dropLink, keepLink, redirectPath } from './link-file.ts';
import { openInBrowser } from './open-browser.ts';
import { readPageFiles } from './page-files.ts';
import { openConsole } from './server.ts';
import type { Console } from './server.ts';

export interface RunConsoleOptions extends ConsoleArguments {
  readonly paths: HomePaths;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly packageRoot: string;
  /** Where the built page is. */
  readonly pageDirectory: string;
  readonly clock: Clock;
  readonly random: (bytes: number) => Uint8Array;
  /** One line for whoever started us: `console: http://…`. */
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
  const { paths, env, clock, random, print, log } = options;
  const files = readPageFiles(options.pageDirectory);
  let opened: Console | null = null;
  const freshLink = (): string | null => {
    const link = opened?.newLink() ?? null;
    if (link !== null) keepLink(paths, link);
    return link;
  };

  const started = await startUiHost({
    paths,
    env,
    packageRoot: options.packageRoot,
    shell: 'console',
    clock,
    log,
    onFocus: freshLink,
    facts: plainFacts(pageSettings),
  });
  if (started.kind === 'already-running') {
    const { shell, pid, link } = started.other;
    print(link === null ? `already running: ${shell} (pid ${pid})` : `console: ${link}`);
    if (link !== null && options.open) openInBrowser(redirectPath(paths), process.platform);
    return null;
  }

  const { host } = started;
  try {
    const { ui } = readConfig(paths.config, { uid: process.geteuid?.() ?? -1 });
    opened = await openConsole({
      host,
      files,
      clock,
      random,
      idleMs: ui.consoleIdleMs,
      port: ui.consolePort,
      ...(options.socketPath !== null && { socketPath: options.socketPath }),
      onLinkUsed: () => dropLink(paths),
    });
    print(`console: ${freshLink()}`);
    if (options.socketPath !== null) {
      print(`tunnel: ssh -L ${tunnelPort}:${options.socketPath} HOST`);
      print(`tunnel link: ${opened.newTunnelLink(tunnelPort)}`);
    }
  } catch (error) {
    await opened?.close();
    await host.close();
    throw error;
  }
  if (options.open) openInBrowser(redirectPath(paths), process.platform);
  const shown = opened;
  return {
    close: async () => {
      dropLink(paths);
      await shown.close();
      await host.close();
    },
  };
}
