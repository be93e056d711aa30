import type { Refusal } from '../../shared/base/index.ts';

/** Why there is no answer of the gate to pass on: a text for the agent and its person. */
export class Doubt extends Error {
  constructor(text: string) {
    super(text);
    this.name = 'Doubt';
  }
}

/** What is in doubt, as a part of a sentence, and what to do about it. */
export function doubt(what: string, hint: string): Doubt {
  return new Doubt(`Interlock allowed nothing: ${what}. ${hint}`);
}

/** A refusal in the form in which the runner puts it into its answers. */
export function refused({ code, message, hint }: Refusal): Doubt {
  return new Doubt(hint === '' ? `${code}: ${message}` : `${code}: ${message} ${hint}`);
}

/** The text for any error; what is not a `Doubt` is a failure of the hook itself. */
export function textOf(error: unknown): string {
  if (error instanceof Doubt) return error.message;
  return doubt('its hook program failed', '"interlock doctor" says what is wrong.').message;
}

/** What leaves a hook without an answer once the gate was asked, or is about to be. */
export const doubts = {
  late: (wait: number) =>
    doubt(`nobody answered within ${String(wait)} seconds`, 'Ask the person, then try again.'),
  stopped: () => doubt('its hook was stopped', 'Try again if it is still wanted.'),
  alone: () => doubt('nobody waits for the answer', 'Try again.'),
  broken: () => doubt('its runner went away before it answered', 'Try again when it is back.'),
  foreign: () =>
    doubt(
      'what answered on the socket does not speak its language',
      'Runner and hook may be of different versions: restart with "interlock up".',
    ),
} as const satisfies Readonly<Record<string, (wait: number) => Doubt>>;

/** What the native client saw, where it became this program after it had made the call. */
export interface HandedOver {
  readonly doubt: keyof typeof doubts;
  /** The host behind the shell that started the hook, as `PID:START` (`waiting-host.ts`). */
  readonly host: string;
}

/** The arguments of the hook, and what the native client put behind them (`runner/client`). */
export function handedOver(words: readonly string[]): {
  readonly words: readonly string[];
  readonly handed: HandedOver | null;
} {
  const [flag, named = '', of, host = ''] = words.slice(-4);
  if (flag !== '--doubt' || of !== '--of') return { words, handed: null };
  return {
    words: words.slice(0, -4),
    handed: { doubt: isDoubt(named) ? named : 'foreign', host },
  };
}

function isDoubt(name: string): name is HandedOver['doubt'] {
  return Object.hasOwn(doubts, name);
}
