import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { compile, refuse } from '../base/index.ts';
import type { Refusal } from '../base/index.ts';
import {
  brokeredProgram,
  brokeredWords,
  judgeToolCall,
  toolPolicyProblem,
  toolPolicySchema,
} from '../engine/index.ts';
import type { BrokeredCalls, ToolPolicy, ToolRequest } from '../engine/index.ts';
import { programOnPath } from './own-command.ts';
import { hashOfText, privateDirectoryProblem, readPrivateFile } from './files.ts';
import { readStrictYaml } from './strict-yaml.ts';

/** The policy of a tool as its file says it, or why it says nothing. */
export type ToolPolicyFile =
  | { readonly ok: true; readonly policy: ToolPolicy; readonly hash: string }
  | { readonly ok: false; readonly problem: Refusal; readonly missing: boolean };

const maxBytes = 64 * 1024;
const check = compile(toolPolicySchema);
const named = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/u;

/** The tools that have a policy in this folder (`policy` of the home), by name. */
export function toolsIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
      .filter((file) => file.endsWith('.yaml'))
      .map((file) => file.slice(0, -'.yaml'.length))
      .filter((name) => named.test(name))
      .toSorted();
  } catch {
    return [];
  }
}

/** Reads the policy of one tool. A file that others could have written says nothing. Never rejects. */
export async function readToolPolicy(
  directory: string,
  tool: string,
  uid: number,
): Promise<ToolPolicyFile> {
  const path = join(directory, `${tool}.yaml`);
  const missing = failed(
    `No brokered tool is named "${tool}" here.`,
    'See "interlock tool list"; a person adds one with: interlock tool add NAME',
    true,
  );
  if (!named.test(tool)) return missing;
  const file = readPrivateFile(path, { uid, maxBytes });
  if (file.kind === 'missing') return missing;
  const folder = privateDirectoryProblem(directory, { uid });
  if (folder !== null) return { ok: false, problem: folder, missing: false };
  if (file.kind === 'unsafe') return failed(`${path} ${file.why}.`, `Run: chmod 600 ${path}`);
  const read = await parseToolPolicy(file.text, tool);
  if (!read.ok)
    return failed(`${path}: ${read.problem}`, 'Mend it, then try: interlock tool check');
  return { ok: true, policy: read.policy, hash: hashOfText(file.text) };
}

/** A call that the policy of its tool lets go to the agent's rules. */
export interface AdmittedToolCall {
  readonly policy: ToolPolicy;
  /** Of the policy's file, as it was read. */
  readonly hash: string;
  /** Why a person is asked each time; null where the agent's rules decide. */
  readonly confirm: string | null;
}

interface ToolPlaces {
  /** `policy` of the home. */
  readonly directory: string;
  readonly uid: number;
  /** Names of the secrets that are kept. Called only where the tool has any. */
  readonly kept: () => Promise<ReadonlySet<string>>;
}

/**
 * Holds a request for a brokered tool against the policy of the tool as its file is now. Rejects with
 * `policy-deny` for what it does not name, `config-invalid` where it cannot be read or a secret that
 * it needs is not kept, `invalid-request` for what is not a call of one program.
 */
export async function admitToolCall(
  request: ToolRequest,
  { directory, uid, kept }: ToolPlaces,
): Promise<AdmittedToolCall> {
  const { argv } = brokeredProgram(request);
  const file = await readToolPolicy(directory, argv[0] ?? '', uid);
  if (!file.ok) {
    const { code, message, hint } = file.problem;
    throw refuse(file.missing ? 'policy-deny' : code, message, hint);
  }
  const { policy, hash } = file;
  const { tool, credentials } = policy;
  const env = Object.keys(request.command.env ?? {});
  const { decision, why } = judgeToolCall(policy, { words: argv.slice(1), env });
  if (decision === 'deny')
    throw refuse(
      'policy-deny',
      why,
      `What it takes: interlock tool show ${tool}. A person changes that, in its file.`,
    );
  if (credentials.length > 0) {
    const names = await kept();
    const lacking = credentials.find(
      ({ secret, optional }) => optional !== true && !names.has(secret),
    );
    if (lacking !== undefined) throw noSecretFor(tool, lacking.secret);
  }
  return { policy, hash, confirm: decision === 'confirm' ? why : null };
}

/** A person has to keep it first. */
export function noSecretFor(tool: string, secret: string): Error {
  return refuse(
    'config-invalid',
    `The tool ${tool} needs the secret "${secret}", and none of that name is kept here.`,
    `A person keeps it with: interlock secret set ${secret}`,
  );
}

/** The policies of a home that hold, while they are as they were. */
interface ToolPolicies {
  /** By their tools; the files are read anew where one of them is another. */
  readonly look: () => Promise<ReadonlyMap<string, ToolPolicy>>;
  /** Calls in a sandbox that surely come to the gate, as of the last look. */
  readonly calls: () => BrokeredCalls;
}

/** A program in whose place something else is put in a sandbox. */
interface Replaceable {
  /** Its real path. */
  readonly file: string;
  /** The folder without which it would not run from another place; null where it stands alone. */
  readonly package: string | null;
}

/**
 * The file that a program's name leads to in PATH, where something else can be put in its place in a
 * sandbox; null where not. A plan names programs by their paths. What is only a part of a package
 * (npm's is a script that looks around itself) runs from another place with all of that, where it is
 * a package of Node; else only a tool all of whose calls are brokered can be replaced.
 */
export function replaceableProgram(
  { tool, others }: Pick<ToolPolicy, 'tool' | 'others'>,
  path: readonly string[],
): Replaceable | null {
  const file = programOnPath(tool, path.join(delimiter));
  if (file === null) return null;
  try {
    const real = realpathSync(file);
    if (real === file) return { file: real, package: null };
    const inPackage = packageOf(real);
    return inPackage === null && others !== 'refused' ? null : { file: real, package: inPackage };
  } catch {
    return null;
  }
}

/** The folder of the package in `node_modules` that a file belongs to; null where it is in none. */
function packageOf(file: string): string | null {
  const [, folder = null] = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/@][^/]*)\/.+$/u.exec(file) ?? [];
  return folder !== null && existsSync(join(folder, 'package.json')) ? folder : null;
}

/**
 * @param directory `policy` of the home
 * @param path directories of the PATH that commands get
 */
export function openToolPolicies(
  directory: string,
  uid: number,
  path: readonly string[],
): ToolPolicies {
  let mark = '';
  let known: ReadonlyMap<string, ToolPolicy> = new Map();
  let calls: BrokeredCalls = new Map();
  const markOf = (tool: string): string => {
    const { ino, size, mtimeMs, ctimeMs } = statSync(join(directory, `${tool}.yaml`));
    return `${tool} ${ino} ${size} ${mtimeMs} ${ctimeMs}`;
  };
  const look = async (): Promise<ReadonlyMap<string, ToolPolicy>> => {
    const tools = toolsIn(directory);
    let now: string;
    try {
      now = tools.map(markOf).join('\n');
    } catch {
      now = `${mark}?`;
    }
    if (now === mark) return known;
    const files = await Promise.all(
      tools.map(async (tool) => readToolPolicy(directory, tool, uid)),
    );
    known = new Map(files.flatMap((file) => (file.ok ? [[file.policy.tool, file.policy]] : [])));
    calls = new Map(
      [...known.values()]
        .filter((policy) => replaceableProgram(policy, path) !== null)
        .map((policy) => [policy.tool, brokeredWords(policy)]),
    );
    mark = now;
    return known;
  };
  return { look, calls: () => calls };
}

/**
 * Reads the text of a policy. Of YAML only plain data is taken: no key twice, no anchors, no aliases,
 * no tags, one document. `problem` is a sentence with the line where one is known. Never rejects.
 */
export async function parseToolPolicy(
  text: string,
  tool: string,
): Promise<
  | { readonly ok: true; readonly policy: ToolPolicy }
  | { readonly ok: false; readonly problem: string }
> {
  const read = await readStrictYaml(text);
  if (!read.ok) return read;
  const checked = check(read.value);
  if (!checked.ok) return { ok: false, problem: checked.error };
  const problem = toolPolicyProblem(checked.value, tool);
  return problem === null ? { ok: true, policy: checked.value } : { ok: false, problem };
}

function failed(message: string, hint: string, missing = false): ToolPolicyFile {
  return { ok: false, problem: refuse('config-invalid', message, hint).refusal, missing };
}
