import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { refuse } from '../../../shared/base/index.ts';
import { bytesOf } from '../../../shared/engine/index.ts';
import type { SandboxConfig } from '../../../shared/engine/index.ts';
import type { ReadyCommand, SilentLaunch } from '../launcher.ts';
import { quietly } from './mac-probe.ts';
import { containerCommand, seatbeltCommand, seatbeltProfile } from './macos.ts';
import type { Held } from './report.ts';
import type { Box } from './root.ts';

/** What of macOS builds a sandbox: a profile for the process, or a virtual machine from an image. */
export type MacBuilder =
  | { readonly kind: 'seatbelt'; readonly program: string }
  | { readonly kind: 'container'; readonly program: string; readonly image: string };

const holds: Readonly<Record<MacBuilder['kind'], Held>> = {
  seatbelt: {
    held: ['seatbelt'],
    missing: ['no-own-processes', 'no-limits'],
    landlock: 0,
  },
  container: { held: ['virtual-machine', 'limits'], missing: [], landlock: 0 },
};

/**
 * A command in a planned box, as macOS can hold it. Throws a refusal for what it cannot.
 *
 * @param taken gets what is to be done when the command is gone
 */
export function macLaunch(
  box: Box,
  command: ReadyCommand,
  {
    mac,
    settings,
    ownHome,
    id,
    taken,
  }: {
    readonly mac: MacBuilder;
    readonly settings: SandboxConfig;
    readonly ownHome: string;
    readonly id: string;
    readonly taken: (() => void)[];
  },
): SilentLaunch {
  const { network } = settings;
  const { owner } = box;
  const named = { HOME: owner.home, USER: owner.name, LOGNAME: owner.name };
  if (mac.kind === 'container') {
    const name = `interlock-${id}`;
    const env = { ...command.env, ...named };
    const size = {
      memoryBytes: bytesOf(settings.memory),
      processes: settings.processes,
      cpus: availableParallelism(),
    };
    const { program: container, image } = mac;
    const line = containerCommand(
      box,
      { ...command, env },
      { container, name, image, network, size },
    );
    // Whatever ended the program that waits for it, the machine itself goes.
    taken.push(() => void quietly(container, ['delete', '--force', name]));
    return { ...line, env, holds: holds.container };
  }
  if (settings.least === 'box')
    throw refuse(
      'host-unavailable',
      'Only a Seatbelt profile can be had on this machine, and sandbox.least asks for more, so nothing was run.',
      'Have a person set sandbox.image, for a virtual machine, or sandbox.least to "bubblewrap".',
    );
  const temporary = realpathSync(mkdtempSync(join(tmpdir(), 'interlock-')));
  taken.push(() => rmSync(temporary, { recursive: true, force: true }));
  const realPath = (path: string): string | null => {
    try {
      return realpathSync.native(path);
    } catch {
      return null;
    }
  };
  const profile = seatbeltProfile(box, { temporary, ownHome, network, realPath });
  const env = {
    ...command.env,
    ...named,
    TMPDIR: temporary,
    XDG_CACHE_HOME: join(temporary, 'cache'),
    npm_config_cache: join(temporary, 'npm'),
  };
  return { ...seatbeltCommand(profile, command, mac.program), env, holds: holds.seatbelt };
}
