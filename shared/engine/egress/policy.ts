import { addressText, reachOf } from './address.ts';
import type { Address, Reach } from './address.ts';
import type { Rule as PolicyRule } from '../policy/types.ts';
import { readService } from './brokered.ts';
import type { ServiceTarget } from './brokered.ts';
import type { AllowRule, EgressConfig, TransformRule } from './config.ts';
import { coversHost, coversPort, namesAddress, parseHostRule } from './pattern.ts';
import type { HostPattern, HostRule, Ports } from './pattern.ts';
import { presetHosts } from './presets.ts';
import { targetText } from './target.ts';
import type { Target } from './target.ts';

interface Rule {
  /** Of a rule of the policy; null for what the settings list. */
  readonly id: string | null;
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
  /** A person is asked each time, whatever allows it. */
  readonly ask: readonly Rule[];
  readonly unknown: EgressConfig['unknown'];
  readonly transforms: readonly CompiledTransform[];
  readonly services: readonly ServiceTarget[];
}

type CompiledEgress =
  | { readonly ok: true; readonly policy: EgressPolicy }
  | { readonly ok: false; readonly problem: string };

export type EgressVerdict =
  | {
      readonly verdict: 'allow';
      readonly rule: string;
      readonly ruleId: string | null;
      /** Whether the name may lead to private addresses and to this machine. */
      readonly mayBePrivate: boolean;
      readonly reason: string;
    }
  | {
      readonly verdict: 'ask' | 'deny';
      readonly rule: string | null;
      readonly ruleId: string | null;
      readonly reason: string;
    };

const usualPorts: Ports = [80, 443];

/** Settings of headers by which messages are cut, kept together or routed: a rule may touch none. */
const untouchable =
  /^(?:host|content-length|transfer-encoding|connection|upgrade|te|trailer|expect|keep-alive|proxy-.*|sec-websocket-.*|:.*)$/iu;

type Settings = Pick<
  EgressConfig,
  'presets' | 'allow' | 'deny' | 'unknown' | 'transforms' | 'services'
>;

interface BesideSettings {
  /** Of an agent and of everybody; those that are not about hosts are passed over. */
  readonly rules?: readonly PolicyRule[];
  /** What is done to headers after all that the settings say. */
  readonly last?: readonly TransformRule[];
}

/**
 * Understands the settings of `egress`, and rules of kind `egress`. `problem` names the field and
 * says in a sentence what is wrong with it.
 */
export function compileEgress(
  config: Settings,
  { rules = [], last = [] }: BesideSettings = {},
): CompiledEgress {
  const problems: string[] = [];
  const services = compileServices(config, problems);
  const listed = compileLists(config, services, problems);
  const ofSettings = config.transforms.length;
  const all = [...config.transforms, ...services.flatMap(({ rule }) => rule), ...last];
  const transforms = all.flatMap((rule, index) => {
    const field = index < ofSettings ? `egress.transforms[${String(index)}]` : 'egress.services';
    return compileTransform(rule, field, problems);
  });
  const { allow, deny, ask } = compileRules(rules, problems);
  const [problem] = problems;
  if (problem !== undefined) return { ok: false, problem };
  return {
    ok: true,
    policy: {
      allow: [...listed.allow, ...allow],
      deny: [...listed.deny, ...deny],
      ask,
      transforms,
      services: services.map(({ service }) => service),
      unknown: config.unknown,
    },
  };
}

/** The lists of the settings. What is not understood is added to `problems`. */
function compileLists(
  config: Settings,
  services: readonly ReadService[],
  problems: string[],
): Pick<EgressPolicy, 'allow' | 'deny'> {
  const allowed = (rule: AllowRule, field: string): readonly Rule[] => {
    const { host, ports, private: mayBePrivate = false } = asObject(rule);
    const parsed = understood(field, host, problems);
    if (parsed !== null && parsed.ports !== null && ports !== undefined)
      problems.push(`${field} "${host}" names a port, and its field "ports" others.`);
    if (parsed === null) return [];
    const given = ports === '*' ? 'any' : ports;
    return [
      {
        id: null,
        text: host,
        pattern: parsed.pattern,
        ports: given ?? parsed.ports ?? usualPorts,
        mayBePrivate,
      },
    ];
  };
  const presets = config.presets.flatMap((name) => presetHosts[name]);
  const allow = [
    ...config.allow.flatMap((rule, index) => allowed(rule, `egress.allow[${String(index)}]`)),
    ...services.flatMap(({ rule: { host } }) => allowed(host, 'a service')),
    ...presets.flatMap((host) => allowed(host, 'a preset')),
  ];
  const deny = config.deny.flatMap((text, index) => {
    const parsed = understood(`egress.deny[${String(index)}]`, text, problems);
    if (parsed === null) return [];
    const { pattern, ports } = parsed;
    return [{ id: null, text, pattern, ports: ports ?? ('any' as const), mayBePrivate: false }];
  });
  return { allow, deny };
}

type ReadService = Extract<ReturnType<typeof readService>, { readonly ok: true }>;

function compileServices(config: Settings, problems: string[]): readonly ReadService[] {
  return config.services.flatMap((one, index) => {
    const read = readService(one);
    if (!read.ok) problems.push(`egress.services[${String(index)}]: ${read.problem}`);
    return read.ok ? [read] : [];
  });
}

function understood(field: string, text: string, problems: string[]): HostRule | null {
  const parsed = parseHostRule(text);
  if (parsed.ok) return parsed.rule;
  problems.push(`${field} "${text}" is not a host: ${parsed.problem}`);
  return null;
}

/** Rules of the policy about hosts. An allowing one that is not understood allows nothing. */
function compileRules(
  rules: readonly PolicyRule[],
  problems: string[],
): Pick<EgressPolicy, 'allow' | 'deny' | 'ask'> {
  const compiled = rules.flatMap((rule) => {
    if (rule.kind !== 'egress') return [];
    const { id, pattern: text, effect = 'allow' } = rule;
    const problem = egressRuleProblem(rule);
    if (problem !== null && effect !== 'allow') problems.push(`The rule ${id}: ${problem}`);
    const parsed = parseHostRule(text);
    if (problem !== null || !parsed.ok) return [];
    const { pattern, ports } = parsed.rule;
    const usual = effect === 'allow' ? usualPorts : 'any';
    return [{ effect, rule: { id, text, pattern, ports: ports ?? usual, mayBePrivate: false } }];
  });
  const having = (wanted: string): readonly Rule[] =>
    compiled.flatMap(({ effect, rule }) => (effect === wanted ? [rule] : []));
  return { allow: having('allow'), deny: having('deny'), ask: having('ask') };
}

/** Fields of a rule that say nothing about a host: one that has them means something else. */
const notAboutHosts = [
  'tool',
  'args',
  'argPattern',
  'env',
  'writes',
  'only',
  'sha256',
  'code',
  'scripts',
  'files',
  'cwd',
  'maxRisk',
  'host',
  'examples',
] as const satisfies readonly (keyof PolicyRule)[];

/** What in a rule of kind `egress` cannot be understood, as a sentence; null when all of it can. */
export function egressRuleProblem(rule: Omit<PolicyRule, 'id'>): string | null {
  const odd = notAboutHosts.find((field) => rule[field] !== undefined);
  if (odd !== undefined) return `a rule about hosts has no "${odd}".`;
  const parsed = parseHostRule(rule.pattern);
  return parsed.ok ? null : `its pattern "${rule.pattern}" is not a host: ${parsed.problem}`;
}

function compileTransform(
  rule: TransformRule,
  field: string,
  problems: string[],
): readonly CompiledTransform[] {
  const parsed = understood(`${field}.host`, rule.host, problems);
  const bad = [...Object.keys(rule.set ?? {}), ...(rule.remove ?? [])].find((name) =>
    untouchable.test(name),
  );
  if (bad !== undefined) problems.push(`${field} touches "${bad}", which belongs to the proxy.`);
  if (parsed === null || bad !== undefined) return [];
  const { set, remove, plain = false } = rule;
  const what = { ...(set !== undefined && { set }), ...(remove !== undefined && { remove }) };
  return [{ ...what, plain, pattern: parsed.pattern, ports: parsed.ports }];
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
      ruleId: denied.id,
      reason: `${shown} is denied by "${denied.text}".`,
    };
  const fitting = policy.allow.filter((rule) => isAbout(rule, target));
  const allowed = fitting.find((rule) => rule.mayBePrivate) ?? fitting[0];
  const reach = target.address === null ? 'public' : reachOf(target.address);
  const asked = policy.ask.find((rule) => isAbout(rule, target));
  if (asked !== undefined && (allowed !== undefined || reach === 'public'))
    return {
      verdict: 'ask',
      rule: asked.text,
      ruleId: asked.id,
      reason: `The rule "${asked.text}" asks about ${shown}.`,
    };
  if (allowed !== undefined)
    return {
      verdict: 'allow',
      rule: allowed.text,
      ruleId: allowed.id,
      mayBePrivate: allowed.mayBePrivate,
      reason: `${shown} is allowed by "${allowed.text}".`,
    };
  // Nobody is asked about what a question of an agent must not open.
  if (reach !== 'public')
    return {
      verdict: 'deny',
      rule: null,
      ruleId: null,
      reason: `${shown} ${reachText[reach]}, and no rule names it.`,
    };
  return { verdict: policy.unknown, rule: null, ruleId: null, reason: `No rule allows ${shown}.` };
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
