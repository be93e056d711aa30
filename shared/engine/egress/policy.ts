import { addressText, reachOf } from './address.ts';
import type { Address, Reach } from './address.ts';
import { readService } from './brokered.ts';
import type { ServiceTarget } from './brokered.ts';
import type { AllowRule, EgressConfig, TransformRule } from './config.ts';
import { coversHost, coversPort, namesAddress, parseHostRule } from './pattern.ts';
import type { HostPattern, Ports } from './pattern.ts';
import { presetHosts } from './presets.ts';
import { targetText } from './target.ts';
import type { Target } from './target.ts';

interface Rule {
  /** As it is written, for the record. */
  readonly text: string;
  readonly pattern: HostPattern;
  readonly ports: Ports;
  readonly mayBePrivate: boolean;
}

/** What of a transform is to be done to headers; its pattern is settled by then. */
export type Transform = Pick<TransformRule, 'set' | 'remove'>;

interface CompiledTransform extends Transform {
  readonly pattern: HostPattern;
  readonly ports: Ports | null;
  readonly plain: boolean;
}

/** Rules that were understood, ready to be asked. */
export interface EgressPolicy {
  readonly allow: readonly Rule[];
  readonly deny: readonly Rule[];
  readonly unknown: EgressConfig['unknown'];
  readonly transforms: readonly CompiledTransform[];
  readonly services: readonly ServiceTarget[];
}

export type CompiledEgress =
  | { readonly ok: true; readonly policy: EgressPolicy }
  | { readonly ok: false; readonly problem: string };

export type EgressVerdict =
  | {
      readonly verdict: 'allow';
      readonly rule: string;
      /** Whether the name may lead to private addresses and to this machine. */
      readonly mayBePrivate: boolean;
      readonly reason: string;
    }
  | { readonly verdict: 'ask' | 'deny'; readonly rule: string | null; readonly reason: string };

const usualPorts: Ports = [80, 443];

/** Settings of headers by which messages are cut, kept together or routed: a rule may touch none. */
const untouchable =
  /^(?:host|content-length|transfer-encoding|connection|upgrade|te|trailer|expect|keep-alive|proxy-.*|sec-websocket-.*|:.*)$/iu;

/**
 * Understands the settings of `egress`. `problem` names the field and says in a sentence what is
 * wrong with it.
 *
 * @param last what is done to headers after all that the settings say
 */
export function compileEgress(
  config: Pick<EgressConfig, 'presets' | 'allow' | 'deny' | 'unknown' | 'transforms' | 'services'>,
  last: readonly TransformRule[] = [],
): CompiledEgress {
  const problems: string[] = [];
  const understood = (field: string, text: string) => {
    const parsed = parseHostRule(text);
    if (parsed.ok) return parsed.rule;
    problems.push(`${field} "${text}" is not a host: ${parsed.problem}`);
    return null;
  };
  const allowed = (rule: AllowRule, field: string): readonly Rule[] => {
    const { host, ports, private: mayBePrivate = false } = asObject(rule);
    const parsed = understood(field, host);
    if (parsed !== null && parsed.ports !== null && ports !== undefined)
      problems.push(`${field} "${host}" names a port, and its field "ports" others.`);
    if (parsed === null) return [];
    const given = ports === '*' ? 'any' : ports;
    return [
      {
        text: host,
        pattern: parsed.pattern,
        ports: given ?? parsed.ports ?? usualPorts,
        mayBePrivate,
      },
    ];
  };
  const services = config.services.flatMap((one, index) => {
    const read = readService(one);
    if (!read.ok) problems.push(`egress.services[${String(index)}]: ${read.problem}`);
    return read.ok ? [read] : [];
  });
  const presets = config.presets.flatMap((name) => presetHosts[name]);
  const allow = [
    ...config.allow.flatMap((rule, index) => allowed(rule, `egress.allow[${String(index)}]`)),
    ...services.flatMap(({ rule: { host } }) => allowed(host, 'a service')),
    ...presets.flatMap((host) => allowed(host, 'a preset')),
  ];
  const deny = config.deny.flatMap((text, index) => {
    const parsed = understood(`egress.deny[${String(index)}]`, text);
    if (parsed === null) return [];
    return [
      {
        text,
        pattern: parsed.pattern,
        ports: parsed.ports ?? ('any' as const),
        mayBePrivate: false,
      },
    ];
  });
  const all = [...config.transforms, ...services.flatMap(({ rule }) => rule), ...last];
  const transforms = all.flatMap((rule, index) => {
    const field =
      index < config.transforms.length ? `egress.transforms[${String(index)}]` : 'egress.services';
    const parsed = understood(`${field}.host`, rule.host);
    const bad = [...Object.keys(rule.set ?? {}), ...(rule.remove ?? [])].find((name) =>
      untouchable.test(name),
    );
    if (bad !== undefined) problems.push(`${field} touches "${bad}", which belongs to the proxy.`);
    if (parsed === null || bad !== undefined) return [];
    const { set, remove, plain = false } = rule;
    const what = { ...(set !== undefined && { set }), ...(remove !== undefined && { remove }) };
    return [{ ...what, plain, pattern: parsed.pattern, ports: parsed.ports }];
  });
  const [problem] = problems;
  if (problem !== undefined) return { ok: false, problem };
  return {
    ok: true,
    policy: {
      allow,
      deny,
      transforms,
      services: services.map(({ service }) => service),
      unknown: config.unknown,
    },
  };
}

function asObject(rule: AllowRule): Exclude<AllowRule, string> {
  return typeof rule === 'string' ? { host: rule } : rule;
}

/** What becomes of a target, before it is looked up. */
export function judgeTarget(policy: EgressPolicy, target: Target): EgressVerdict {
  const shown = targetText(target);
  const denied = policy.deny.find((rule) => isAbout(rule, target));
  if (denied !== undefined)
    return {
      verdict: 'deny',
      rule: denied.text,
      reason: `${shown} is denied by "${denied.text}".`,
    };
  const fitting = policy.allow.filter((rule) => isAbout(rule, target));
  const allowed = fitting.find((rule) => rule.mayBePrivate) ?? fitting[0];
  if (allowed !== undefined)
    return {
      verdict: 'allow',
      rule: allowed.text,
      mayBePrivate: allowed.mayBePrivate,
      reason: `${shown} is allowed by "${allowed.text}".`,
    };
  const reach = target.address === null ? 'public' : reachOf(target.address);
  // Nobody is asked about what a question of an agent must not open.
  if (reach !== 'public')
    return {
      verdict: 'deny',
      rule: null,
      reason: `${shown} ${reachText[reach]}, and no rule names it.`,
    };
  return { verdict: policy.unknown, rule: null, reason: `No rule allows ${shown}.` };
}

function isAbout({ pattern, ports }: Rule, target: Target): boolean {
  return coversPort(ports, target.port) && coversHost(pattern, target);
}

const reachText: Readonly<Record<Reach, string>> = {
  public: 'is on the internet',
  private: 'is on a private network',
  loopback: 'is this machine',
  'link-local': 'is on the local link',
  metadata: 'is where a cloud hands out credentials',
  reserved: 'is an address that nobody has',
};

/**
 * Why an address that a target's name led to is not dialled; null where it may be. What is not on
 * the internet has to be named: by `private` for private networks and this machine, by its very
 * address for all else.
 *
 * @param isOurs whether it is an address of this machine
 */
export function addressProblem(
  policy: EgressPolicy,
  {
    target,
    address,
    isOurs,
    mayBePrivate,
  }: {
    readonly target: Target;
    readonly address: Address;
    readonly isOurs: boolean;
    readonly mayBePrivate: boolean;
  },
): string | null {
  const found: Target = { host: addressText(address), address, port: target.port };
  const leads =
    target.address === null ? `${target.host} leads to ${found.host}, which` : found.host;
  const denied = policy.deny.find((rule) => isAbout(rule, found));
  if (denied !== undefined) return `${leads} is denied by "${denied.text}".`;
  const own = reachOf(address);
  const reach = isOurs && own !== 'metadata' ? 'loopback' : own;
  if (reach === 'public') return null;
  const isNear = reach === 'private' || reach === 'loopback';
  if (mayBePrivate && isNear) return null;
  const named = policy.allow.some(
    (rule) => isAbout(rule, found) && (isNear || namesAddress(rule.pattern, address)),
  );
  return named ? null : `${leads} ${reachText[reach]}, and no rule names it.`;
}

/**
 * What is done to the headers of requests to a target, in order: later ones win.
 *
 * @param isPlain whether the request goes out unencrypted
 */
export function transformsFor(
  { transforms }: Pick<EgressPolicy, 'transforms'>,
  target: Target,
  isPlain: boolean,
): readonly Transform[] {
  const port = isPlain ? 80 : 443;
  return transforms.filter(
    ({ pattern, ports, plain }) =>
      (plain || !isPlain) &&
      coversPort(ports ?? [port], target.port) &&
      coversHost(pattern, target),
  );
}
