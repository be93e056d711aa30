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
  if (config?.exec.host === 'sandbox')
    return ok(
      'isolation',
      'Commands run in a sandbox',
      'Agents themselves may still run outside it.',
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
