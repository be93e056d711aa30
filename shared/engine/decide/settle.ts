import { recordOf } from '../programs/list.ts';
import { riskSubjects } from '../risk/subject.ts';
import type { RiskSubject } from '../risk/subject.ts';
import { isAboutBox } from './loopback.ts';
import { nearbyOf, needOf } from './needs.ts';
import type { Need } from './needs.ts';
import type { DecideInput, Verdict } from './types.ts';
import { unkept } from './unkept.ts';

/** What only rules for the sandbox, or a person, can have run: reasons for which nobody is asked twice. */
const settleable: ReadonlySet<string> = new Set([
  'no-rule',
  'opaque',
  'never-trusted',
  'guarded-place',
]);

/**
 * The verdict where the decision says on which host a command runs. What rules allow runs on this
 * machine, save what is about that which goes on in its session's sandbox. What a rule denies or asks about is denied or asked about as it would be there. Of the
 * rest, what needs no more than the sandbox gives runs in it unasked; all else is asked about.
 *
 * @param judge the verdict on a host that is known
 */
export function settle(input: DecideInput, judge: (input: DecideInput) => Verdict): Verdict {
  const here = judge({ ...input, host: 'gateway' });
  const inSandbox = input.wanted === 'sandbox';
  const host = inSandbox ? 'sandbox' : 'gateway';
  if (here.decision === 'allow')
    return belongsToBox(input, here) ? besideBox(here) : { ...here, host };
  const missed = here.reason === 'ask-off' ? asking(input, judge) : here;
  if (missed.decision === 'deny' || !settleable.has(missed.reason)) return { ...here, host };
  const isAlways = input.policy.ask === 'always';
  if (input.policy.rules.some((rule) => rule.host === 'sandbox')) {
    const there = judge({ ...input, host: 'sandbox' });
    // Who is to be asked more is asked about nothing that would have been denied.
    if (there.reason === 'rule-deny') return there;
    if (!isAlways && (there.decision === 'allow' || there.reason.startsWith('rule-'))) return there;
  }
  if (isAlways) return { ...here, host };
  const need = needOf(input, missed);
  if (need === null || (inSandbox && need.kind === 'machine' && input.sandbox?.problem === null))
    return input.unkept === undefined || input.kind === 'edit'
      ? unasked(input, here)
      : unkept(here, input.unkept);
  return { ...here, host, message: `${here.message} ${sentenceOf(need)}` };
}

/**
 * Whether a command that rules allow on this machine is about what goes on in its session's box, and
 * needs no more than the sandbox gives: then it would run there unasked if there were no rule. A rule
 * that names a host, and what a person has granted for a while, are about that host.
 */
function belongsToBox(input: DecideInput, here: Verdict): boolean {
  const { box, analysis, request, home, unkept: notKept } = input;
  if (box === undefined || here.reason !== 'rule-allow' || !analysis.ok) return false;
  if (notKept !== undefined || (input.kind ?? 'exec') !== 'exec') return false;
  if (input.sandbox?.hasOwnLoopback !== true) return false;
  if (here.matches.some(({ rule }) => rule?.host !== undefined || rule?.source === 'grant'))
    return false;
  const nearby = nearbyOf(input);
  const subjects = riskSubjects(analysis, request, home);
  const isClient = (subject: RiskSubject): boolean =>
    isAboutBox(subject, nearby) || (box.ports().size > 0 && runsProject(subject));
  return subjects.some(isClient) && needOf(input, here) === null;
}

/** What a project's own code talks to is not written out. */
function runsProject({ name }: RiskSubject): boolean {
  const record = recordOf(name);
  return record?.project !== undefined || record?.runs === 'code';
}

function besideBox(here: Verdict): Verdict {
  return {
    ...here,
    host: 'sandbox',
    reason: 'sandbox-unasked',
    message: 'A rule allows it, and what it is about goes on in the sandbox of its session.',
  };
}

/** What would be asked about if asking were on. */
function asking(input: DecideInput, judge: (input: DecideInput) => Verdict): Verdict {
  return judge({
    ...input,
    host: 'gateway',
    policy: { ...input.policy, ask: 'on-miss', deniesMisses: false },
  });
}

function unasked(input: DecideInput, here: Verdict): Verdict {
  const isEdit = input.kind === 'edit';
  return {
    ...here,
    decision: 'allow',
    hint: '',
    host: isEdit ? 'gateway' : 'sandbox',
    reason: isEdit ? 'project-edit' : 'sandbox-unasked',
    message: isEdit
      ? 'It changes a file of the project, as commands in the sandbox may.'
      : 'It needs no more than the sandbox gives.',
  };
}

/** The first word goes small where it is one of ours, and no name. */
function sentenceOf({ kind, why }: Need): string {
  if (kind === 'harm') return why;
  const inside = /^(?:It|The|Nothing|An?) /.test(why) ? why[0]?.toLowerCase() + why.slice(1) : why;
  return `It needs this machine because ${inside}`;
}
