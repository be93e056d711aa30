import { Option } from 'commander';
import { configuredHost, isFields } from '../../shared/engine/index.ts';
import { openHome, ownUid, writeFileAtomic } from '../../shared/home/index.ts';
import { launcherPath } from '../hosts/sandbox/launch.ts';
import { probeSandbox, unaskedProblem } from '../hosts/sandbox/probe.ts';
import type { Io } from './io.ts';

/** Where commands are to run by a first setting. */
export type FirstHost = 'auto' | 'gateway';

/** `--host` of `init` and `install`. */
export function hostOption(): Option {
  return new Option(
    '--host <where>',
    'where commands run: auto, in the sandbox what needs no more (the default where there is one), or gateway, this machine',
  ).choices(['auto', 'gateway']);
}

interface Chosen {
  readonly host: FirstHost;
  /** For a person: what that means, and how to say otherwise. */
  readonly sentence: string;
}

/** What was wanted, or `auto` where a sandbox was launched for real; never where that failed. */
export async function chooseHost(wanted: FirstHost | undefined, io: Io): Promise<Chosen> {
  if (wanted === 'gateway')
    return { host: 'gateway', sentence: 'Commands run on this machine (exec.host: gateway).' };
  const probe = await probeSandbox({ launcher: launcherPath(io.packageRoot), uid: ownUid() });
  if (!probe.ok)
    return {
      host: 'gateway',
      sentence:
        `Commands run on this machine: no sandbox can be had here. ${probe.problem ?? ''}`.trim(),
    };
  const notUnasked = unaskedProblem(probe);
  if (notUnasked !== null && wanted === undefined)
    return {
      host: 'gateway',
      sentence: `Commands run on this machine: in a sandbox nothing could run unasked here. ${notUnasked} --host auto asks about each that no rule allows.`,
    };
  return {
    host: 'auto',
    sentence:
      notUnasked ??
      'Commands that need no more than the sandbox gives run in it, unasked (exec.host: auto); --host gateway says no to that.',
  };
}

/**
 * Sets the host of one agent in `config.json`, where nothing there says where commands run. Answers
 * what to tell the person; null where the file has its say already, or nothing was to be set.
 */
export async function setAgentHost(
  agent: string,
  wanted: FirstHost | undefined,
  io: Io,
): Promise<string | null> {
  const home = openHome(io.env);
  const read = home.readConfig();
  if (!read.ok || read.text === null) return null;
  const file: unknown = JSON.parse(read.text);
  if (!isFields(file)) return null;
  const { agents } = file;
  const own = isFields(agents) && Object.hasOwn(agents, agent) ? agents[agent] : undefined;
  if (wanted === undefined && configuredHost(read.config, agent).layer !== 'built-in') return null;
  const { host, sentence } = await chooseHost(wanted, io);
  if (host === 'gateway' && wanted === undefined) return sentence;
  const changed = {
    ...file,
    agents: {
      ...(isFields(agents) ? agents : {}),
      [agent]: { ...(isFields(own) ? own : {}), host },
    },
  };
  writeFileAtomic(home.config, `${JSON.stringify(changed, null, 2)}\n`);
  return `${sentence} It stands in ${home.config} as agents.${agent}.host.`;
}
