import { refuse, s } from '../base/index.ts';
import type { Static } from '../base/index.ts';
import { execHosts } from './config-fields.ts';
import { askModes, securityModes } from './policy/types.ts';
import type { AskMode, Security } from './policy/types.ts';

const nodeWord = '^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,127}$';

/** What a session has other than its agent: only these fields. */
export const sessionOverrideSchema = s.object({
  host: s.optional(s.oneOf(execHosts)),
  node: s.optional(s.string({ pattern: nodeWord })),
  security: s.optional(s.oneOf(securityModes)),
  ask: s.optional(s.oneOf(askModes)),
});
export type SessionOverride = Static<typeof sessionOverrideSchema>;

/** What holds for a session now. */
export interface OverrideInForce {
  /** Tightens or chooses as a request might itself. */
  readonly own: SessionOverride;
  /** What a person has said yes to, for a while; it stands for the agent's own. */
  readonly raised: SessionOverride;
}

/** What a person raised a session to, for a while, as it is told. */
export const elevationSchema = s.object({
  id: s.string(),
  agent: s.string(),
  session: s.string(),
  /** As it was typed: `/elevated full`. */
  as: s.string(),
  /** Milliseconds since the epoch, as `expiresAt`. */
  since: s.integer({ minimum: 0 }),
  expiresAt: s.integer({ minimum: 0 }),
});
export type ElevationEntry = Static<typeof elevationSchema>;

/** The most that the approver is told of, the newest. */
export const mostElevationsTold = 100;

/** A command about a session, as a person types it. */
type SessionCommand =
  | { readonly kind: 'show' }
  /** Everything that was set for the session goes, or only what was raised. */
  | { readonly kind: 'off'; readonly what: 'exec' | 'elevated' }
  | {
      readonly kind: 'set';
      readonly as: string;
      readonly values: SessionOverride;
      /** What is set then outlives the runner, once a person says yes. */
      readonly save: boolean;
    };

const elevations = {
  on: { host: 'gateway', security: 'full' },
  ask: { host: 'gateway', ask: 'always' },
  full: { host: 'gateway', security: 'full', ask: 'off' },
} as const satisfies Readonly<Record<string, SessionOverride>>;

const fields: Readonly<Record<keyof SessionOverride, RegExp>> = {
  host: new RegExp(`^(?:${execHosts.join('|')})$`),
  node: new RegExp(nodeWord),
  security: new RegExp(`^(?:${securityModes.join('|')})$`),
  ask: new RegExp(`^(?:${askModes.join('|')})$`),
};

/** Whether a text is meant as such a command, right or wrong. */
export function isSessionCommand(text: string): boolean {
  return /^\s*\/(?:exec|elevated)(?:\s|$)/.test(text);
}

/**
 * Reads `/exec host= security= ask= node= [--save]`, `/exec off`, `/elevated on|off|ask|full`; either alone
 * shows what holds. Throws `invalid-request` for anything else.
 */
export function parseSessionCommand(text: string): SessionCommand {
  const [name, ...words] = text.trim().split(/\s+/);
  const [word] = words;
  if (name === '/elevated') {
    if (word === undefined) return { kind: 'show' };
    if (words.length === 1 && word === 'off') return { kind: 'off', what: 'elevated' };
    if (words.length === 1 && Object.hasOwn(elevations, word)) {
      const values = elevations[word as keyof typeof elevations];
      return { kind: 'set', as: `/elevated ${word}`, values, save: false };
    }
    throw notUnderstood('"/elevated" takes one of on, off, ask and full.');
  }
  if (name !== '/exec') throw notUnderstood('It is neither "/exec" nor "/elevated".');
  if (word === undefined) return { kind: 'show' };
  if (words.length === 1 && word === 'off') return { kind: 'off', what: 'exec' };
  const values: Record<string, string> = {};
  const save = words.includes('--save');
  for (const [index, each] of words.entries()) {
    if (each === '--save' && words.indexOf(each) === index) continue;
    const [, field = '', value = ''] = /^([a-z]+)=(.*)$/.exec(each) ?? [];
    if (!Object.hasOwn(fields, field) || !fields[field as keyof SessionOverride].test(value))
      throw notUnderstood(
        '"/exec" takes host=, node=, security= and ask=, each with a known word, and --save.',
      );
    if (Object.hasOwn(values, field)) throw notUnderstood(`"${field}" stands there twice.`);
    values[field] = value;
  }
  const as = ['/exec', overrideWords(values), save ? '--save' : ''].filter((part) => part !== '');
  return { kind: 'set', as: as.join(' '), values, save };
}

/** `host=gateway security=full`, always in one order. */
export function overrideWords(values: SessionOverride): string {
  return (Object.keys(fields) as (keyof SessionOverride)[])
    .flatMap((field) => (values[field] === undefined ? [] : [`${field}=${values[field]}`]))
    .join(' ');
}

/** What holds without the override: only what goes beyond that needs a person. */
interface WithoutOverride {
  readonly security: Security;
  readonly ask: AskMode;
  /** Whether a request could choose this host and node by itself. */
  readonly mayRoute: (values: SessionOverride) => boolean;
}

/** Whether it would let something run that does not run without it, or elsewhere. */
export function loosens(values: SessionOverride, before: WithoutOverride): boolean {
  const { security, ask, host, node } = values;
  if (security !== undefined && isLooser(securityModes, security, before.security)) return true;
  if (ask !== undefined && isLooser(askModes, ask, before.ask)) return true;
  return (host !== undefined || node !== undefined) && !before.mayRoute(values);
}

/** Whether modes give more than others do. */
export function areLooser(
  modes: { readonly security: Security; readonly ask: AskMode },
  than: { readonly security: Security; readonly ask: AskMode },
): boolean {
  return (
    isLooser(securityModes, modes.security, than.security) ||
    isLooser(askModes, modes.ask, than.ask)
  );
}

function isLooser<T>(order: readonly T[], one: T, other: T): boolean {
  return order.indexOf(one) > order.indexOf(other);
}

function notUnderstood(why: string): Error {
  return refuse(
    'invalid-request',
    why,
    'Write for example "/exec security=allowlist ask=always", "/elevated on", or "/elevated off".',
  );
}
