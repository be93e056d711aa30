import { defaultConfig, maxConfigLength, parseConfig } from '../engine/index.ts';
import type { Config } from '../engine/index.ts';
import type { Refusal } from '../base/index.ts';
import { readCheckedFile } from './files.ts';
import { readTrustedProjects, trustedProjectsBeside } from './trusted-projects.ts';
import { fleetStateBeside, readFleetPolicy } from './fleet-policy.ts';
import { readManaged } from './managed-files.ts';
import type { ManagedPlace } from './managed-files.ts';

export type ConfigFileState =
  | {
      readonly ok: true;
      readonly config: Config;
      /** Both null where there is no file, and the defaults hold. */
      readonly text: string | null;
      readonly hash: string | null;
    }
  | { readonly ok: false; readonly problem: Refusal };

/**
 * The one reader of `config.json`, under the same rules as the policy: a regular file of `uid` that
 * nobody else may use, of bounded size, valid by the schema. A missing file means the defaults;
 * anything else is `config-invalid`, and nothing runs until it is mended. So is what the machine's
 * administrator or its fleet has put beside it and is not valid, and the list of projects that the person trusted.
 * Never throws.
 */
export function readConfigFile(
  path: string,
  options: { readonly uid: number; readonly managed?: ManagedPlace },
): ConfigFileState {
  const machine = readManaged(options.managed);
  if (!machine.ok) return machine;
  const fleet = readFleetPolicy(fleetStateBeside(path), options.uid);
  if (!fleet.ok) return fleet;
  const managed = [...machine.files, ...fleet.files];
  const read = readOwn(path, options);
  const trusted = readTrustedProjects(trustedProjectsBeside(path), options.uid);
  if (!trusted.ok) return trusted;
  const { projects } = trusted;
  if (!read.ok || (managed.length === 0 && projects.length === 0)) return read;
  const further = {
    ...(managed.length > 0 && { managed }),
    ...(projects.length > 0 && { projects }),
  };
  return { ...read, config: { ...read.config, ...further } };
}

function readOwn(path: string, options: { readonly uid: number }): ConfigFileState {
  const file = readCheckedFile(path, { uid: options.uid, maxBytes: maxConfigLength, parse });
  if (file.ok) return { ok: true, config: file.value, text: file.text, hash: file.hash };
  if (file.missing) return { ok: true, config: defaultConfig, text: null, hash: null };
  return { ok: false, problem: file.problem };
}

function parse(
  text: string,
):
  | { readonly ok: true; readonly value: Config }
  | { readonly ok: false; readonly problem: Refusal } {
  const parsed = parseConfig(text);
  return parsed.ok ? { ok: true, value: parsed.config } : parsed;
}
