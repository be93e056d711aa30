import type { ToolPolicy } from './policy.ts';
import { refuse } from '../../base/index.ts';
import type { Verdict } from '../decide/types.ts';
import type { Analysis, CommandRequest, Stage } from '../plan/types.ts';

/** What a tool's policy says about one call. */
interface ToolVerdict {
  /** `confirm`: a person is asked each time, whatever any rule says. */
  readonly decision: 'allow' | 'confirm' | 'deny';
  /** A sentence. */
  readonly why: string;
}

interface ToolCallWords {
  /** The words behind the name of the tool. */
  readonly words: readonly string[];
  /** Names of the variables that the request sets. */
  readonly env: readonly string[];
}

/**
 * Holds a call against the policy of its tool. What no entry of `allow` names is denied: other words
 * at the begin, and every option that its entry does not list. `confirm` is looked at for what is
 * allowed. An allowed call still goes through the agent's own rules.
 */
export function judgeToolCall(
  policy: ToolPolicy,
  { words: said, env }: ToolCallWords,
): ToolVerdict {
  const { tool, allow, confirm, before } = policy;
  const words = behind(said, before);
  const foreign = env.find((name) => !(policy.env ?? []).includes(name));
  if (foreign !== undefined)
    return deny(`The policy of ${tool} lets nobody set the variable ${foreign}.`);
  const barred = barredWord(said, policy.never);
  if (barred !== undefined)
    return deny(`The policy of ${tool} takes no word like "${nameOf(barred)}".`);
  const named = allow.filter(({ args }) => begins(args, words));
  if (named.length === 0)
    return deny(`The policy of ${tool} does not name "${[tool, ...words.slice(0, 2)].join(' ')}".`);
  const fitting = named.filter(({ never }) => barredWord(words, never) === undefined);
  if (fitting.length === 0) {
    const word = named
      .map(({ never }) => barredWord(words, never))
      .find((one) => one !== undefined);
    return deny(`The policy of ${tool} takes no word like "${nameOf(word ?? '')}" there.`);
  }
  const unlisted = fitting.map(({ args, options = [] }) => strangerIn(words, { args, options }));
  const [stranger] = unlisted;
  if (stranger !== undefined && unlisted.every((one) => one !== null))
    return deny(`The policy of ${tool} does not list the option ${nameOf(stranger ?? '')} there.`);
  const asked = confirm.find(
    ({ args, any }) =>
      begins(args, words) &&
      (any === undefined || words.some((word) => any.some((one) => fitsPattern(one, word)))),
  );
  if (asked !== undefined) return { decision: 'confirm', why: asked.why };
  return { decision: 'allow', why: `The policy of ${tool} allows it.` };
}

/** What stands behind the options that may stand before everything else. */
function behind(said: readonly string[], before: ToolPolicy['before'] = []): readonly string[] {
  const first = before
    .map((one) => [one].flat())
    .find((one) => one.every((pattern, at) => fitsPattern(pattern, said[at] ?? '')));
  return first === undefined || said.length === 0 ? said : behind(said.slice(first.length), before);
}

/** The first word that fits one of the patterns: hosts and schemes are read without regard to case. */
function barredWord(words: readonly string[], never: readonly string[] = []): string | undefined {
  return words.find((word) =>
    never.some((one) => fitsPattern(one.toLowerCase(), word.toLowerCase())),
  );
}

function deny(why: string): ToolVerdict {
  return { decision: 'deny', why };
}

/** Of an option without its value, which may be long and is nobody's business. */
function nameOf(word: string): string {
  return word.split('=', 1)[0]?.slice(0, 60) ?? '';
}

type Args = ToolPolicy['allow'][number]['args'];

function begins(args: Args, words: readonly string[]): boolean {
  const isOpen = args.at(-1) === '...';
  const fixed = isOpen ? args.slice(0, -1) : args;
  if (isOpen ? words.length < fixed.length : words.length !== fixed.length) return false;
  return fixed.every((token, at) =>
    [token].flat().some((one) => fitsPattern(one, words[at] ?? '')),
  );
}

/** The first word that may be an option and that nothing names; null where there is none. */
function strangerIn(
  words: readonly string[],
  { args, options }: { readonly args: Args; readonly options: readonly string[] },
): string | null {
  const stranger = words.find((word, at) => {
    if (!word.startsWith('-') || word === '-') return false;
    const token = args[at];
    if (token !== undefined && token !== '...' && [token].flat().includes(word)) return false;
    return !options.some((one) => fitsPattern(one, word));
  });
  return stranger ?? null;
}

/** A pattern is a word in which `*` stands for anything. Steps grow with the word and no faster. */
export function fitsPattern(pattern: string, word: string): boolean {
  const [first = '', ...more] = pattern.split('*');
  const last = more.pop();
  if (last === undefined) return word === first;
  if (word.length < first.length + last.length) return false;
  if (!word.startsWith(first) || !word.endsWith(last)) return false;
  const end = word.length - last.length;
  let from = first.length;
  for (const part of more) {
    const at = word.indexOf(part, from);
    if (at === -1 || at + part.length > end) return false;
    from = at + part.length;
  }
  return true;
}

/** Of the words of a request for a brokered tool, what its policy is held against. */
export interface ToolRequest {
  readonly command: CommandRequest;
  readonly analysis: Analysis;
}

/**
 * The one program of a request that is nothing else, where it may be given a credential. Throws
 * `invalid-request` or `policy-deny`.
 */
export function brokeredProgram({ command, analysis }: ToolRequest): Stage {
  const stages = analysis.ok ? analysis.plan.stages : [];
  const [stage] = stages;
  const [name] = command.argv ?? [];
  const isPlain =
    stage !== undefined && stages.length === 1 && stage.via.length === 0 && stage.argv[0] === name;
  if (!isPlain || name === undefined || name.includes('/'))
    throw refuse(
      'invalid-request',
      'A brokered tool is called by its name with its arguments, and not by shell text, a path or a wrapper.',
      'Send "argv", as in: interlock run --host tools -- gh pr list',
    );
  const { executable } = stage;
  if (executable.kind === 'missing') return stage;
  if (executable.kind === 'file' && executable.foundBy === 'path' && !executable.agentWritable)
    return stage;
  throw refuse(
    'policy-deny',
    `The program ${name} lies where an agent could change it, so it is given no credential.`,
    'Install it where only its owner writes.',
  );
}

/**
 * What the policy of a tool wants confirmed is asked about each time, whatever rules, grants and modes
 * say, and nobody but a person says yes to it.
 *
 * @param why the sentence of the policy; null where it wants nothing confirmed
 */
export function confirmedForTool(verdict: Verdict, why: string | null): Verdict {
  if (why === null || verdict.decision === 'deny') return verdict;
  return {
    ...verdict,
    decision: 'ask',
    reason: 'rule-ask',
    message: why,
    hint: 'Wait for the answer of a person.',
    policy: { ...verdict.policy, askFallback: 'deny' },
    covered: false,
  };
}
