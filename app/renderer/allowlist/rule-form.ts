import { egressRuleProblem } from '../../../shared/engine/index.ts';
import type { Presence, RequestKind, Rule, RuleEffect } from '../../../shared/engine/index.ts';
import { argsFromText, argsToText } from './args-text.ts';
import type { ArgsProblem } from './args-text.ts';

/** What a rule can be about. */
export const formKinds = [
  'exec',
  'edit',
  'fetch',
  'mcp',
  'egress',
] as const satisfies readonly RequestKind[];
type FormKind = (typeof formKinds)[number];

/** A rule as it is in the form's fields: text as typed, valid or not. */
export interface RuleForm {
  readonly effect: RuleEffect;
  readonly kind: FormKind;
  /** What it takes to allow it, where the rule asks; `click`: the rule does not say. */
  readonly presence: Presence | 'click' | 'two';
  readonly program: string;
  /** For kinds other than commands; empty means any. */
  readonly tool: string;
  readonly argsMode: 'any' | 'words' | 'pattern';
  readonly words: string;
  readonly argPattern: string;
  readonly directory: string;
  /** Variables that have to be set, `NAME=value` a line; empty: the rule does not say. */
  readonly env: string;
  /** As a `datetime-local` field has it; empty means that it never expires. */
  readonly expires: string;
  readonly note: string;
  readonly matches: string;
  readonly noMatches: string;
}

export type FormField = 'program' | 'words' | 'argPattern' | 'directory' | 'env' | 'expires';
export type FormProblem =
  | ArgsProblem
  | 'host'
  | 'program'
  | 'relative'
  | 'everything'
  | 'pattern'
  | 'directory'
  | 'env'
  | 'expiry';

type FormProblems = { readonly [F in FormField]?: FormProblem };

/** The fields for a rule; the fields of a new one when there is none. */
export function formOf(rule: Omit<Rule, 'id'> | null): RuleForm {
  const lines = (commands: readonly string[] | undefined): string => (commands ?? []).join('\n');
  return {
    effect: rule?.effect ?? 'allow',
    kind: formKinds.find((kind) => kind === rule?.kind) ?? 'exec',
    presence: (rule?.approvers ?? 1) > 1 ? 'two' : (rule?.presence ?? 'click'),
    program: rule?.pattern ?? '',
    tool: rule?.tool ?? '',
    argsMode:
      rule?.argPattern !== undefined
        ? 'pattern'
        : rule !== null && rule.args === undefined
          ? 'any'
          : 'words',
    words: argsToText(rule?.args ?? []),
    argPattern: rule?.argPattern ?? '',
    directory: rule?.cwd ?? '',
    env: lines(rule?.env),
    expires: typeof rule?.expiresAt === 'number' ? localText(rule.expiresAt) : '',
    note: rule?.note ?? '',
    matches: lines(rule?.examples?.match),
    noMatches: lines(rule?.examples?.noMatch),
  };
}

/** What is wrong, at most one problem a field. Only the host can check the examples. */
export function problemsOf(form: RuleForm, now: number): FormProblems {
  const program = form.program.trim();
  const words = argsFromText(form.words);
  const argsMode = argsModeOf(form);
  const expires = form.expires === '' ? null : Date.parse(form.expires);
  return {
    ...(program === '' ? { program: 'program' as const } : programProblem(program, form.kind)),
    ...(argsMode === 'words' && !words.ok ? { words: words.problem } : {}),
    ...(argsMode === 'pattern' && !isPattern(form.argPattern)
      ? { argPattern: 'pattern' as const }
      : {}),
    ...(/^($|\/|~\/|~$)/.test(form.directory.trim()) ? {} : { directory: 'directory' as const }),
    ...(form.kind !== 'exec' || linesOf(form.env).every(isAssignment)
      ? {}
      : { env: 'env' as const }),
    ...(expires === null || expires > now ? {} : { expires: 'expiry' as const }),
  };
}

/** Only commands have arguments. */
function argsModeOf({ kind, argsMode }: RuleForm): RuleForm['argsMode'] {
  return kind === 'exec' ? argsMode : 'any';
}

function programProblem(program: string, kind: FormKind): { readonly program?: FormProblem } {
  if (kind === 'egress')
    return egressRuleProblem({ kind, pattern: program }) === null ? {} : { program: 'host' };
  if (/^[/*]+$/.test(program)) return { program: 'everything' };
  if (kind === 'fetch' || kind === 'mcp') return {};
  const rooted = /^(\/|~\/|\*\*\/|[A-Za-z]:\\)/.test(program);
  return rooted || !program.includes('/') ? {} : { program: 'relative' };
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}

function isAssignment(line: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*=/.test(line);
}

/** An empty field leaves what the rule said of variables: none at all, or nothing. */
function envOf({ kind, env }: RuleForm, old: Omit<Rule, 'id'> | null): Pick<Rule, 'env'> {
  if (kind !== 'exec') return {};
  const given = linesOf(env);
  if (given.length > 0) return { env: given };
  return old?.env?.length === 0 ? { env: [] } : {};
}

function isPattern(text: string): boolean {
  try {
    return text !== '' && new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}

/** Only a rule that asks, and not about a host, says what it takes to allow it. */
export function saysPresence({ effect, kind }: Pick<RuleForm, 'effect' | 'kind'>): boolean {
  return effect === 'ask' && kind !== 'egress';
}

/** What it takes, as a rule says it: of two people each shows a passkey anyway. */
function wantedOf(presence: RuleForm['presence']): Pick<Rule, 'presence' | 'approvers'> {
  if (presence === 'click') return {};
  return presence === 'two' ? { approvers: 2 } : { presence };
}

/** The rule that the fields describe; what the form does not show stays as `old` has it. */
export function ruleOf(form: RuleForm, id: string, old: Omit<Rule, 'id'> | null): Rule {
  const isAboutHosts = form.kind === 'egress';
  const words = argsFromText(form.words);
  const argsMode = argsModeOf(form);
  const match = linesOf(form.matches);
  const noMatch = linesOf(form.noMatches);
  const {
    args: _args,
    argPattern: _argPattern,
    cwd: _cwd,
    env: _env,
    note: _note,
    examples: _examples,
    effect: _effect,
    kind: _kind,
    tool: _tool,
    expiresAt: _expiresAt,
    presence: _presence,
    approvers: _approvers,
    ...kept
  } = old ?? { pattern: '' };
  return {
    ...kept,
    id,
    effect: form.effect,
    ...(form.kind === 'exec' ? {} : { kind: form.kind }),
    ...(saysPresence(form) && wantedOf(form.presence)),
    pattern: form.program.trim(),
    ...(form.kind === 'exec' || isAboutHosts || form.tool.trim() === ''
      ? {}
      : { tool: form.tool.trim() }),
    ...(argsMode === 'words' && words.ok ? { args: words.args } : {}),
    ...(argsMode === 'pattern' ? { argPattern: form.argPattern } : {}),
    ...(isAboutHosts || form.directory.trim() === '' ? {} : { cwd: form.directory.trim() }),
    ...envOf(form, old),
    ...(form.note.trim() === '' ? {} : { note: form.note.trim() }),
    ...(form.expires === '' ? {} : { expiresAt: Date.parse(form.expires) }),
    ...(isAboutHosts || match.length + noMatch.length === 0
      ? {}
      : {
          examples: {
            ...(match.length === 0 ? {} : { match }),
            ...(noMatch.length === 0 ? {} : { noMatch }),
          },
        }),
  };
}

function localText(at: number): string {
  const date = new Date(at);
  const two = (n: number): string => String(n).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}`;
}
