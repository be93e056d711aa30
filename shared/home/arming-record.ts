import { compile } from '../base/index.ts';
import { readPrivateFile, writeFileAtomic } from './files.ts';

/** A folder in which an agent has asked through its hook, and how its hooks stood then. */
export interface ArmedSession {
  readonly agent: string;
  readonly host: string;
  readonly folder: string;
  readonly present: boolean;
  readonly problems: readonly string[];
  readonly plugins: string;
}

/** An agent whose hooks were changed so that the gate would not be asked. */
export interface DisarmedAgent {
  readonly agent: string;
  readonly host: string;
  readonly folder: string;
  /** A sentence. */
  readonly reason: string;
  readonly at: number;
}

/** `state/arming.json`. */
export interface ArmingRecord {
  readonly version: 1;
  readonly sessions: readonly ArmedSession[];
  readonly disarmed: readonly DisarmedAgent[];
}

const maxBytes = 1024 * 1024;
const text = { type: 'string', maxLength: 4096 };
const place = { agent: text, host: text, folder: text };

const check = compile<ArmingRecord>({
  type: 'object',
  additionalProperties: false,
  required: ['version', 'sessions', 'disarmed'],
  properties: {
    version: { const: 1 },
    sessions: {
      type: 'array',
      maxItems: 512,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['agent', 'host', 'folder', 'present', 'problems', 'plugins'],
        properties: {
          ...place,
          present: { type: 'boolean' },
          problems: { type: 'array', maxItems: 64, items: text },
          plugins: text,
        },
      },
    },
    disarmed: {
      type: 'array',
      maxItems: 512,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['agent', 'host', 'folder', 'reason', 'at'],
        properties: { ...place, reason: text, at: { type: 'number' } },
      },
    },
  },
});

export const noArming: ArmingRecord = { version: 1, sessions: [], disarmed: [] };

/** The record; empty where there is none yet, null where it cannot be read or believed. */
export function readArming(path: string, uid: number): ArmingRecord | null {
  const file = readPrivateFile(path, { uid, maxBytes });
  if (file.kind === 'missing') return noArming;
  if (file.kind !== 'text') return null;
  try {
    const checked = check(JSON.parse(file.text));
    return checked.ok ? checked.value : null;
  } catch {
    return null;
  }
}

/** Throws what the file system throws. */
export function writeArming(path: string, record: ArmingRecord): void {
  writeFileAtomic(path, `${JSON.stringify(record)}\n`);
}
