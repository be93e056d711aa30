import { createHash } from 'node:crypto';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { displayPlain } from '../../../shared/base/index.ts';
import type { Refusal } from '../../../shared/base/index.ts';
import { decide, resolvePolicy } from '../../../shared/engine/index.ts';
import type {
  Analyser,
  AskMode,
  Executable,
  PolicyDocument,
  Security,
  Surroundings,
} from '../../../shared/engine/index.ts';
import { checkBody } from '../../../shared/wire/index.ts';
import type { CheckBody } from '../../../shared/wire/index.ts';

/** Programs are smaller; a rule with a digest of something larger simply does not match. */
const largest = 256 * 1024 * 1024;

/** sha256 (hex) of a regular file's content, or null when it cannot be read. */
export function hashFile(path: string): string | null {
  try {
    const stats = statSync(path);
    if (!stats.isFile() || stats.size > largest) return null;
    return createHash('sha256').update(readFileSync(path)).digest('hex');
  } catch {
    return null;
  }
}

/** One question: which command, where, for whom. Exactly one of `argv` and `command`. */
export interface Question {
  readonly id?: string | number;
  readonly argv?: readonly string[];
  readonly command?: string;
  readonly cwd?: string;
  readonly agent?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly security?: Security;
  readonly ask?: AskMode;
}

/** What all questions of one run share. */
export interface Bench {
  readonly analyser: Analyser;
  readonly surroundings: Surroundings;
  /** Null when the policy is not valid; `problem` then says why, and everything is denied. */
  readonly document: PolicyDocument | null;
  readonly problem: Refusal | null;
  readonly host: string;
  /** Folder and agent of questions that name none. */
  readonly cwd: string;
  readonly agent: string;
  readonly now: () => number;
}

/** A verdict, and what a person is told about each of its stages, in the same order. */
export interface Judgement {
  readonly body: CheckBody;
  readonly stages: readonly StageNote[];
}

/** What the first word of a stage is, and the sentence that decided for it. */
export interface StageNote {
  readonly program: Executable['kind'];
  readonly why: string;
}

/** What the policy says about one command. Asks nobody and runs nothing. */
export function judge(question: Question, bench: Bench): Judgement {
  const { id } = question;
  if (bench.problem !== null)
    return { body: deniedBody(bench.problem, { host: bench.host, id }), stages: [] };
  const { surroundings, host } = bench;
  const request = {
    ...(question.argv !== undefined && { argv: question.argv }),
    ...(question.command !== undefined && { command: question.command }),
    ...(question.env !== undefined && { env: question.env }),
    cwd: realFolder(resolve(bench.cwd, question.cwd ?? '.')),
  };
  const verdict = decide({
    policy: resolvePolicy(bench.document, {
      agent: question.agent ?? bench.agent,
      security: question.security,
      ask: question.ask,
    }),
    analysis: bench.analyser.analyse(request, surroundings),
    request,
    host,
    now: bench.now(),
    platform: surroundings.platform,
    home: surroundings.home,
    hashFile,
  });
  const { analysis } = verdict;
  const stages = analysis.ok ? analysis.plan.stages : analysis.stages;
  return {
    body: checkBody(verdict, id === undefined ? { host } : { host, id }),
    stages: stages.map(({ executable }, index) => ({
      program: executable.kind,
      why: verdict.matches.find((match) => match.stage === index)?.why ?? '',
    })),
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

function realFolder(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

const words: Readonly<Record<CheckBody['verdict'], string>> = {
  allow: 'ALLOW',
  ask: 'ASK',
  deny: 'DENY',
};

/** A verdict for a person, line by line, display-safe; `notes` are about its stages, in order. */
export function verdictLines(body: CheckBody, notes: readonly StageNote[]): readonly string[] {
  const { verdict, reason, message, analysis, risk, canonical } = body;
  return [
    `${words[verdict]}  ${reason}: ${displayPlain(message)}`,
    `  host ${body.host}, security ${body.security}, ask ${body.ask}`,
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
