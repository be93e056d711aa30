import { displayPlain } from '../../../shared/display/display.ts';
import type { GatewayError } from './frames.ts';

/** A Gateway that said no, went away, or spoke otherwise than the contract. */
export class GatewayFailure extends Error {
  /** True where trying again cannot help: a person has to change something first. */
  readonly isFinal: boolean;
  readonly hint: string;

  constructor(message: string, hint = '', isFinal = false) {
    super(message);
    this.name = 'GatewayFailure';
    this.hint = hint;
    this.isFinal = isFinal;
  }
}

/** A Gateway that answered, and said no. */
export class GatewayRefusal extends GatewayFailure {}

const finalSteps = new Set([
  'update_auth_configuration',
  'update_auth_credentials',
  'review_auth_configuration',
]);

/** The failure that an error answer stands for; its words are the Gateway's and are shown as data. */
export function failureOf(method: string, error: GatewayError | undefined): GatewayRefusal {
  const code = wordOf(error?.details?.['code']) ?? wordOf(error?.code) ?? 'unknown';
  const said = displayPlain((error?.message ?? 'no reason given').slice(0, 300));
  const sentence = `OpenClaw's Gateway refused ${method} (${code}): ${said}`;
  if (code === 'PAIRING_REQUIRED')
    return new GatewayRefusal(
      sentence,
      `On the machine of the Gateway: openclaw devices approve ${wordOf(error?.details?.['requestId']) ?? 'REQUEST'}`,
    );
  const isFinal =
    finalSteps.has(wordOf(error?.details?.['recommendedNextStep']) ?? '') ||
    code === 'PROTOCOL_MISMATCH';
  return new GatewayRefusal(sentence, isFinal ? 'Check the token and the address.' : '', isFinal);
}

function wordOf(value: unknown): string | null {
  return typeof value === 'string' && /^[\w.:-]{1,100}$/.test(value) ? value : null;
}
