import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { compile, readJson, refuse, s } from '../../../shared/base/index.ts';
import type { Static } from '../../../shared/base/index.ts';
import type { SecretStore } from '../../../shared/home/index.ts';

/**
 * What is kept of a pairing with one Gateway. Both tokens are secrets: they rest in the secret store
 * and are sent to `url` only.
 */
const pairing = s.object({
  version: s.literal(1),
  url: s.string({ minLength: 1, maxLength: 256 }),
  /** Ours, for the scope `operator.approvals` and no other. */
  deviceToken: s.string({ pattern: '^[\\x21-\\x7e]{8,256}$' }),
  /** By which a Gateway of 2026.9 and later knows who may see the asks of other clients. */
  runtimeToken: s.string({ pattern: '^[A-Za-z0-9_-]{43}$' }),
});
export type Pairing = Static<typeof pairing>;
const checkPairing = compile(pairing);

const secretName = 'openclaw-pairing';

/** The pairing of this home; null where there is none, or one with another Gateway than `url`. */
export async function readPairing(secrets: SecretStore, url: string): Promise<Pairing | null> {
  const bytes = await secrets.get(secretName);
  if (bytes === null) return null;
  const checked = readJson(checkPairing, bytes);
  if (checked.ok) return checked.value.url === url ? checked.value : null;
  throw refuse(
    'config-invalid',
    'What the secret store has of the pairing with OpenClaw cannot be read.',
    'Pair again: interlock openclaw pair --token-file FILE',
  );
}

/** Keeps a pairing in the place of an earlier one. */
export async function savePairing(secrets: SecretStore, kept: Pairing): Promise<void> {
  await secrets.set(secretName, Buffer.from(JSON.stringify(kept), 'utf8'));
}

/** True when there was one. */
export async function forgetPairing(secrets: SecretStore): Promise<boolean> {
  return secrets.remove(secretName);
}

/** Where OpenClaw keeps its state: `OPENCLAW_STATE_DIR`, else `~/.openclaw`. */
export function openclawState(env: Readonly<Record<string, string | undefined>>): string {
  const named = env['OPENCLAW_STATE_DIR'];
  return named !== undefined && isAbsolute(named)
    ? named
    : join(env['HOME'] || homedir(), '.openclaw');
}

/**
 * Reads OpenClaw's row and tells what is derived from it, so that the socket's own token stays in
 * this process. The derivation is that of OpenClaw 2026.9.6: HMAC-SHA-256 of a fixed text under the
 * token, base64url. Run by a Node that has `node:sqlite`; the database is opened to read only.
 */
const reader = `
const tell = (said) => process.stdout.write(JSON.stringify(said));
let sqlite;
try { sqlite = require('node:sqlite'); } catch { tell({ kind: 'no-sqlite' }); process.exit(0); }
const db = new sqlite.DatabaseSync(process.argv[1], { readOnly: true });
const table = db.prepare("select 1 from sqlite_master where name = 'exec_approvals_config'").get();
const row = table && db.prepare('select raw_json from exec_approvals_config limit 1').get();
const document = row ? JSON.parse(row.raw_json) : {};
const token = String(document.socket?.token ?? '').trim();
const { security = null, ask = null } = document.defaults ?? {};
if (token === '') tell({ kind: 'no-token' });
else tell({ kind: 'found', security, ask, token: require('node:crypto')
  .createHmac('sha256', token).update('openclaw:gateway-approval-runtime-token:v1').digest('base64url') });
`;

const found = s.object({
  kind: s.literal('found'),
  token: s.string({ pattern: '^[A-Za-z0-9_-]{43}$' }),
  /** The defaults of OpenClaw's own approvals policy; null where it names none. */
  security: s.nullable(s.string({ maxLength: 64 })),
  ask: s.nullable(s.string({ maxLength: 64 })),
});
const said = s.union(found, s.object({ kind: s.oneOf(['no-sqlite', 'no-token']) }));
const checkSaid = compile(said);

/** What OpenClaw's state says of approvals; `token` is a secret. */
export type RuntimeState = Omit<Static<typeof found>, 'kind'>;

interface RuntimeStateOptions {
  /** OpenClaw's state folder, absolute. */
  readonly state: string;
  /** The Node that OpenClaw runs with, absolute. */
  readonly node: string;
  /** Whose files they have to be. */
  readonly uid: number;
}

const readWithinMs = 20_000;

/**
 * The token by which the Gateway of this machine knows its approval runtime, from OpenClaw's own
 * state. It is not told over the Gateway. Throws a `config-invalid` refusal without any of it.
 */
export async function readRuntimeState(options: RuntimeStateOptions): Promise<RuntimeState> {
  const { state, node, uid } = options;
  const path = join(state, 'state', 'openclaw.sqlite');
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() !== true)
    throw unreadable(
      `There is no state of OpenClaw at ${path}.`,
      'Name its folder: --state FOLDER. Releases before 2026.8 keep none and need no pairing.',
    );
  if (stats.uid !== uid)
    throw unreadable(`${path} belongs to another user.`, 'Run this as the user of the Gateway.');
  const told = await ask(node, path);
  if (told.kind === 'found') return told;
  throw told.kind === 'no-sqlite'
    ? unreadable(
        `${node} cannot read databases of SQLite.`,
        'Name the Node that OpenClaw runs with: --node FILE',
      )
    : unreadable(
        'OpenClaw has no approvals policy yet, and so no approval runtime that anybody could join.',
        'Have it made by its Gateway: openclaw approvals get --gateway. Then pair again.',
      );
}

async function ask(node: string, path: string): Promise<Static<typeof said>> {
  const out = await new Promise<string | null>((resolve) => {
    const words = ['--no-warnings', '-e', reader, path];
    const limits = { timeout: readWithinMs, maxBuffer: 64 * 1024, env: {} };
    execFile(node, words, limits, (error, stdout) => resolve(error === null ? stdout : null));
  });
  const told = out === null ? null : readJson(checkSaid, Buffer.from(out, 'utf8'));
  if (told?.ok === true) return told.value;
  throw unreadable(
    `${path} could not be read with ${node}.`,
    'Name the Node that OpenClaw runs with: --node FILE. Other releases may keep their state elsewhere.',
  );
}

function unreadable(sentence: string, hint: string): Error {
  return refuse('config-invalid', sentence, hint);
}
