import { compile, readJson, s } from '../base/index.ts';
import type { Static } from '../base/index.ts';
import { readPrivateFile, writeFileAtomic } from './files.ts';

const text = s.string({ maxLength: 4096 });
const place = { agent: text, host: text, folder: text };

const armedSession = s.object({
  ...place,
  present: s.boolean(),
  problems: s.array(text, { maxItems: 64 }),
  plugins: text,
});

/** A folder in which an agent has asked through its hook, and how its hooks stood then. */
export type ArmedSession = Static<typeof armedSession>;

const disarmedAgent = s.object({
  ...place,
  /** A sentence. */
  reason: text,
  at: s.number(),
});

/** An agent whose hooks were changed so that the gate would not be asked. */
export type DisarmedAgent = Static<typeof disarmedAgent>;

const record = s.object({
  version: s.literal(1),
  sessions: s.array(armedSession, { maxItems: 512 }),
  disarmed: s.array(disarmedAgent, { maxItems: 512 }),
});

/** `state/arming.json`. */
export type ArmingRecord = Static<typeof record>;

const maxBytes = 1024 * 1024;
const check = compile(record);

export const noArming: ArmingRecord = { version: 1, sessions: [], disarmed: [] };

/** The record; empty where there is none yet, null where it cannot be read or believed. */
export function readArming(path: string, uid: number): ArmingRecord | null {
  const file = readPrivateFile(path, { uid, maxBytes });
  if (file.kind === 'missing') return noArming;
  if (file.kind !== 'text') return null;
  const checked = readJson(check, file.text);
  return checked.ok ? checked.value : null;
}

/** Throws what the file system throws. */
export function writeArming(path: string, arming: ArmingRecord): void {
  writeFileAtomic(path, `${JSON.stringify(arming)}\n`);
}
