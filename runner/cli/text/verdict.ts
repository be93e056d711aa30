import type { CheckBody } from '../../../shared/api/types.ts';
import { displayPlain } from '../../../shared/display/display.ts';

const words: Readonly<Record<CheckBody['verdict'], string>> = {
  allow: 'ALLOW',
  ask: 'ASK',
  deny: 'DENY',
};

/** A verdict for a person, line by line, display-safe. */
export function verdictLines(body: CheckBody): readonly string[] {
  const { verdict, reason, message, analysis, risk, canonical } = body;
  return [
    `${words[verdict]}  ${reason}: ${displayPlain(message)}`,
    `  host ${body.host}, security ${body.security}, ask ${body.ask}`,
    ...(analysis.reason === null ? [] : [`  not understood: ${analysis.reason}`]),
    ...analysis.stages.map(({ argv, resolvedPath, ruleId, via }) => {
      const through = via.length === 0 ? '' : ` (through ${via.join(', ')})`;
      const rule = ruleId === null ? 'no rule' : `rule ${ruleId}`;
      return displayPlain(
        `  ${argv.join(' ')} → ${resolvedPath ?? 'not found'}${through}: ${rule}`,
      );
    }),
    ...risk.findings.map(({ code, text }) => displayPlain(`  risk ${code}: ${text}`)),
    ...(canonical === null ? [] : [`  would run: ${displayPlain(canonical)}`]),
  ];
}
