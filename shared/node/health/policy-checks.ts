import { presentHosts } from '../../config/types.ts';
import type { Config } from '../../config/types.ts';
import { danger, ok, warning } from './judge.ts';
import type { Check } from './types.ts';

export const policyCheck: Check = ({ policyProblem, paths }) =>
  policyProblem === null
    ? ok('policy', 'The policy is valid', paths.policy)
    : danger('policy', 'The policy is not valid: everything is denied', policyProblem);

export const configCheck: Check = ({ configProblem, paths }) =>
  configProblem === null
    ? ok('config', 'config.json is valid', paths.config)
    : danger('config', 'config.json is not valid: everything is denied', configProblem);

export const stopCheck: Check = ({ stopMode: { mode, reason } }) => {
  const because = reason === null ? '' : `Reason: ${reason} · `;
  if (mode === 'armed') return ok('stop', 'Neither locked nor paused');
  if (mode === 'paused') return warning('stop', 'Paused', `${because}"interlock resume" goes on.`);
  return danger('stop', 'Locked: everything is refused', `${because}A person has to unlock it.`);
};

/** Says plainly what the gate cannot hold: code of the same user outside a sandbox. */
export const isolationCheck: Check = ({ config, uid }) => {
  const title = 'Agents run unsandboxed as the same user';
  const absent = config === null ? null : absentHost(config);
  if (absent !== null)
    return danger(
      'isolation',
      `There is no ${absent.host} host yet: ${absent.whose} are refused`,
      `Every such command ends in "host-unavailable". Set ${absent.setting} to "gateway" in config.json.`,
    );
  if (config !== null && config.service.sharedSocket !== null)
    return ok(
      'isolation',
      'The runner has a user of its own',
      'Programs of other users can only ask. What is approved runs as this user, and can read this home.',
    );
  return warning(
    'isolation',
    uid === 0 ? `${title}, and that user is root` : title,
    'The gate sees what is asked of it. A program that already runs as you, and does not ask, can read the token, ' +
      'answer for you or edit these files. Keep agents in a sandbox, or give the runner a user of its own (interlock service install --system); ' +
      'docs/threat-model.md says what holds and what does not.',
  );
};

/** The first setting that sends commands to a host that does not exist; null when none does. */
function absentHost({ exec, agents }: Config): {
  readonly host: string;
  readonly whose: string;
  readonly setting: string;
} | null {
  const isAbsent = (host = exec.host): boolean => !presentHosts.includes(host);
  if (isAbsent()) return { host: exec.host, whose: 'commands', setting: 'exec.host' };
  const found = Object.entries(agents).find(([, { host }]) => isAbsent(host));
  if (found?.[1].host === undefined) return null;
  const [agent, { host }] = found;
  return { host, whose: `commands of "${agent}"`, setting: `agents.${agent}.host` };
}
