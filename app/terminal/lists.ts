import { agentWords, answerWords, askerOf } from '../../shared/engine/index.ts';
import { clockText, secondsLeft, timeOfDay } from '../bridge/state.ts';
import type { ElevationEntry, HistoryEntry, MissedAsk } from '../bridge/types.ts';
import { byWords, outcomeWords, withdrawnWords } from '../bridge/words.ts';
import { piece, wrap } from './line.ts';
import type { Line, Look } from './line.ts';
import { safeLine } from './prompt-text.ts';

/** Requests that ended without an answer from here, newest first. */
export function missedLines(missed: readonly MissedAsk[], width: number): readonly Line[] {
  const title: Line = [piece('Missed', 'strong')];
  if (missed.length === 0) return [title, [piece('You missed nothing', 'faint')]];
  return [
    title,
    ...missed.flatMap(({ ask, reason, at }) =>
      row(`${moment(at)} ${withdrawnWords[reason]}`, `${askerOf(ask)}  ${ask.command}`, { width }),
    ),
  ];
}

/** Sessions that a person has raised, each with the number that ends it. */
export function raisedLines(
  elevated: readonly ElevationEntry[],
  width: number,
  now: number,
): readonly Line[] {
  return [
    [piece('Raised for a while', 'strong')],
    ...elevated.flatMap(({ agent, session, as, since, expiresAt }, index) =>
      row(
        `${index < 9 ? String(index + 1) : ' '} since ${timeOfDay(since)}, until ${timeOfDay(expiresAt)}, ${clockText(secondsLeft(expiresAt, now))} left`,
        `${agent}, session ${session}: ${as}`,
        { width },
      ),
    ),
  ];
}

/** Past decisions, newest first. */
export function historyLines(entries: readonly HistoryEntry[], width: number): readonly Line[] {
  const title: Line = [piece('History', 'strong')];
  if (entries.length === 0) return [title, [piece('Nothing has been decided yet', 'faint')]];
  return [
    title,
    ...entries.flatMap(({ at, decision, by, code, agent, command, exitCode, answers = [] }) => {
      const end = exitCode === null ? '' : `, exit ${String(exitCode)}`;
      const look: Look = decision === 'deny' ? 'caution' : 'plain';
      const word = `${decision === 'allow' ? 'Allowed' : 'Denied'} ${byWords[by]}, ${outcomeWords[code] ?? code}`;
      const who = answers.map((one) => `, ${safeLine(answerWords(one))}`).join('');
      return row(`${moment(at)} ${word}${end}${who}`, `${agentWords(agent)}  ${command}`, {
        width,
        look,
      });
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
  return `${two(date.getMonth() + 1)}-${two(date.getDate())} ${timeOfDay(at)}`;
}
