import { constants } from 'node:fs';
import { mkdir, open, readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ReadEntry } from 'tar';
import { messageOf, refuse } from '../../shared/base/index.ts';
import { secretByName } from '../../shared/engine/index.ts';
import type { Execution, ToolPolicy } from '../../shared/engine/index.ts';
import type { NamedFile } from '../hosts/host.ts';

type Program = Extract<Execution, { readonly kind: 'argv' }>;

interface Publishing {
  /** The call, as it was agreed to. */
  readonly program: Program;
  /** Absolute real path; where the call was made. */
  readonly cwd: string;
  /** Files and folders of a sandbox that the call names; absent: it comes out of none. */
  readonly named?: readonly NamedFile[];
  /** An empty folder of our own. */
  readonly folder: string;
  /** The registry that the credential is for. */
  readonly registry: string;
  /** Runs npm without the credential, held to what the call names; rejects where it fails. */
  readonly pack: (program: Program, source: string) => Promise<void>;
}

/** Options of `npm publish` that take the next word. */
const valued: ReadonlySet<string> = new Set(['--access', '--otp', '--tag']);

/** Of `publishConfig` what steers nothing: npm takes a proxy, a certificate or a script from there, too. */
const harmless: ReadonlySet<string> = new Set(['access', 'tag', 'registry', 'provenance']);

const mostBytes = 512 * 1024 * 1024;
const mostManifest = 4 * 1024 * 1024;

const npm = 'npm';

/** Whether a call of a brokered tool publishes a package with npm. */
export function publishes(tool: string, [, word]: Program['argv']): boolean {
  return tool === npm && word === 'publish';
}

/** The registry that a policy of npm has its credential for. */
export function registryOf({ set }: Pick<ToolPolicy, 'set'>): string {
  return set?.['npm_config_registry'] ?? 'https://registry.npmjs.org/';
}

/**
 * How a package is published by npm while it holds a credential: out of an archive in a folder of our
 * own that says nothing npm would follow. A folder is packed first, without the credential and without
 * its scripts. Throws `invalid-request` where nothing is to be published there, `policy-deny` for an
 * archive that npm would be steered by, and `binding-drift` where a file is another one by now.
 */
export async function publishedAs(call: Publishing): Promise<Program> {
  const { program, cwd, folder } = call;
  const { options, words } = readWords(program.argv.slice(2));
  const [word = '.', second] = words;
  if (second !== undefined)
    throw refuse('invalid-request', 'One package is published at a time.', 'Name one of them.');
  const source = resolve(cwd, word);
  const packed = join(folder, 'packed');
  await mkdir(packed, { mode: 0o700 });
  const isFolder = await isDirectory(source, word);
  if (isFolder) {
    const argv = [npm, 'pack', '--ignore-scripts', `--pack-destination=${packed}`, source];
    await call.pack({ ...program, argv }, source);
  } else await copyFile(source, join(packed, 'package.tgz'), call.named);
  const [archive, other] = await readdir(packed);
  if (archive === undefined || other !== undefined)
    throw refuse('invalid-request', 'npm has not packed one archive of it.', 'Nothing was run.');
  const path = join(packed, archive);
  await requireHarmless(path, { isFolder, registry: call.registry });
  return { ...program, argv: [npm, 'publish', ...options, path] };
}

/** Options, and what else there is. Those that take a value have it in the same word behind this. */
function readWords(said: readonly string[]): {
  readonly options: readonly string[];
  readonly words: readonly string[];
} {
  const options: string[] = [];
  const words: string[] = [];
  let waiting: string | null = null;
  for (const word of said) {
    if (waiting !== null) {
      options.push(`${waiting}=${word}`);
      waiting = null;
    } else if (valued.has(word)) waiting = word;
    else if (word.startsWith('-')) options.push(word);
    else words.push(word);
  }
  if (waiting !== null)
    throw refuse('invalid-request', `${waiting} takes a value.`, 'Say it as in: --tag=next');
  return { options, words };
}

async function isDirectory(source: string, word: string): Promise<boolean> {
  try {
    return (await stat(source)).isDirectory();
  } catch {
    throw refuse(
      'invalid-request',
      `${word.slice(0, 200)} is no folder and no archive here.`,
      'Name a folder with a package, or what "npm pack" has made.',
    );
  }
}

/** The file that was named and no other: what a sandbox has put in its place since is not read. */
async function copyFile(
  source: string,
  target: string,
  named: readonly NamedFile[] | undefined,
): Promise<void> {
  const from = await open(source, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const about = await from.stat();
    const { dev, ino, size } = about;
    if (named?.some(({ device, inode }) => device === dev && inode === ino) === false)
      throw refuse('binding-drift', `${source} is another file by now.`, 'Ask again.');
    if (!about.isFile() || size > mostBytes)
      throw refuse(
        'invalid-request',
        `${source} is no archive, or one of more than 512 MiB.`,
        'Name what "npm pack" has made.',
      );
    const to = await open(target, 'wx', 0o600);
    try {
      for await (const chunk of from.createReadStream({ autoClose: false, end: mostBytes }))
        await to.write(chunk as Buffer);
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

/** Reads an archive as npm does, by the same library. */
async function requireHarmless(
  path: string,
  { isFolder, registry }: { readonly isFolder: boolean; readonly registry: string },
): Promise<void> {
  const manifests: Promise<Buffer>[] = [];
  const secret: string[] = [];
  let bytes = 0;
  // Few runners ever read one.
  const { list } = await import('tar');
  await list({
    file: path,
    strict: true,
    maxReadSize: 1024 * 1024,
    onReadEntry: (entry) => {
      bytes += entry.size;
      if (bytes > mostBytes) throw cannotBeRead('it unpacks to more than 512 MiB');
      const within = entry.path.split('/').slice(1).join('/');
      if (isFolder && secretByName(`/package/${within}`) !== null) secret.push(within);
      if (within.toLowerCase() !== 'package.json') entry.resume();
      else manifests.push(contentsOf(entry));
    },
  }).catch((error: unknown) => {
    throw cannotBeRead(messageOf(error));
  });
  const [first] = secret;
  if (first !== undefined)
    throw refuse(
      'policy-deny',
      `The package would have ${first.slice(0, 200)} in it, which is kept from agents.`,
      'Leave it out by "files" or .npmignore, or publish an archive that you packed: npm publish ./NAME.tgz',
    );
  const [manifest, other] = manifests;
  if (manifest === undefined || other !== undefined)
    throw cannotBeRead('it has no package.json, or several');
  requireHarmlessManifest(await manifest, registry);
}

async function contentsOf(entry: ReadEntry): Promise<Buffer> {
  if (entry.type !== 'File' || entry.size > mostManifest)
    throw cannotBeRead('its package.json is no plain file, or too long');
  return entry.concat();
}

function requireHarmlessManifest(text: Buffer, registry: string): void {
  let config: unknown;
  try {
    const manifest = JSON.parse(text.toString('utf8').replace(/^\uFEFF/u, '')) as unknown;
    config = (manifest as { publishConfig?: unknown }).publishConfig ?? {};
  } catch (error) {
    throw cannotBeRead(messageOf(error));
  }
  if (typeof config !== 'object' || config === null || Array.isArray(config))
    throw cannotBeRead('"publishConfig" of its package.json is no object');
  const steering = Object.entries(config).find(
    ([name, value]) =>
      !harmless.has(name) || (name === 'registry' && plain(value) !== plain(registry)),
  );
  if (steering === undefined) return;
  throw refuse(
    'policy-deny',
    `"publishConfig" of the package says ${steering[0].slice(0, 60)}, which would steer npm while it holds the token.`,
    `It may say access, tag, provenance and the registry ${registry}.`,
  );
}

function plain(registry: unknown): string {
  return typeof registry === 'string' ? registry.replace(/\/+$/u, '') : '';
}

function cannotBeRead(why: string): Error {
  return refuse(
    'policy-deny',
    `What the archive of the package says cannot be told: ${why}.`,
    'Publish what "npm pack" makes.',
  );
}
