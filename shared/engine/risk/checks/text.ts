import { refusedValue } from '../../plan/environment.ts';
import type { CommandRequest } from '../../plan/types.ts';
import { displayText } from '../../../base/index.ts';
import type { DisplaySegment } from '../../../base/index.ts';
import { finding } from '../finding.ts';
import type { RiskCheck, RoughFinding } from '../finding.ts';
import type { RiskFinding } from '../finding.ts';

/** Variables that change which program runs, or what it loads. */
export const checkVariables: RiskCheck = ({ assignments }) =>
  assignments.flatMap(({ name, value, imports }) =>
    imports === true ? [] : variableFinding(name, value),
  );

export function requestVariables(env: CommandRequest['env']): readonly RoughFinding[] {
  return Object.entries(env ?? {}).flatMap(([name, value]) => variableFinding(name, value));
}

function variableFinding(name: string, value: string): readonly RoughFinding[] {
  const why = refusedValue(name, value);
  return why === null
    ? []
    : [finding('loader-variable', 'high', `Sets ${name}, which ${why}.`, [name])];
}

const printable = /^[\x20-\x7e\n\t]*$/;

/** Characters that a person cannot see, or takes for others. */
export function hiddenCharacters(text: string): readonly RiskFinding[] {
  if (printable.test(text)) return [];
  const marks = displayText(text).segments.filter((segment) => segment.kind === 'mark');
  const unseen = marks.filter(({ reason }) => reason !== 'confusable');
  const alike = marks.filter(({ reason }) => reason === 'confusable');
  return [
    ...hidden(unseen, 'high', 'Contains characters that cannot be seen'),
    ...hidden(alike, 'low', 'Contains characters that look like others'),
  ];
}

function hidden(
  marks: readonly DisplaySegment[],
  level: 'low' | 'high',
  what: string,
): readonly RiskFinding[] {
  if (marks.length === 0) return [];
  const shown = [...new Set(marks.map(({ text }) => text))].slice(0, 5).join(' ');
  return [{ code: 'hidden-characters', level, text: `${what}: ${shown}.`, spans: [] }];
}
