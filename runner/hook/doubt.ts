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
