import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeFileAtomic } from '../../../shared/home/index.ts';
import { unitName } from '../../../shared/operations/index.ts';
import { CliError } from '../failure.ts';
import { runnerNodeOptions } from './manager.ts';
import type { RunTool, ServiceManager } from './manager.ts';

/** What of this installation goes into a unit. */
export interface ServiceFacts {
  /** Absolute paths. */
  readonly node: string;
  readonly cli: string;
  readonly home: string;
  /** Where commands are looked for; absolute entries only. */
  readonly path: string;
}

/** The systemd user unit of the template, with absolute paths and the home in it. */
export function systemdUnit(template: string, facts: ServiceFacts): string {
  const { node, cli, home, path } = facts;
  const start = [node, ...runnerNodeOptions, cli, 'runner'].map(unitWord).join(' ');
  const environment = [`INTERLOCK_HOME=${home}`, `PATH=${path}`].map(unitAssignment).join(' ');
  const filled = template.replace(
    /^ExecStart=.*$/mu,
    () => `ExecStart=${start}\nEnvironment=${environment}`,
  );
  if (filled === template) throw new Error('the template has no ExecStart');
  return filled;
}

/** One word of ExecStart: quoted, with what systemd would expand doubled. */
export function unitWord(text: string): string {
  return `"${unitQuoted(text).replaceAll('$', '$$$$')}"`;
}

/** One assignment of Environment; `$` means nothing there. */
export function unitAssignment(text: string): string {
  return `"${unitQuoted(text)}"`;
}

export function unitQuoted(text: string): string {
  if (/\p{Cc}/u.test(text))
    throw new CliError(
      'A path with a line break or another control character cannot stand in a unit.',
      'Install Interlock, or set INTERLOCK_HOME, to a folder with a plain name.',
    );
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%');
}

export interface ManagerOptions {
  readonly run: RunTool;
  /** Folder of the installed package, where `assets` is. */
  readonly packageRoot: string;
  readonly facts: ServiceFacts;
  /** Where the file of the service goes. */
  readonly file: string;
  /** Whether the runner that answers was started before the files of this installation came. */
  readonly isOutdated: () => Promise<boolean>;
}

/** The runner as a user service of systemd. */
export function systemdManager(options: ManagerOptions): ServiceManager {
  const { run, packageRoot, facts, file, isOutdated } = options;
  const systemctl = async (...args: readonly string[]): ReturnType<RunTool> =>
    run('systemctl', ['--user', ...args]);
  const must = async (...args: readonly string[]): Promise<void> => {
    const { ok, said } = await systemctl(...args);
    if (!ok)
      throw new CliError(
        `systemctl --user ${args.join(' ')} failed: ${said}`,
        `The unit is ${file}. See: journalctl --user -u ${unitName}`,
      );
  };
  return {
    require: async () => {
      const { ok, missing, said } = await systemctl('show-environment');
      if (ok) return;
      throw new CliError(
        missing ? 'There is no systemd here.' : `No systemd of yours answers: ${said}`,
        'Start the runner by whatever starts programs here: interlock runner',
      );
    },
    install: async () => {
      const template = readFileSync(join(packageRoot, 'assets', 'service', unitName), 'utf8');
      const text = systemdUnit(template, facts);
      const before = existsSync(file) ? readFileSync(file, 'utf8') : null;
      const wasActive = (await systemctl('is-active', '--quiet', unitName)).ok;
      if (before !== text) {
        mkdirSync(dirname(file), { recursive: true });
        writeFileAtomic(file, text, { mode: 0o644 });
      }
      const again = wasActive && (before !== text || (await isOutdated()));
      await must('daemon-reload');
      // After a crash loop, systemd starts nothing until it is told to forget that.
      if (!wasActive) await systemctl('reset-failed', unitName);
      await must('enable', '--now', unitName);
      if (again) await must('restart', unitName);
      return [
        before === text ? `${file} was as it should be.` : `Wrote ${file}.`,
        again
          ? 'Enabled; the runner was started again with it.'
          : 'Enabled and started: the runner starts when you log in.',
        'To have it start with the machine: loginctl enable-linger',
        `Its log: journalctl --user -u ${unitName}`,
      ];
    },
    uninstall: async () => {
      if (!existsSync(file)) return ['The service is not installed; nothing was changed.'];
      await must('disable', '--now', unitName);
      rmSync(file, { force: true });
      await must('daemon-reload');
      return [`Stopped, disabled, and removed ${file}.`, 'Your policy and log stay as they are.'];
    },
    status: async () => {
      if (!existsSync(file)) return ['not installed'];
      const enabled = (await systemctl('is-enabled', unitName)).said;
      const active = (await systemctl('is-active', unitName)).said;
      return [`installed  ${file}`, `enabled    ${enabled}`, `active     ${active}`];
    },
  };
}
