import type { Config } from '../config.ts';
import { abilitiesOf } from './levels.ts';
import { sandboxIsOn, trustIsSet } from './whose.ts';

/** Something about trust in valid settings that a person should know. */
export interface TrustFinding {
  readonly code:
    | 'several-owners'
    | 'no-owner'
    | 'shared-channel'
    | 'unreachable'
    | 'guest-without-trust'
    | 'terminal-is-public';
  readonly text: string;
}

/** Whether anything in these settings has commands run in the sandbox. */
export function wantsSandbox(config: Config): boolean {
  return (
    sandboxIsOn(config, '') ||
    Object.keys(config.agents).some((agent) => sandboxIsOn(config, agent)) ||
    config.users.some(({ trust }) => trust !== undefined && abilitiesOf(trust).shell === 'sandbox')
  );
}

/** What of trust in valid settings looks like a slip. */
export function reviewTrust(config: Config): readonly TrustFinding[] {
  const { users } = config;
  const owners = users.flatMap(({ name, trust }) => (trust === 'owner' ? (name ?? []) : []));
  const findings: TrustFinding[] = [];
  if (owners.length > 1)
    findings.push({
      code: 'several-owners',
      text: `There are several owners: ${owners.join(', ')}. Each of them may have everything done.`,
    });
  if (owners.length === 0 && wantsSandbox(config))
    findings.push({
      code: 'no-owner',
      text: 'The sandbox is on, and "users" names no owner: whoever sits at the terminal is the owner.',
    });
  if (trustIsSet(config)) findings.push(...slips(config));
  return findings;
}

function slips(config: Config): readonly TrustFinding[] {
  const { users } = config;
  const patterns = users.flatMap(({ match, name = '' }) =>
    (match ?? []).map((pattern) => ({ pattern, name })),
  );
  const shared = patterns.filter(
    ({ pattern, name }, index) =>
      patterns.findIndex((other) => other.pattern === pattern && other.name !== name) > index,
  );
  const terminal = patterns.some(
    ({ pattern }) => pattern === 'terminal:default' || isWholeTerminal(pattern),
  );
  return [
    ...shared.map(({ pattern }): TrustFinding => ({
      code: 'shared-channel',
      text: `Several users match ${pattern}: the least trusted of them counts.`,
    })),
    ...users.flatMap(({ name, uid, match }): readonly TrustFinding[] =>
      name !== undefined && uid === undefined && (match ?? []).length === 0
        ? [
            {
              code: 'unreachable',
              text: `Nothing leads to "${name}" but a request that says so: give "match" or "uid".`,
            },
          ]
        : [],
    ),
    ...users.flatMap(({ uid, trust }): readonly TrustFinding[] =>
      uid !== undefined && trust === undefined
        ? [
            {
              code: 'guest-without-trust',
              text: `User ${String(uid)} has no "trust" and counts as public: nothing is done for them.`,
            },
          ]
        : [],
    ),
    ...(terminal || sandboxIsOn(config, '')
      ? []
      : [
          {
            code: 'terminal-is-public',
            text: 'No user matches "terminal:default" and the sandbox is off, so your own terminal counts as public.',
          } as const,
        ]),
  ];
}

function isWholeTerminal(pattern: string): boolean {
  return pattern.endsWith('*') && 'terminal:default'.startsWith(pattern.slice(0, -1));
}
