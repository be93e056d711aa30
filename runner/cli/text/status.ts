import type { StatusBody } from '../../../shared/api/types.ts';
import { displayPlain } from '../../../shared/display/display.ts';
import { sayDuration } from './duration.ts';

const modeWords: Readonly<Record<StatusBody['mode'], string>> = {
  armed: 'armed',
  paused: 'PAUSED: new commands are refused; "interlock resume" ends it',
  locked: 'LOCKED: everything is refused until a person unlocks it',
};

/** The status for a person, line by line. Every text from a request is made display-safe. */
export function statusLines(status: StatusBody, now: number): readonly string[] {
  const { mode, reason, approver, policy, running, pending } = status;
  return [
    `runner    pid ${String(status.pid)}, version ${status.version}, up ${sayDuration(now - status.startedAt)}`,
    `gate      ${modeWords[mode]}${reason === null ? '' : ` (${displayPlain(reason)})`}`,
    `approver  ${approver.connected ? 'connected' : 'none: the fallback of the policy decides'} (${approver.socket})`,
    `policy    ${policy.valid ? 'valid' : `NOT VALID, everything is denied: ${policy.problem ?? ''}`}`,
    `running   ${countOf(running.length)}`,
    ...running.map(
      ({ agent, command, pid, startedAt }) =>
        `  ${agent}  pid ${String(pid)}  ${sayDuration(now - startedAt)}  ${oneLine(command)}`,
    ),
    `waiting   ${countOf(pending.length)}`,
    ...pending.map(
      ({ askId, agent, command, expiresAt }) =>
        `  ${askId}  ${agent}  ${sayDuration(expiresAt - now)} left  ${oneLine(command)}`,
    ),
  ];
}

function countOf(count: number): string {
  return count === 0 ? 'nothing' : String(count);
}

/** A command on one line, display-safe, with a visible mark where it was cut. */
export function oneLine(command: string, limit = 100): string {
  const safe = displayPlain(command).replaceAll('\n', '⏎');
  return safe.length <= limit
    ? safe
    : `${safe.slice(0, limit)}… (cut; ${String(safe.length)} characters)`;
}
