import { join } from 'node:path';

/** Names under which service managers know the runner. */
export const unitName = 'interlock-runner.service';
export const agentLabel = 'app.interlock.runner';

/** Where systemd looks for the units of the whole machine. */
export const machineUnitFile = join('/etc/systemd/system', unitName);

/** Where systemd looks for a person's own units. */
export function systemdUnitFile(
  env: Readonly<Record<string, string | undefined>>,
  homeFolder: string,
): string {
  const wanted = env['XDG_CONFIG_HOME'];
  const config = wanted?.startsWith('/') === true ? wanted : join(homeFolder, '.config');
  return join(config, 'systemd', 'user', unitName);
}

/** Where launchd looks for a person's own agents. */
export function launchdAgentFile(homeFolder: string): string {
  return join(homeFolder, 'Library', 'LaunchAgents', `${agentLabel}.plist`);
}
