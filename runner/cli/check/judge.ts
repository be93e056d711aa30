import { resolve } from 'node:path';
import { displayPlain } from '../../../shared/base/index.ts';
import type { Refusal } from '../../../shared/base/index.ts';
import type {
  AskMode,
  Engine,
  Executable,
  Look,
  OverrideInForce,
  PolicyDocument,
  Security,
  ToolCall,
  TrustClaims,
  TrustLevel,
} from '../../../shared/engine/index.ts';
import { checkBody } from '../../../shared/wire/index.ts';
import type { CheckBody } from '../../../shared/wire/index.ts';

/** One question: what, where, for whom. Exactly one of `argv`, `command` and `tool`. */
export interface Question extends TrustClaims {
  readonly id?: string | number;
  readonly argv?: readonly string[];
  readonly command?: string;
  readonly tool?: ToolCall;
  readonly cwd?: string;
  readonly agent?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly security?: Security;
  readonly ask?: AskMode;
  /** What a session has of its own. */
  readonly override?: OverrideInForce | null;
}

/** What all questions of one run share. */
export interface Bench {
  readonly engine: Engine;
  /** Null when the policy is not valid; `problem` then says why, and everything is denied. */
  readonly document: PolicyDocument | null;
  readonly problem: Refusal | null;
  /** Null: as `config.json` says for the agent. */
  readonly host: string | null;
  /** Folder and agent of questions that name none. */
  readonly cwd: string;
  readonly agent: string;
  /** For whom questions are that do not say it. */
  readonly claims: TrustClaims;
  readonly levelOf: (agent: string, claims: TrustClaims) => TrustLevel;
}

/** A verdict, and what a person is told about each of its stages, in the same order. */
interface Judgement {
  readonly body: CheckBody;
  readonly stages: readonly StageNote[];
}

/** What the first word of a stage is, and the sentence that decided for it. */
interface StageNote {
  readonly program: Executable['kind'];
  readonly why: string;
}

/**
 * What the policy says about one command. Asks nobody and runs nothing. Questions of one breath may
 * share a look at the machine.
 */
export async function judge(
  question: Question,
  bench: Bench,
  look?: () => Look,
): Promise<Judgement> {
  const { id, argv, command, tool, env, security, ask, override } = question;
  const agent = question.agent ?? bench.agent;
  const level = bench.levelOf(agent, claimsOf(question, bench));
  const host = hostFor(agent, bench, level);
  if (bench.problem !== null) return { body: deniedBody(bench.problem, { host, id }), stages: [] };
  const situation = await bench.engine.situation(
    {
      document: bench.document,
      agent,
      security,
      ask,
      ...(override !== undefined && { override }),
      host,
      level,
      ...(tool !== undefined && { tool }),
      request: {
        ...(argv !== undefined && { argv }),
        ...(command !== undefined && { command }),
        ...(env !== undefined && { env }),
        cwd: resolve(bench.cwd, question.cwd ?? '.'),
      },
    },
    look,
  );
  const verdict = bench.engine.decide(situation);
  const { analysis } = verdict;
  const stages = analysis.ok ? analysis.plan.stages : analysis.stages;
  return {
    body: checkBody(verdict, id === undefined ? {} : { id }),
    stages: stages.map(({ executable }, index) => ({
      program: executable.kind,
      why: verdict.matches.find((match) => match.stage === index)?.why ?? '',
    })),
  };
}

/** Where commands of an agent would run. */
export function hostFor(
  agent: string,
  { host, engine }: Pick<Bench, 'host' | 'engine'>,
  level?: TrustLevel,
): string {
  if (host !== null) return host;
  const routed = engine.route({ agent, level });
  return routed.ok ? routed.route.host.value : 'gateway';
}

function claimsOf(question: Question, { claims }: Bench): TrustClaims {
  const user = question.user ?? claims.user;
  const channel = question.channel ?? claims.channel;
  const group = question.group ?? claims.group;
  return {
    ...(user !== undefined && { user }),
    ...(channel !== undefined && { channel }),
    ...(group !== undefined && { group }),
  };
}

/** The verdict where there is nothing to decide about: a broken policy or a broken question. */
export function deniedBody(
  refusal: Refusal,
  options: { readonly host: string; readonly id?: string | number | undefined },
): CheckBody {
  return {
    ...(options.id !== undefined && { id: options.id }),
    verdict: 'deny',
    reason: refusal.code,
    message: refusal.message,
    host: options.host,
    security: 'deny',
    ask: 'on-miss',
    analysis: { ok: false, reason: null, stages: [] },
    risk: { level: 'none', findings: [] },
    canonical: null,
  };
}

const words: Readonly<Record<CheckBody['verdict'], string>> = {
  allow: 'ALLOW',
  ask: 'ASK',
  deny: 'DENY',
};

/** What only the runner sees. */
const unseen =
  'not looked at here: where the sandbox does not work, or the workspace cannot be kept for undo, the runner asks';

/** A verdict for a person, line by line, display-safe; `notes` are about its stages, in order. */
export function verdictLines(body: CheckBody, notes: readonly StageNote[]): readonly string[] {
  const { verdict, reason, message, analysis, risk, canonical } = body;
  return [
    `${words[verdict]}  ${reason}: ${displayPlain(message)}`,
    `  host ${body.host}, security ${body.security}, ask ${body.ask}`,
    ...(reason === 'sandbox-unasked' ? [`  ${unseen}`] : []),
    ...(analysis.reason === null ? [] : [`  not understood: ${analysis.reason}`]),
    ...analysis.stages.map((stage, index) => displayPlain(stageLine(stage, notes[index]))),
    ...risk.findings.map(({ code, text }) => displayPlain(`  risk ${code}: ${text}`)),
    ...(canonical === null ? [] : [`  would run: ${displayPlain(canonical)}`]),
  ];
}

type CheckStage = CheckBody['analysis']['stages'][number];

/** Where the program is, and which rule decided; without one, why, where that is not said already. */
function stageLine(stage: CheckStage, note: StageNote | undefined): string {
  const { argv, resolvedPath, ruleId, via } = stage;
  const through = via.length === 0 ? '' : ` (through ${via.join(', ')})`;
  const builtin = note?.program === 'builtin';
  const place = resolvedPath ?? (builtin ? 'built into the shell' : 'not found');
  const rule = ruleId === null ? (builtin ? note.why : 'no rule') : `rule ${ruleId}`;
  return `  ${argv.join(' ')} → ${place}${through}: ${rule}`;
}
