import { resolvePolicy } from '../../policy/resolve.ts';
import { readConfigFile } from '../config-file/read.ts';
import type { HomePaths } from '../home/paths.ts';
import { readPolicyFile } from '../policy-file/read.ts';

/** How long a person has for an answer about this agent, in whole seconds, as the files say now. */
export function askSeconds(paths: Pick<HomePaths, 'policy' | 'config'>, agent: string): number {
  const uid = process.geteuid?.() ?? -1;
  const policy = readPolicyFile(paths.policy, { uid, keepLastGood: false });
  const config = readConfigFile(paths.config, { uid });
  const { askTimeoutMs } = resolvePolicy(policy.ok ? policy.document : null, {
    agent,
    askTimeoutMs: config.ok ? config.config.approvals.askTimeoutMs : undefined,
  });
  return Math.ceil(askTimeoutMs / 1000);
}

/**
 * How long hook and host wait, in seconds: the hook a little longer than the gate, so that the
 * gate's own words arrive, and the host longer than both, because it lets pass what took too long.
 */
export function limitsFor(asking: number): { readonly wait: number; readonly host: number } {
  return { wait: asking + 15, host: asking + 30 };
}
