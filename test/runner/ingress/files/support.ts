import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { deliver, targetOf } from '../../../../runner/cli/deliver.ts';
import { issueAgentKey } from '../../../../shared/home/agent-keys.ts';
import { openHome } from '../../../../shared/home/home.ts';
import type { HomePaths } from '../../../../shared/home/paths.ts';
import { makeSharedFolder } from '../../../../shared/home/shared-folder.ts';
import {
  descriptorText,
  isSignedDescriptor,
  readDescriptorText,
  signDescriptor,
} from '../../../../shared/ipc/descriptors.ts';
import { readKeyFile } from '../../../../shared/ipc/signed-request.ts';
import { secretsOf, writeTool } from '../../tools/support.ts';
import type { AnswerFile } from '../../../../shared/wire/descriptors.ts';

/** A policy under which everything runs. */
export const free = { security: 'full', ask: 'off' } as const;

/** Limits that no test runs into; they are made for agents. */
export const limits = {
  requestsPerMinute: 100_000,
  burst: 10_000,
  requestsPerMinuteInAll: 100_000,
  burstInAll: 10_000,
};

export const uid = process.geteuid?.() ?? -1;

/** What a request says, before it is signed; `undefined` leaves a field out. */
export type Fields = Readonly<Record<string, unknown>>;

/** A shared folder of a home, with agents that may ask through it. */
export interface Shared {
  readonly paths: HomePaths;
  readonly folder: string;
  readonly keys: Readonly<Record<string, Uint8Array>>;
}

/** Makes the folder beside the home, the agents with their keys, and `config.json`. */
export async function share(
  paths: HomePaths,
  {
    agents = ['box'],
    config = {},
    rpc = {},
    at = join(paths.home, '..', 'shared'),
  }: {
    readonly agents?: readonly string[];
    readonly config?: object;
    readonly rpc?: object;
    readonly at?: string;
  } = {},
): Promise<Shared> {
  mkdirSync(at, { recursive: true });
  makeSharedFolder(at, { owners: [uid], open: false });
  const keys: Record<string, Uint8Array> = {};
  const secrets = await openHome({ INTERLOCK_HOME: paths.home }).openSecrets();
  for (const name of agents) {
    const file = await issueAgentKey(
      { name, createdAt: 0 },
      { directory: paths.keysDirectory, secrets, uid, now: Date.now, random: randomBytes },
    );
    keys[name] = readKeyFile(file, uid) ?? randomBytes(0);
  }
  configure(paths, { ...config, rpc: { folders: [{ path: at }], ...rpc } });
  return { paths, folder: at, keys };
}

export function configure(paths: Pick<HomePaths, 'config'>, config: object): void {
  writeFileSync(paths.config, JSON.stringify({ version: 1, ...config }), { mode: 0o600 });
}

/** The fields that each request has. */
export function fresh(fields: Fields = {}): Fields {
  return {
    id: randomUUID(),
    created_at: new Date().toISOString(),
    nonce: randomBytes(8).readBigUInt64BE().toString(),
    principal: 'box',
    ...fields,
  };
}

/** The text of a signed request. */
export function signed({ keys }: Pick<Shared, 'keys'>, fields: Fields): string {
  return descriptorText(
    signDescriptor(keys[String(fields['principal'])] ?? randomBytes(32), fields),
  );
}

export const requestFile = ({ folder }: Pick<Shared, 'folder'>, id: unknown): string =>
  join(folder, '.interlock', 'requests', `${String(id)}.yaml`);
export const responseFile = ({ folder }: Pick<Shared, 'folder'>, id: unknown): string =>
  join(folder, '.interlock', 'responses', `${String(id)}.yaml`);

/** Puts a text in its place as a client does; the id. */
export function put(
  shared: Pick<Shared, 'folder'>,
  id: unknown,
  text: string,
  part = 'requests',
): string {
  const directory = join(shared.folder, '.interlock');
  const temporary = join(directory, `.${String(id)}.${randomBytes(4).toString('hex')}.tmp`);
  writeFileSync(temporary, text, { mode: 0o600 });
  renameSync(temporary, join(directory, part, `${String(id)}.yaml`));
  return String(id);
}

/** Writes a signed request; its fields. */
export function ask(shared: Shared, fields: Fields): Fields {
  const all = fresh(fields);
  put(shared, all['id'], signed(shared, all));
  return all;
}

/** Waits for the answer to an id. */
export async function answerTo(shared: Pick<Shared, 'folder'>, id: unknown): Promise<AnswerFile> {
  const file = responseFile(shared, id);
  await expect.poll(() => existsSync(file), { interval: 5 }).toBe(true);
  return readDescriptorText(readFileSync(file, 'utf8')) as unknown as AnswerFile;
}

/** Asks and waits; the answer has to be signed with the agent's key, or be a refusal without any. */
export async function answered(shared: Shared, fields: Fields): Promise<AnswerFile> {
  const { id, principal, nonce } = ask(shared, fields);
  const answer = await answerTo(shared, id);
  const key = shared.keys[String(principal)];
  if (answer.hmac !== null) expect(isSignedDescriptor(key ?? randomBytes(32), answer)).toBe(true);
  else expect(answer.ok).toBe(false);
  if (answer.hmac !== null) expect(answer).toMatchObject({ id, nonce, principal });
  return answer;
}

/** How an answer ended, in a word. */
export function wordOf({ ok, exit_code: code, signal, refusal }: AnswerFile): string {
  return ok ? `exit ${String(code ?? signal)}` : (refusal?.code ?? 'no refusal');
}

/** A new key for the agent, in the home of a sandbox, as `--deliver` puts it there. */
export async function issuePlace({ paths }: Pick<Shared, 'paths'>, home: string): Promise<void> {
  const opened = openHome({ INTERLOCK_HOME: paths.home });
  const target = await targetOf({ deliver: home }, opened);
  if (target === null) throw new Error('there is no place for the key');
  const keyFile = await issueAgentKey(
    { name: 'box', createdAt: 0 },
    {
      directory: paths.keysDirectory,
      secrets: await opened.openSecrets(),
      uid,
      now: Date.now,
      random: randomBytes,
    },
  );
  await deliver({ name: 'box', keyFile }, target);
}

/** Makes `printenv` a brokered tool with a secret in MY_TOKEN; the value of the secret. */
export async function brokered({ paths }: Pick<Shared, 'paths'>): Promise<string> {
  const policy = [
    'version: 1',
    'tool: printenv',
    'folder: private',
    'credentials: [{ secret: mine, variable: MY_TOKEN }]',
    'allow: [{ args: [[MY_TOKEN, HOME]] }]',
    'confirm: []',
  ];
  writeTool(paths, 'printenv', `${policy.join('\n')}\n`);
  const value = randomBytes(24).toString('hex');
  await (await secretsOf(paths)).set('mine', Buffer.from(value));
  return value;
}
