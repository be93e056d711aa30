import type { WithdrawReason } from '../../shared/engine/index.ts';
import type { HistoryEntry, MissedAsk } from '../bridge/types.ts';
import { piece, wrap } from './line.ts';
import type { Line, Look } from './line.ts';
import { safeLine } from './prompt-text.ts';

/** How an ask ended without an answer, in words. */
export const reasons: Readonly<Record<WithdrawReason, string>> = {
  answered: 'answered elsewhere',
  covered: 'a rule allows it by now',
  expired: 'nobody answered in time',
  'requester-gone': 'the agent gave up',
  lockout: 'lockout',
  pause: 'pause',
  'runner-stopping': 'the runner stopped',
};

/** Requests that ended without an answer from here, newest first. */
export function missedLines(missed: readonly MissedAsk[], width: number): readonly Line[] {
  const title: Line = [piece('Missed', 'strong')];
  if (missed.length === 0) return [title, [piece('Nothing was missed.', 'faint')]];
  return [
    title,
    ...missed.flatMap(({ ask, reason, at }) =>
      row(`${moment(at)} ${reasons[reason]}`, `${ask.agent}  ${ask.command}`, { width }),
    ),
  ];
}

/** Past decisions, newest first. */
export function historyLines(entries: readonly HistoryEntry[], width: number): readonly Line[] {
  const title: Line = [piece('History', 'strong')];
  if (entries.length === 0) return [title, [piece('Nothing was decided yet.', 'faint')]];
  return [
    title,
    ...entries.flatMap(({ at, decision, code, agent, command, exitCode }) => {
      const end = exitCode === null ? '' : `, exit ${String(exitCode)}`;
      const look: Look = decision === 'deny' ? 'caution' : 'plain';
      return row(`${moment(at)} ${code}${end}`, `${agent}  ${command}`, { width, look });
    }),
  ];
}

function row(
  about: string,
  what: string,
  { width, look = 'plain' }: { readonly width: number; readonly look?: Look },
): readonly Line[] {
  return [
    ...wrap([piece(about, 'faint')], { width }),
    ...wrap([piece('  '), piece(safeLine(what), look)], { width, indent: '  ' }),
  ];
}

/** `11-20 14:05`, in the time zone of this machine. */
function moment(at: number): string {
  const date = new Date(at);
  const two = (number: number): string => String(number).padStart(2, '0');
  return `${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
