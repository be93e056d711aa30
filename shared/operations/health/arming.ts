import { disarmedSince, isHost, lookAtArming, titleOf } from '../../agents/index.ts';
import type { HealthOptions } from '../../agents/index.ts';
import { readArming } from '../../home/index.ts';
import type { ArmedSession } from '../../home/index.ts';
import { danger } from './types.ts';
import type { HealthCheck } from './types.ts';

/**
 * One line for each folder in which an agent has asked and would not ask any more, or has hooks that
 * do not hold it; none where all is well. The files are looked at anew, with or without a runner.
 */
export function armingChecks(options: HealthOptions): readonly HealthCheck[] {
  const { paths, uid } = options;
  const record = readArming(paths.arming, uid);
  if (record === null)
    return [
      danger(
        'arming',
        'What is known of the hooks of agents cannot be read: all that ask through hooks are refused',
        `See to ${paths.arming}, then let each agent go on: interlock resume --agent NAME`,
      ),
    ];
  return record.sessions.flatMap((session) => sessionCheck(session, options));
}

function sessionCheck(
  session: ArmedSession,
  { env, packageRoot }: HealthOptions,
): readonly HealthCheck[] {
  const { host, folder, agent } = session;
  if (!isHost(host)) return [];
  const now = lookAtArming({ host, folder }, { env, packageRoot });
  const why = disarmedSince({ ...session, files: [] }, now) ?? now.problems[0] ?? null;
  if (why === null) return [];
  return [
    danger(
      `armed-${agent}-${folder}`,
      `${titleOf(host)} in ${folder} does not ask as it should`,
      `${why} Mend the file; if it is meant to be so: interlock resume --agent ${agent}`,
    ),
  ];
}
