import { displayText } from '../../shared/base/index.ts';
import { needsStepUp, redact } from '../../shared/engine/index.ts';
import type { QueuedAsk } from './types.ts';

/** What a notification of an ask may offer. Never "always". */
export type NoticeChoice = 'allow-once' | 'deny' | 'show';

/** What a notification says about an ask. The words around it are the shell's. */
interface Notice {
  /** The command as one line, without what looks like a secret, cut to what fits. */
  readonly command: string;
  /** The whole command stands in it, as it is. */
  readonly whole: boolean;
  /** Where it would run, as one line. */
  readonly place: string;
  readonly highRisk: boolean;
  /** In the order of the buttons. */
  readonly choices: readonly NoticeChoice[];
}

const commandLength = 160;
const placeLength = 80;

/**
 * What a notification says about an ask, and what it offers. "Allow once" only where the whole command
 * stands in it as it is, and nothing else about it is to be seen first; a high risk offers nothing but
 * the prompt, where it is held.
 */
export function noticeOf({ ask }: QueuedAsk): Notice {
  // The system keeps notifications, and shows them on a locked screen: the prompt has the whole command.
  const shown = redact(ask.command);
  const command = oneLine(shown, commandLength);
  const place = oneLine(ask.cwd, placeLength);
  const whole = command.faithful && shown === ask.command;
  const plain = whole && ask.opaque === null && !ask.env.some(({ unsafe }) => unsafe);
  const highRisk = needsStepUp(ask);
  return {
    command: command.text,
    whole: command.faithful,
    place: place.text,
    highRisk,
    choices: highRisk ? ['show'] : plain ? ['allow-once', 'deny'] : ['show', 'deny'],
  };
}

interface OneLine {
  readonly text: string;
  /** False when something was cut or had to be made visible: the person has not seen the original. */
  readonly faithful: boolean;
}

/** Untrusted text as one line of at most `limit` code points, cuts marked with "…". */
export function oneLine(text: string, limit: number): OneLine {
  const display = displayText(text);
  const joined = display.segments.map((segment) => segment.text).join('');
  const line = joined.replaceAll('\n', ' ⏎ ').replaceAll('\t', ' ⇥ ');
  const points = Array.from(line);
  const cut = points.length > limit;
  return {
    text: cut ? `${points.slice(0, limit - 1).join('')}…` : line,
    faithful: !cut && !display.marked && line === text,
  };
}

/** More new asks than this at once share one notification. */
export const notifyLimit = 3;
