import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { homePaths } from '../../../shared/node/home/paths.ts';
import { launchdAgentFile, systemdUnitFile } from '../../../shared/node/service/places.ts';
import { CliError } from '../failure.ts';
import type { Io } from '../io.ts';
import { launchdManager } from './launchd.ts';
import { toolRunner } from './manager.ts';
import type { ServiceManager } from './manager.ts';
import { systemdManager } from './systemd.ts';

/** The service of the person who calls, on this home. */
export function ownService(io: Io, platform = process.platform): ServiceManager {
  const { home, config } = homePaths(io.env);
  if (!existsSync(config))
    throw new CliError(`${home} is not set up.`, 'Run "interlock init" first.');
  const person = io.env['HOME'] ?? homedir();
  const common = {
    run: toolRunner(io.env),
    packageRoot: io.packageRoot,
    facts: {
      node: process.execPath,
      cli: join(io.packageRoot, 'dist', 'runner', 'cli', 'main.js'),
      home,
      path: absoluteEntries(io.env['PATH']),
    },
  };
  if (platform === 'linux')
    return systemdManager({ ...common, file: systemdUnitFile(io.env, person) });
  if (platform === 'darwin')
    return launchdManager({ ...common, file: launchdAgentFile(person) }, process.getuid?.() ?? -1);
  throw new CliError(
    'This system has neither systemd nor launchd.',
    'Start the runner by whatever starts programs here: interlock runner',
  );
}

function absoluteEntries(path: string | undefined): string {
  const kept = (path ?? '').split(':').filter((entry) => entry.startsWith('/'));
  return kept.length === 0 ? '/usr/local/bin:/usr/bin:/bin' : [...new Set(kept)].join(':');
}
