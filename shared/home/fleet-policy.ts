import { dirname, join } from 'node:path';
import { compile, readJson, refuse, s } from '../base/index.ts';
import type { Static } from '../base/index.ts';
import { parseManaged } from '../engine/index.ts';
import { readCheckedFile, writeFileAtomic } from './files.ts';
import type { CheckedFile } from './files.ts';
import type { ManagedFiles } from './managed-files.ts';

/** Longest text of a document of a fleet, in characters. */
export const maxFleetText = 128 * 1024;

const sequence = s.integer({ minimum: 0 });
const followed = s.nullable(
  s.object({ seq: sequence, text: s.string({ maxLength: maxFleetText }) }),
);
const fleetState = s.object({
  version: s.literal(1),
  /** The key of the fleet that was followed: numbers of another one say nothing here. */
  keeper: s.optional(s.string({ maxLength: 64 })),
  /** The further gateways of the fleet; absent or null: it has one. */
  gateways: s.optional(followed),
  /** Bounds of the fleet that this machine is in; null: none were sent. */
  policy: followed,
  /** Up to which one lockouts of the fleet were followed. */
  lockout: sequence,
});
/** What a node has taken up of what its fleet was told. */
export type FleetState = Static<typeof fleetState>;
const check = compile(fleetState);

/** Found from where `config.json` lies, so that whoever reads that reads this. */
export function fleetStateBeside(config: string): string {
  return join(dirname(config), 'state', 'fleet.json');
}

/** Reads it; before anything was taken up there is no file. Never throws. */
export function readFleetState(path: string, uid: number): CheckedFile<FleetState> {
  const file = readCheckedFile<FleetState>(path, {
    uid,
    maxBytes: 4 * maxFleetText,
    parse: (text) => {
      const checked = readJson(check, text);
      if (checked.ok) return checked;
      const why = `${path} is not valid: ${checked.error}`;
      return { ok: false, problem: refuse('config-invalid', why, hint).refusal };
    },
  });
  if (file.ok || !file.missing) return file;
  return { ok: true, value: { version: 1, policy: null, lockout: 0 }, text: '', hash: '' };
}

const hint = 'Put a backup of it back. Nothing runs until then.';

/** Keeps it, on the disk when this returns. */
export function writeFleetState(path: string, state: FleetState): void {
  writeFileAtomic(path, `${JSON.stringify(state, null, 2)}\n`);
}

/** The bounds that the fleet has sent, in the form of the administrator's. Never throws. */
export function readFleetPolicy(path: string, uid: number): ManagedFiles {
  const read = readFleetState(path, uid);
  if (!read.ok) return { ok: false, problem: read.problem };
  if (read.value.policy === null) return { ok: true, files: [] };
  const parsed = parseManaged(read.value.policy.text, path, 'fleet');
  if (parsed.ok) return { ok: true, files: [parsed.managed] };
  const why = `The policy of the fleet is not valid here: ${parsed.problem}`;
  const mend = 'Push another from the gateway, or bring this machine to its version.';
  return { ok: false, problem: refuse('config-invalid', why, mend).refusal };
}
