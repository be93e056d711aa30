import type { CheckBody } from '../../../shared/api/types.ts';
import { displayPlain } from '../../../shared/display/display.ts';
import type { StageNote } from '../check/judge.ts';

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
