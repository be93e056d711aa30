import type { Refusal } from '../../shared/base/index.ts';
import { reviewTrust, wantsSandbox } from '../../shared/engine/index.ts';
import type { Config, TrustFinding } from '../../shared/engine/index.ts';
import type { SandboxProbe } from '../hosts/sandbox/probe.ts';

/** Something amiss with the settings. Errors stop commands; warnings are for a person to know. */
export interface ConfigFinding {
  readonly level: 'error' | 'warning';
  readonly code:
    | 'config-invalid'
    | 'sandbox-unavailable'
    | 'namespaces-off'
    | 'sandbox-degraded'
    | TrustFinding['code'];
  readonly text: string;
  /** What would mend it; null where that is said already. */
  readonly advice: string | null;
}

interface ConfigFacts {
  readonly file:
    | { readonly ok: true; readonly config: Config }
    | { readonly ok: false; readonly problem: Refusal };
  readonly uid: number;
  /** What this machine can do; called where the settings want a sandbox. */
  readonly probe: () => Promise<SandboxProbe>;
  /** A switch of the kernel by its name; null where there is none. */
  readonly sysctl: (name: string) => string | null;
}

/** Everything that is amiss with the settings on this machine; errors first. */
export async function checkConfig(facts: ConfigFacts): Promise<readonly ConfigFinding[]> {
  const { file } = facts;
  if (!file.ok) {
    const { message, hint } = file.problem;
    return [{ level: 'error', code: 'config-invalid', text: message, advice: hint }];
  }
  const trust = reviewTrust(file.config).map(({ code, text }): ConfigFinding => ({
    level: 'warning',
    code,
    text,
    advice: null,
  }));
  return wantsSandbox(file.config) ? [...(await sandboxFindings(facts)), ...trust] : trust;
}

async function sandboxFindings({
  uid,
  probe,
  sysctl,
}: ConfigFacts): Promise<readonly ConfigFinding[]> {
  const { ok, problem, capabilities } = await probe();
  const missing = capabilities.filter((each) => !each.ok);
  if (ok)
    return missing.map(({ title, detail, advice }) => ({
      level: 'warning',
      code: 'sandbox-degraded',
      text: `The sandbox lacks something here. ${title}: ${detail}.`,
      advice,
    }));
  const advice = missing.find((each) => each.advice !== null)?.advice ?? null;
  const text =
    `Commands are to run in a sandbox, and none can be had here. ${problem ?? ''}`.trim();
  return [
    { level: 'error', code: 'sandbox-unavailable', text, advice },
    ...switches
      .filter(({ name, holdsRoot }) => (holdsRoot || uid !== 0) && sysctl(name) === '0')
      .map(({ name, on }): ConfigFinding => ({
        level: 'error',
        code: 'namespaces-off',
        text: `User namespaces are switched off: ${name} is 0.`,
        advice: `Switch them on: sysctl ${name}=${on}, kept in /etc/sysctl.d.`,
      })),
  ];
}

/** The switches of the kernel that take user namespaces away. */
const switches = [
  { name: 'user.max_user_namespaces', on: '15000', holdsRoot: true },
  { name: 'kernel.unprivileged_userns_clone', on: '1', holdsRoot: false },
] as const;
