import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeFileAtomic } from '../../../shared/home/index.ts';
import { agentLabel } from '../../../shared/operations/index.ts';
import { CliError } from '../failure.ts';
import { runnerNodeOptions } from './manager.ts';
import type { ServiceManager } from './manager.ts';
import type { ManagerOptions, ServiceFacts } from './systemd.ts';

/** The launchd agent of the template, with absolute paths and the home in it. */
export function launchdPlist(template: string, facts: ServiceFacts): string {
  const { node, cli, home, path } = facts;
  const words = [node, ...runnerNodeOptions, cli, 'runner'];
  const program = words.map((text) => `\n    <string>${plistText(text)}</string>`);
  const entry = (name: string, value: string): string =>
    `\n    <key>${name}</key>\n    <string>${plistText(value)}</string>`;
  const filled = template
    .replace(
      /(<key>ProgramArguments<\/key>\s*<array>)[\s\S]*?(\n\s*<\/array>)/u,
      (_all, open: string, close: string) => `${open}${program.join('')}${close}`,
    )
    .replace(
      /(<key>EnvironmentVariables<\/key>\s*<dict>)[\s\S]*?(\n\s*<\/dict>)/u,
      (_all, open: string, close: string) =>
        `${open}${entry('INTERLOCK_HOME', home)}${entry('PATH', path)}${close}`,
    );
  if (!filled.includes('INTERLOCK_HOME')) throw new Error('the template has no variables');
  return filled;
}

export function plistText(text: string): string {
  if (/\p{Cc}/u.test(text))
    throw new CliError(
      'A path with a line break or another control character cannot stand in a launchd agent.',
      'Install Interlock, or set INTERLOCK_HOME, to a folder with a plain name.',
    );
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** The runner as an agent of launchd. */
export function launchdManager(
  { run, packageRoot, facts, file, isOutdated }: ManagerOptions,
  uid: number,
): ServiceManager {
  const domain = `gui/${String(uid)}`;
  const service = `${domain}/${agentLabel}`;
  const isLoaded = async (): Promise<boolean> => (await run('launchctl', ['print', service])).ok;
  return {
    require: async () => {
      const { ok, missing, said } = await run('launchctl', ['print', domain]);
      if (ok) return;
      throw new CliError(
        missing ? 'There is no launchd here.' : `launchd has no session of yours: ${said}`,
        'Start the runner by whatever starts programs here: interlock runner',
      );
    },
    install: async () => {
      const name = `${agentLabel}.plist`;
      const template = readFileSync(join(packageRoot, 'assets', 'service', name), 'utf8');
      const text = launchdPlist(template, facts);
      const before = existsSync(file) ? readFileSync(file, 'utf8') : null;
      if (before === text && (await isLoaded()) && !(await isOutdated()))
        return [`${file} was as it should be, and the runner is up.`];
      mkdirSync(dirname(file), { recursive: true });
      writeFileAtomic(file, text, { mode: 0o644 });
      if (await isLoaded()) await run('launchctl', ['bootout', service]);
      const { ok, said } = await run('launchctl', ['bootstrap', domain, file]);
      if (!ok) throw new CliError(`launchd did not take it: ${said}`, `The agent is ${file}.`);
      return [`Wrote ${file}.`, 'Loaded and started: the runner starts when you log in.'];
    },
    uninstall: async () => {
      if (!existsSync(file)) return ['The service is not installed; nothing was changed.'];
      if (await isLoaded()) await run('launchctl', ['bootout', service]);
      rmSync(file, { force: true });
      return [`Stopped and removed ${file}.`, 'Your policy and log stay as they are.'];
    },
    status: async () => {
      if (!existsSync(file)) return ['not installed'];
      return [`installed  ${file}`, `loaded     ${(await isLoaded()) ? 'yes' : 'no'}`];
    },
  };
}
