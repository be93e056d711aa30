import { readFileSync } from 'node:fs';
import { RefusalError, refuse } from '../../../shared/base/index.ts';
import { parsePolicy } from '../../../shared/engine/index.ts';
import type {
  ExampleCheck,
  PolicyChange,
  PolicyDocument,
  Rule,
} from '../../../shared/engine/index.ts';
import { openHome } from '../../../shared/home/index.ts';
import type { Home } from '../../../shared/home/index.ts';
import { engineOf } from '../check/bench.ts';
import { CliError } from '../failure.ts';
import type { Io } from '../io.ts';

/** A valid policy file as it was read, ready to be edited. */
export interface OpenPolicy {
  readonly home: Pick<Home, 'policy' | 'writePolicy'>;
  readonly document: PolicyDocument;
  readonly hash: string;
}

/** The policy of this home. Throws what is wrong with it when it is not valid. */
export function openPolicy(io: Io): OpenPolicy {
  const home = openHome(io.env);
  const file = home.readPolicy();
  if (file.ok) return { home, document: file.document, hash: file.hash };
  if (file.missing)
    throw new CliError(
      `There is no policy: ${home.policy} does not exist.`,
      'Run "interlock init" first.',
    );
  throw new RefusalError(file.problem);
}

/** What `--yes` says. */
export interface YesOption {
  readonly yes?: boolean;
}

export const yesFlag = ['--yes', 'also what can hardly be meant'] as const;

/** Makes changes and writes them if the file is still the one that was read; hands back the new hash. */
export async function editPolicyFile(
  { home, document, hash }: OpenPolicy,
  changes: readonly PolicyChange[],
  io: Io,
  { yes = false }: YesOption = {},
): Promise<string> {
  const edited = await engineOf({}, io).edit(document, changes, { accepted: yes });
  if (!edited.ok) throw new RefusalError(edited.problem);
  return (await home.writePolicy(edited.document, { baseHash: hash })).hash;
}

/** The text of a file that somebody names; bytes that are not UTF-8 are refused, not replaced. */
export function textOf(file: string, hint: string): string {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new CliError(`${file} cannot be read.`, hint, { cause: error });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new CliError(`${file} is not UTF-8 text.`, hint, { cause: error });
  }
}

/** The policy in a file that somebody names; owner and mode do not matter, its content does. */
export function readOtherPolicy(file: string): PolicyDocument {
  const parsed = parsePolicy(textOf(file, 'Give the path of a policy file.'));
  if (parsed.ok) return parsed.document;
  const { message } = parsed.problem;
  throw refuse(
    'invalid-request',
    `${file} is not a policy that could be set. ${message.replace(/^The policy/u, 'It')}`,
    'Mend that file. The present policy stays as it is.',
  );
}

/** The document as it may be shown and passed around: without the socket and its token. */
export function withoutSocket(document: PolicyDocument): PolicyDocument {
  const { socket: _socket, ...rest } = document;
  return rest;
}

/** A rule and the agent that it stands under. */
interface PlacedRule {
  readonly agent: string;
  readonly rule: Rule;
}

/** Every rule of a policy, agent by agent. */
export function rulesOf(document: PolicyDocument): readonly PlacedRule[] {
  return Object.entries(document.agents ?? {}).flatMap(([agent, { allowlist = [] }]) =>
    allowlist.map((rule) => ({ agent, rule })),
  );
}

/** One sentence for each example that fails, with the rule that carries it. */
export function failuresOf(document: PolicyDocument, check: ExampleCheck): readonly string[] {
  return rulesOf(document).flatMap(({ agent, rule }) =>
    check(rule).map((sentence) => `Rule ${rule.id} of ${agent}: ${sentence}`),
  );
}
