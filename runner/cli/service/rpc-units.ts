import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sharedName, writeFileAtomic } from '../../../shared/home/index.ts';
import { CliError } from '../failure.ts';
import { plistText } from './launchd.ts';
import type { RunTool } from './manager.ts';
import { unitAssignment, unitQuoted, unitWord } from './systemd.ts';
import type { ServiceFacts } from './systemd.ts';

const pathUnit = 'interlock-rpc.path';
const drainUnit = 'interlock-rpc.service';
const label = 'app.interlock.rpc';

/** What starts a drain when something changes in shared folders, so that nothing runs meanwhile. */
export interface RpcUnits {
  isInstalled(): boolean;
  /** Watches these folders from now on; with none of them nothing is left. Sentences about it. */
  watch(folders: readonly string[]): Promise<readonly string[]>;
}

interface RpcUnitsOptions {
  readonly run: RunTool;
  readonly packageRoot: string;
  readonly facts: ServiceFacts;
  /** Where units of this person go: of systemd, or agents of launchd. */
  readonly directory: string;
}

/** The folders of one shared folder in which something may come. */
function watchedIn(folder: string): readonly string[] {
  return ['requests', 'teardowns'].map((part) => join(folder, sharedName, part));
}

/** The path unit with these folders in the place of the example. */
export function pathUnitText(template: string, folders: readonly string[]): string {
  const lines = folders.flatMap(watchedIn).map((path) => `PathChanged=${unitQuoted(path)}`);
  return filled(template, /^PathChanged=.*$/mu, lines.join('\n'));
}

/** The service that drains, with absolute paths and the home in it. */
export function drainUnitText(template: string, { node, cli, home, path }: ServiceFacts): string {
  const start = [node, cli, 'rpc', 'drain'].map(unitWord).join(' ');
  const environment = [`INTERLOCK_HOME=${home}`, `PATH=${path}`].map(unitAssignment).join(' ');
  return filled(template, /^ExecStart=.*$/mu, `ExecStart=${start}\nEnvironment=${environment}`);
}

/** The agent of launchd that drains, with the folders in it. */
export function drainPlistText(
  template: string,
  { node, cli, home, path }: ServiceFacts,
  folders: readonly string[],
): string {
  const strings = (texts: readonly string[]): string =>
    texts.map((text) => `\n    <string>${plistText(text)}</string>`).join('');
  const entry = (name: string, value: string): string =>
    `\n    <key>${name}</key>\n    <string>${plistText(value)}</string>`;
  const array = (name: string): RegExp =>
    new RegExp(`(?<=<key>${name}</key>\\s*<array>)[\\s\\S]*?(?=\\n\\s*</array>)`, 'u');
  const variables = /(?<=<key>EnvironmentVariables<\/key>\s*<dict>)[\s\S]*?(?=\n\s*<\/dict>)/u;
  const started = filled(template, array('ProgramArguments'), strings([node, cli, 'rpc', 'drain']));
  const watching = filled(started, array('WatchPaths'), strings(folders.flatMap(watchedIn)));
  return filled(watching, variables, `${entry('INTERLOCK_HOME', home)}${entry('PATH', path)}`);
}

function filled(template: string, place: RegExp, text: string): string {
  if (!place.test(template)) throw new Error('the template has no place for it');
  return template.replace(place, () => text);
}

function put(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileAtomic(file, text, { mode: 0o644 });
}

/** A path unit of the person's own systemd. */
export function systemdRpcUnits(options: RpcUnitsOptions): RpcUnits {
  const { run, packageRoot, facts, directory } = options;
  const file = join(directory, pathUnit);
  const service = join(directory, drainUnit);
  const template = (name: string): string =>
    readFileSync(join(packageRoot, 'assets', 'service', name), 'utf8');
  const must = async (...args: readonly string[]): Promise<void> => {
    const { ok, said } = await run('systemctl', ['--user', ...args]);
    if (ok) return;
    throw new CliError(
      `systemctl --user ${args.join(' ')} failed: ${said}`,
      `The unit is ${file}. See: journalctl --user -u ${drainUnit}`,
    );
  };
  return {
    isInstalled: () => existsSync(file),
    watch: async (folders) => {
      if (folders.length === 0) {
        if (!existsSync(file)) return [];
        await must('disable', '--now', pathUnit);
        for (const one of [file, service]) rmSync(one, { force: true });
        await must('daemon-reload');
        return [`Stopped, disabled, and removed ${file}.`];
      }
      put(file, pathUnitText(template(pathUnit), folders));
      put(service, drainUnitText(template(drainUnit), facts));
      await must('daemon-reload');
      await must('enable', pathUnit);
      await must('restart', pathUnit);
      return [`${file} starts "interlock rpc drain" when something comes.`];
    },
  };
}

/** An agent of launchd with WatchPaths. */
export function launchdRpcUnits(options: RpcUnitsOptions & { readonly uid: number }): RpcUnits {
  const { run, packageRoot, facts, directory, uid } = options;
  const file = join(directory, `${label}.plist`);
  const domain = `gui/${String(uid)}`;
  return {
    isInstalled: () => existsSync(file),
    watch: async (folders) => {
      const wasThere = existsSync(file);
      if (wasThere) await run('launchctl', ['bootout', `${domain}/${label}`]);
      if (folders.length === 0) {
        rmSync(file, { force: true });
        return wasThere ? [`Stopped and removed ${file}.`] : [];
      }
      const template = readFileSync(
        join(packageRoot, 'assets', 'service', `${label}.plist`),
        'utf8',
      );
      put(file, drainPlistText(template, facts, folders));
      const { ok, said } = await run('launchctl', ['bootstrap', domain, file]);
      if (!ok) throw new CliError(`launchd did not take it: ${said}`, `The agent is ${file}.`);
      return [`${file} starts "interlock rpc drain" when something comes.`];
    },
  };
}
