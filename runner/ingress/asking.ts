import { compile, refusalOf, refuse } from '../../shared/base/index.ts';
import type { Refusal } from '../../shared/base/index.ts';
import { quoteWords } from '../../shared/engine/index.ts';
import type { TrustClaims } from '../../shared/engine/index.ts';
import { RunnerUnreachableError } from '../../shared/ipc/index.ts';
import type { RunnerClient } from '../../shared/ipc/index.ts';
import { permitBodySchema } from '../../shared/wire/index.ts';
import type { CallContext, HostShell, PermitBody } from '../../shared/wire/index.ts';

/** The runner as the gateways of agent hosts see it. */
export type AskingClient = Pick<
  RunnerClient,
  'check' | 'exec' | 'permit' | 'tool' | 'overrideSession'
>;

/** Who asks, on whose behalf all calls of one gateway are made. */
export interface AskingAgent {
  /** Absent: the runner's name for who gives none. */
  readonly agent?: string;
  /** Where the host tells no conversation of its own. */
  readonly session: string;
  /** What is said of whom it is for. */
  readonly claims?: TrustClaims;
}

/** The fields of a call that say who asks, where, and why. */
interface CallFields extends TrustClaims {
  readonly cwd: string;
  readonly session: string;
  readonly agent?: string;
  readonly toolUseId?: string;
  readonly statedReason?: string;
}

const longestReason = 4096;
const longestToolUseId = 256;

/**
 * Those fields from what a host told. Texts that the runner would refuse for their length are cut;
 * a session's id that is not a plain word is left out for the gateway's own.
 */
export function callFields(
  context: CallContext,
  { agent, session, claims }: AskingAgent,
): CallFields {
  const { statedReason, toolUseId } = context;
  return {
    cwd: context.cwd,
    session: isPlainName(context.session) ? context.session : session,
    ...(agent !== undefined && { agent }),
    ...claims,
    ...(toolUseId !== null && { toolUseId: toolUseId.slice(0, longestToolUseId) }),
    ...(statedReason !== null && { statedReason: statedReason.slice(0, longestReason) }),
  };
}

function isPlainName(text: string | null): text is string {
  return text !== null && /^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,127}$/.test(text);
}

/** A yes with what it brings, or a no with its reason. */
type Answer<T> =
  | { readonly kind: 'allowed'; readonly value: T }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/**
 * The answer of the gate. Whatever goes wrong on the way is a refusal: an agent's host that got no
 * clear yes must not go on.
 */
export async function answerOf<T>(asking: () => Promise<T>): Promise<Answer<T>> {
  try {
    return { kind: 'allowed', value: await asking() };
  } catch (error) {
    return { kind: 'refused', refusal: refusalFor(error) };
  }
}

/** The refusal that an error stands for. */
function refusalFor(error: unknown): Refusal {
  const refusal = refusalOf(error);
  if (refusal !== undefined) return refusal;
  if (error instanceof RunnerUnreachableError)
    return refuse('host-unavailable', error.message, error.hint).refusal;
  return refuse(
    'host-unavailable',
    'Interlock could not ask its gate, so nothing was allowed.',
    'Have a person run "interlock doctor".',
  ).refusal;
}

/** A refusal as one text for an agent: code, sentence, and what to do instead. */
export function refusalText({ code, message, hint }: Refusal): string {
  return hint === '' ? `${code}: ${message}` : `${code}: ${message}\n${hint}`;
}

const check = compile(permitBodySchema);

/** A yes of the gate that is whole; anything else is none. */
export function checkedYes(answer: unknown): PermitBody {
  const checked = check(answer);
  if (checked.ok) return checked.value;
  throw unclear(`The gate gave no clear answer: ${checked.error}`);
}

/** The ticket of a yes that has to have one. */
export function ticketOf(answer: unknown): string {
  const { ticket } = checkedYes(answer);
  if (ticket !== undefined) return ticket;
  throw unclear('The gate gave no ticket for the command.');
}

function unclear(sentence: string): Error {
  return refuse(
    'host-unavailable',
    sentence,
    'Nothing was allowed. Runner and command line may be of different versions: restart with "interlock up".',
  );
}

/** How the command line is started by somebody who shares nothing with the runner but the machine. */
export interface CommandLineProgram {
  /** Absolute path of the native client, which starts faster, where there is one. */
  readonly client?: string;
  /** Absolute path of Node. */
  readonly node: string;
  /** Absolute path of the command line's program. */
  readonly program: string;
  /** Absolute path of the home where it is not the default one, else null. */
  readonly home: string | null;
}

/**
 * The text that has a shell run what a ticket stands for; every word quoted. Where the folder is to
 * last, the shell goes to where the command ended, which comes on descriptor 3, and ends as it did.
 * With both streams in one place, `interlock run` has the command write to one as well.
 */
export function redeemCommand(
  program: CommandLineProgram,
  ticket: string,
  { lastingFolder, oneStream }: HostShell,
): string {
  const words = redeemWords(program, ticket);
  const joined = oneStream ? ' 2>&1' : '';
  return lastingFolder
    ? [
        `{ interlock_folder=$(${quoteWords([...words, '--tell-folder'])} 3>&1 >&4${joined} 4>&-); } 4>&1`,
        'interlock_status=$?',
        '[ -z "$interlock_folder" ] || cd -- "$interlock_folder"',
        '(exit "$interlock_status")',
      ].join('; ')
    : quoteWords(words) + joined;
}

/** The same as words, for hosts that start a program without a shell. */
export function redeemWords(
  { client, node, program, home }: CommandLineProgram,
  ticket: string,
): readonly string[] {
  const words = [
    ...(client === undefined ? [] : [client]),
    node,
    program,
    'run',
    '--ticket',
    ticket,
  ];
  return home === null ? words : ['/usr/bin/env', `INTERLOCK_HOME=${home}`, ...words];
}
