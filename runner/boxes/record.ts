import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { compile, readJson, refuse, s } from '../../shared/base/index.ts';
import type { Static } from '../../shared/base/index.ts';
import { boxNamePattern, boxTemplateSchema, networks } from '../../shared/engine/index.ts';
import {
  boxKeeperSchema,
  ensurePrivateDirectory,
  readPrivateFile,
  writeFileAtomic,
} from '../../shared/home/index.ts';
import { boxSteps, operations } from './lifecycle.ts';
import { placedSkillsSchema } from './skills/files.ts';
import { workspaceSchema } from './workspace/record.ts';

const path = s.string({ pattern: '^/[^\\u0000\\n]{0,4095}$' });

/** `state/boxes/NAME.json`: what is kept of a box. Whether it runs is asked of the kernel, never of this. */
const boxRecordSchema = s.object({
  version: s.literal(1),
  name: s.string({ pattern: boxNamePattern }),
  /** The template's name, and what it was when the box was made or reset last. */
  templateName: s.string({ pattern: boxNamePattern }),
  template: boxTemplateSchema,
  network: s.oneOf(networks),
  workspace: workspaceSchema,
  /** What was written into the workspace for agents. */
  skills: s.optional(placedSkillsSchema),
  /** Milliseconds since the epoch. */
  createdAt: s.integer({ minimum: 0 }),
  startedAt: s.nullable(s.integer({ minimum: 0 })),
  keeper: s.nullable(boxKeeperSchema),
  /** `cgroup.procs` files of its control groups. */
  groups: s.array(path, { maxItems: 8 }),
  /** Histories that were in the workspace when it began, each with its mark, by folder; null before that. */
  nested: s.nullable(
    s.record(s.record(s.string(), { maxProperties: 100 }), { maxProperties: 100 }),
  ),
  /** By which the repository of the workspace is known that was there when it began; null for none. */
  history: s.optional(s.nullable(s.string({ maxLength: 64 }))),
  /** What is being done with it, and which steps of that were begun; null where nothing is. */
  journal: s.nullable(
    s.object({
      operation: s.oneOf(operations),
      begun: s.array(s.oneOf(boxSteps), { maxItems: 16 }),
    }),
  ),
});
export type BoxRecord = Static<typeof boxRecordSchema>;

const check = compile(boxRecordSchema);
const maxBytes = 256 * 1024;
const nameShape = new RegExp(boxNamePattern);

/** The records of a home, one file a box. */
export interface BoxRecords {
  readonly directory: string;
  /** Null for no such box. Throws a refusal for a record that cannot be read: then nobody knows what is there. */
  readonly read: (name: string) => BoxRecord | null;
  /** Names of all, also of those that cannot be read. */
  readonly names: () => readonly string[];
  readonly write: (record: BoxRecord) => void;
  readonly remove: (name: string) => void;
  /** Where the box's keeper listens; in a folder that is ours alone. */
  readonly socketOf: (name: string) => string;
  readonly lockOf: (name: string) => string;
  /** The folder of what its windows wrote (`logs.ts`). */
  readonly logsOf: (name: string) => string;
  /** The folder that the box sees for the runner's door. */
  readonly doorOf: (name: string) => string;
  /** The folder in which an engine's root for it is made. */
  readonly rootOf: (name: string) => string;
  /** Where the lock of a box stands, which outlives its record. */
  readonly lockedOf: (name: string) => string;
  /** Lets a runner know that something has changed. */
  readonly tell: () => void;
}

/** Opens the folder of records, which is made where it is absent. */
export function openBoxRecords(directory: string, uid: number): BoxRecords {
  ensurePrivateDirectory(directory, { uid });
  const at = (name: string, suffix: string): string => {
    if (!nameShape.test(name)) throw badName(name);
    return join(directory, name + suffix);
  };
  return {
    directory,
    read: (name) => {
      const file = readPrivateFile(at(name, '.json'), { uid, maxBytes });
      if (file.kind === 'missing') return null;
      const checked = file.kind === 'text' ? readJson(check, file.text) : null;
      if (checked?.ok === true && checked.value.name === name) return checked.value;
      throw refuse(
        'config-invalid',
        `The record of the box "${name}" ${file.kind === 'unsafe' ? file.why : 'cannot be read'}.`,
        `Look at ${at(name, '.json')}; interlock box gc ends a box whose record is damaged.`,
      );
    },
    names: () =>
      readdirSync(directory)
        .filter((file) => file.endsWith('.json') && nameShape.test(file.slice(0, -5)))
        .map((file) => file.slice(0, -5))
        .toSorted(),
    write: (record) => {
      writeFileAtomic(at(record.name, '.json'), `${JSON.stringify(record)}\n`);
      tellOf(directory);
    },
    remove: (name) => {
      for (const suffix of ['.logs', '.sock', '.door', '.json'])
        rmSync(at(name, suffix), { force: true, recursive: true });
      tellOf(directory);
    },
    socketOf: (name) => at(name, '.sock'),
    lockOf: (name) => at(name, '.lock'),
    logsOf: (name) => at(name, '.logs'),
    doorOf: (name) => at(name, '.door'),
    rootOf: (name) => at(name, '.root'),
    lockedOf: (name) => at(name, '.locked'),
    tell: () => tellOf(directory),
  };
}

/** A file whose change a runner hears of. */
export const changedFile = '.changed';

function tellOf(directory: string): void {
  writeFileAtomic(join(directory, changedFile), '', { outlives: 'process' });
}

function badName(name: string): Error {
  return refuse(
    'config-invalid',
    `"${name.slice(0, 80)}" is not a name of a box.`,
    'A name has 1 to 32 of a-z, 0-9 and hyphens, and begins and ends with a letter or digit.',
  );
}
