import type { Analysis, CommandRequest } from '../plan/types.ts';
import { checkDelete } from './checks/delete.ts';
import { checkCredentials, checkDisk, checkPersistence } from './checks/places.ts';
import { checkLeaving, checkProduction, checkRecord } from './checks/record.ts';
import {
  checkConnection,
  checkDownloadAsCode,
  checkForkBomb,
  checkInlineCode,
  checkPipeToShell,
} from './checks/shell.ts';
import { placed, finding } from './finding.ts';
import type { RiskCheck, Risk, RiskFinding, RoughFinding } from './finding.ts';
import { riskSubjects } from './subject.ts';
import { refusedValue } from '../plan/environment.ts';
import { displayText } from '../../base/index.ts';
import type { DisplaySegment } from '../../base/index.ts';

/** Variables that change which program runs, or what it loads. */
const checkVariables: RiskCheck = ({ assignments }) =>
  assignments.flatMap(({ name, value, imports }) =>
    imports === true ? [] : variableFinding(name, value),
  );

function requestVariables(env: CommandRequest['env']): readonly RoughFinding[] {
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
function hiddenCharacters(text: string): readonly RiskFinding[] {
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
  // By their codes alone: the characters themselves are marked once more where the sentence is shown.
  const codes = marks.map(({ text }) => text.slice(text.indexOf('⟨')));
  const shown = [...new Set(codes)].slice(0, 5).join(' ');
  return [{ code: 'hidden-characters', level, text: `${what}: ${shown}.`, spans: [] }];
}

interface RiskContext {
  /** Absolute; without it `~` in opaque text stays unknown. */
  readonly home: string;
}

const checks: readonly RiskCheck[] = [
  checkDelete,
  checkRecord,
  checkPipeToShell,
  checkInlineCode,
  checkCredentials,
  checkPersistence,
  checkDisk,
  checkLeaving,
  checkProduction,
  checkVariables,
];

/** What was found in the last analyses, by the part of each that is no other one's. */
const assessed = new WeakMap<object, { readonly of: readonly unknown[]; readonly risk: Risk }>();

/**
 * What a person should know before saying yes, each finding once, the grave ones first. Findings
 * never allow anything. Where there is no plan the text itself is read, roughly. An analysis that
 * comes again, because the same command did, is not read again.
 */
export function assess(
  analysis: Analysis,
  request: CommandRequest,
  { home }: RiskContext = { home: '~' },
): Risk {
  const { command, argv, cwd, env } = request;
  const of = [...Object.values(analysis), home, JSON.stringify([command, argv, cwd, env])];
  const part = analysis.ok ? analysis.plan : analysis.stages;
  const before = assessed.get(part);
  if (before?.of.length === of.length && before.of.every((one, at) => one === of[at]))
    return before.risk;
  const risk = assessAnew(analysis, request, home);
  assessed.set(part, { of, risk });
  return risk;
}

function assessAnew(analysis: Analysis, request: CommandRequest, home: string): Risk {
  const text = request.command ?? '';
  const findings: RiskFinding[] = [];
  for (const subject of riskSubjects(analysis, request, home)) {
    for (const check of checks) {
      for (const rough of check(subject)) findings.push(placed(rough, subject, text));
    }
  }
  findings.push(...guardedFindings(analysis));
  const unplaced = requestVariables(request.env);
  const inText = [
    // What a program prints is a word of a plan, too, and its text is not in the words.
    checkDownloadAsCode(text),
    ...(analysis.ok ? [] : [checkConnection(text), checkForkBomb(text)]),
  ];
  for (const each of [...unplaced, ...inText]) {
    if (each === null) continue;
    const { code, level, text: sentence } = each;
    findings.push({ code, level, text: sentence, spans: [] });
  }
  findings.push(...hiddenCharacters(request.command ?? (request.argv ?? []).join(' ')));
  return { level: levelOf(findings), findings: sorted(findings) };
}

/** What the analysis itself found where things steer: also behind links, and by other names. */
function guardedFindings(analysis: Analysis): readonly RiskFinding[] {
  const stages = analysis.ok ? analysis.plan.stages : analysis.stages;
  return stages.flatMap(({ guarded, span }) =>
    guarded.flatMap(({ use, placement: { place, path, reason } }): readonly RiskFinding[] => {
      const spans = span === null ? [] : [span];
      const high = { level: 'high', spans } as const;
      if (use === 'read')
        return place === 'own'
          ? [{ code: 'credential-path', ...high, text: `Touches ${path}, which ${reason}.` }]
          : [];
      // A recipe of the project is looked at by `checkPersistence`.
      return place === 'secret' || place === 'project'
        ? []
        : [{ code: 'persistence', ...high, text: `Changes ${path}, which ${reason}.` }];
    }),
  );
}

function levelOf(findings: readonly RiskFinding[]): Risk['level'] {
  if (findings.length === 0) return 'none';
  return findings.some(({ level }) => level === 'high') ? 'high' : 'low';
}

function sorted(findings: readonly RiskFinding[]): readonly RiskFinding[] {
  if (findings.length < 2) return findings;
  const once = new Map(findings.toReversed().map((each) => [`${each.code} ${each.text}`, each]));
  const rank = ({ level }: RiskFinding) => (level === 'high' ? 0 : 1);
  const ranked = [...once.values()].toReversed().toSorted((one, other) => rank(one) - rank(other));
  // A stage whose folder is not known is also read where the request stands: the graver is said.
  const placeOf = ({ code, spans }: RiskFinding): string => `${code} ${JSON.stringify(spans)}`;
  const grave = new Set(ranked.filter(({ level }) => level === 'high').map(placeOf));
  return ranked.filter(
    (each) => each.level === 'high' || each.spans.length === 0 || !grave.has(placeOf(each)),
  );
}
