import type { Config } from '../config.ts';
import type { Rule } from '../policy/types.ts';
import { noOverrides, sandboxFor } from '../trust/overrides.ts';
import { egressFor } from './config.ts';
import { compileEgress, judgeTarget } from './policy.ts';
import { presetHosts } from './presets.ts';
import { parseAuthority, targetText } from './target.ts';

/** What commands of an agent reach from a sandbox. */
export interface Reach {
  readonly network: 'none' | 'restricted' | 'full';
  /** What becomes of a host that nothing names. */
  readonly unknown: 'ask' | 'deny';
  readonly presets: readonly { readonly name: string; readonly hosts: number }[];
  /** As the settings list them. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** What would become of an address, before its name is looked up. */
export interface ReachVerdict {
  readonly verdict: 'allow' | 'ask' | 'deny';
  /** `host:port`, in the one spelling that is decided on; null where the address cannot be read. */
  readonly target: string | null;
  /** A sentence. */
  readonly message: string;
}

type Settings = Pick<Config, 'egress' | 'sandbox' | 'agents'>;

/** What the settings say about an agent. */
export function agentReach(config: Settings, agent: string): Reach {
  const { presets, allow, deny, unknown } = egressFor(config, agent);
  return {
    network: sandboxFor(config, agent, noOverrides).network,
    unknown,
    presets: presets.map((name) => ({ name, hosts: presetHosts[name].length })),
    allow: allow.map((rule) => (typeof rule === 'string' ? rule : rule.host)),
    deny,
  };
}

/**
 * Judges an address as the proxy would: `https://host/path`, `host:port`, or a bare host (443).
 *
 * @param rules the agent's rules and everybody's; those that are not about hosts are passed over
 */
export function judgeAddress(
  config: Settings,
  { agent, rules, address }: Record<'agent' | 'address', string> & { rules: readonly Rule[] },
): ReachVerdict {
  const compiled = compileEgress(egressFor(config, agent), { rules });
  const parsed = parseAddress(address.trim());
  const problem = parsed.ok ? (compiled.ok ? null : compiled.problem) : parsed.problem;
  if (!parsed.ok || !compiled.ok)
    return { verdict: 'deny', target: null, message: problem ?? 'It cannot be read.' };
  const { verdict, reason } = judgeTarget(compiled.policy, parsed.target);
  return { verdict, target: targetText(parsed.target), message: reason };
}

const ports: Readonly<Record<string, number>> = { http: 80, https: 443, ws: 80, wss: 443 };

/** What a client asks the proxy for that is given this address. */
function parseAddress(text: string): ReturnType<typeof parseAuthority> {
  const { scheme = 'https', authority = '' } =
    /^(?:(?<scheme>[a-z][a-z0-9+.-]*):\/\/)?(?<authority>[^/?#]*)/iu.exec(text)?.groups ?? {};
  const port = Object.hasOwn(ports, scheme.toLowerCase()) ? ports[scheme.toLowerCase()] : undefined;
  if (port === undefined)
    return {
      ok: false,
      problem: `What is at ${scheme.toLowerCase().slice(0, 40)}:// does not go through the proxy; http, https, ws and wss do.`,
    };
  if (authority.includes('@'))
    return {
      ok: false,
      problem: 'It holds a user name, which the proxy does not take in an address.',
    };
  return parseAuthority(authority, port);
}
