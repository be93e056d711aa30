import { readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { compile, readJson, s } from '../../shared/base/index.ts';
import type { Static } from '../../shared/base/index.ts';
import { readPrivateFile } from '../../shared/home/index.ts';
import { readKeyFile } from '../../shared/ipc/index.ts';
import { deliveredFolder } from './detect.ts';

/** Something that whoever set the sandbox up can put right. */
export class ClientError extends Error {
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.name = 'ClientError';
    this.hint = hint;
  }
}

const settingsSchema = s.object({
  version: s.literal(1),
  /** Where the shared folder is, in the sandbox. */
  folder: s.optional(s.string({ pattern: '^/[^\\u0000]*$', maxLength: 4_096 })),
  pauseAfterRefusals: s.nullable(s.integer({ minimum: 2, maximum: 1_000 })),
  waitSec: s.integer({ minimum: 1, maximum: 3_600 }),
});
type Settings = Static<typeof settingsSchema>;

/** What holds where no settings were delivered beside a key. */
const plainSettings: Settings = { version: 1, pauseAfterRefusals: 5, waitSec: 300 };

/** Who asks, with what, and where. */
export interface Place {
  readonly principal: string;
  readonly key: Uint8Array;
  readonly settings: Settings;
  /** `.interlock` of the shared folder. */
  readonly directory: string;
  /** The folder one is in, below the shared one; null outside of it. */
  readonly cwd: string | null;
  /** Where the client keeps what it remembers. */
  readonly stateFile: string;
}

type Env = Readonly<Record<string, string | undefined>>;

interface PlaceOptions {
  readonly env: Env;
  readonly cwd: string;
  readonly uid: number;
  /** Which agent's key, where there are several. */
  readonly agent?: string;
}

/** Finds key, settings and folder. Throws a `ClientError` that says what is missing. */
export function findPlace(options: PlaceOptions): Place {
  const keyFile = findKey(options);
  const principal = basename(keyFile, '.key');
  const key = readKeyFile(keyFile, options.uid);
  if (key === null) throw noKey(keyFile);
  const beside = join(dirname(keyFile), principal);
  const settings = readSettings(`${beside}.json`, options.uid);
  const shared = findShared(options, settings);
  return {
    principal,
    key,
    settings,
    directory: join(shared, '.interlock'),
    cwd: below(shared, options.cwd),
    stateFile: `${beside}.state.json`,
  };
}

function findKey({ env, agent }: PlaceOptions): string {
  const named = env['INTERLOCK_KEY_FILE'] ?? '';
  if (named !== '') return named;
  const folder = deliveredFolder(env);
  const wanted = agent ?? env['INTERLOCK_AGENT'] ?? '';
  if (wanted !== '') return join(folder, `${basename(wanted)}.key`);
  const keys = namesIn(folder).filter((name) => name.endsWith('.key'));
  const [only] = keys;
  if (only === undefined) throw noKey(folder);
  if (keys.length === 1) return join(folder, only);
  throw new ClientError(
    `There are several keys in ${folder}.`,
    `Say whose: INTERLOCK_AGENT=${basename(only, '.key')}`,
  );
}

function noKey(where: string): ClientError {
  return new ClientError(
    `There is no key of an agent in ${where}.`,
    'A person gives one, on the host: interlock agents add NAME --deliver HOME',
  );
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const maxSettingsBytes = 64 * 1024;
const checkSettings = compile(settingsSchema);

function readSettings(path: string, uid: number): Settings {
  const file = readPrivateFile(path, { uid, maxBytes: maxSettingsBytes });
  if (file.kind === 'missing') return plainSettings;
  const checked = file.kind === 'text' ? readJson(checkSettings, file.text) : null;
  if (checked?.ok === true) return checked.value;
  throw new ClientError(
    `The settings in ${path} cannot be used.`,
    'A person delivers them anew, on the host: interlock agents rekey NAME --deliver HOME',
  );
}

function findShared({ env, cwd }: PlaceOptions, settings: Settings): string {
  const named = env['INTERLOCK_SHARED'] ?? settings.folder ?? '';
  if (named !== '') {
    if (isShared(named)) return named;
    throw notShared(named);
  }
  for (let here = cwd; ; here = dirname(here)) {
    if (isShared(here)) return here;
    if (dirname(here) === here) throw notShared(cwd);
  }
}

function isShared(folder: string): boolean {
  return ['requests', 'responses', 'teardowns'].every(
    (part) =>
      statSync(join(folder, '.interlock', part), { throwIfNoEntry: false })?.isDirectory() === true,
  );
}

function notShared(where: string): ClientError {
  return new ClientError(
    `${where} is not a folder through which a host can be asked, nor below one.`,
    'Go there, or say where it is: INTERLOCK_SHARED=/path. A person shares one, on the host: interlock rpc install FOLDER',
  );
}

function below(shared: string, cwd: string): string | null {
  const inside = relative(realpathSync(shared), realpathSync(cwd));
  if (inside === '') return '.';
  return inside === '..' || inside.startsWith(`..${sep}`) ? null : inside;
}
