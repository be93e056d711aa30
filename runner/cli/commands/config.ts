import { existsSync, readFileSync } from 'node:fs';
import { Command } from 'commander';
import { displayPlain } from '../../../shared/base/index.ts';
import { openHome } from '../../../shared/home/index.ts';
import { checkConfig } from '../config-check.ts';
import type { ConfigFinding } from '../config-check.ts';
import type { CommandModule } from '../command-table.ts';
import { exitCodes, say, sayJson } from '../io.ts';

/** `interlock config check`: whether config.json can be meant as it stands, on this machine. */
export const declare: CommandModule['declare'] = (io, done) => {
  const config = new Command('config').description('The settings in config.json.');
  config
    .command('check')
    .summary('check config.json against this machine')
    .description(
      'Checks config.json, and whether this machine can do what it asks for. Exits with 1 where there is an error; with --strict, also where there is a warning.',
    )
    .option('--strict', 'exit with 1 for a warning, too')
    .option('--json', 'the findings as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  interlock config check\n  interlock config check --json --strict',
    )
    .action(async (options: { readonly strict?: boolean; readonly json?: boolean }) => {
      const { uid, ...home } = openHome(io.env);
      const { probeSandbox } = await import('../../hosts/sandbox/probe.ts');
      const { launcherPath } = await import('../../hosts/sandbox/launch.ts');
      const file = home.readConfig();
      const image = file.ok ? file.config.sandbox.image : null;
      const findings = await checkConfig({
        file,
        uid,
        probe: async () => probeSandbox({ launcher: launcherPath(io.packageRoot), uid, image }),
        sysctl: readSysctl,
      });
      const errors = findings.filter(({ level }) => level === 'error').length;
      const warnings = findings.length - errors;
      const isWell = errors === 0 && (options.strict !== true || warnings === 0);
      if (options.json === true) sayJson(io.stdout, { ok: isWell, errors, warnings, findings });
      else for (const line of linesOf(findings)) say(io.stdout, displayPlain(line));
      done(isWell ? exitCodes.ok : 1);
    });
  return config;
};

/** A switch of the kernel; null where it has none of that name. */
function readSysctl(name: string): string | null {
  const path = `/proc/sys/${name.replaceAll('.', '/')}`;
  try {
    return existsSync(path) ? readFileSync(path, 'utf8').trim() : null;
  } catch {
    return null;
  }
}

function linesOf(findings: readonly ConfigFinding[]): readonly string[] {
  if (findings.length === 0) return ['config.json is in order.'];
  return findings.flatMap(({ level, text, advice }) => [
    `${level.padEnd(7)}  ${text}`,
    ...(advice === null ? [] : [`         ${advice}`]),
  ]);
}
