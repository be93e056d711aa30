import { existsSync } from 'node:fs';
import { Command } from 'commander';
import type { HealthCheck } from '../../../shared/wire/index.ts';
import { openHome, readConfigFile } from '../../../shared/home/index.ts';
import type { HomePaths } from '../../../shared/home/index.ts';
import { checkHealth, mendHealth } from '../../../shared/operations/index.ts';
import type { CommandModule } from '../command-table.ts';
import { exitCodes } from '../io.ts';
import { say, sayJson } from '../io.ts';
import type { Io } from '../io.ts';

const marks: Readonly<Record<HealthCheck['level'], string>> = {
  ok: 'ok     ',
  warning: 'warning',
  danger: 'DANGER ',
};

/** `interlock doctor`: what is well, what is not, and how to mend it. */
export const declare: CommandModule['declare'] = (io, done) =>
  new Command('doctor')
    .description(
      'Checks the set-up and says plainly what does not hold. Exits with 1 when something is dangerous or broken.',
    )
    .option('--json', 'the checks as JSON')
    .option('--mend <id>', 'put right what the check with this id found')
    .addHelpText('after', '\nExamples:\n  interlock doctor\n  interlock doctor --mend file-modes')
    .action(async (options: { readonly json?: boolean; readonly mend?: string }) => {
      const home = openHome(io.env);
      const where = {
        paths: home,
        env: io.env,
        packageRoot: io.packageRoot,
        platform: process.platform,
        uid: home.uid,
        ...folderOf(io),
      };
      if (options.mend !== undefined) await mendHealth(options.mend, where);
      const { auditSeal, recordChecks } = await import('../audit/folder.ts');
      const around = await checkHealth(where);
      const record = existsSync(home.home)
        ? await recordChecks({ paths: home, uid: home.uid, auditSeal: async () => auditSeal(io) })
        : [];
      const sandbox = existsSync(home.home) ? [await sandboxCheck(where)] : [];
      const checks = [...around, ...record, ...sandbox];
      const isWell = checks.every(({ level }) => level !== 'danger');
      if (options.json === true) sayJson(io.stdout, { ok: isWell, checks });
      else for (const line of checks.flatMap(linesOf)) say(io.stdout, line);
      done(isWell ? exitCodes.ok : 1);
    });

/** Whether commands can run in a sandbox here; a danger only where they are to. */
async function sandboxCheck({
  paths,
  uid,
  packageRoot,
}: {
  readonly paths: HomePaths;
  readonly uid: number;
  readonly packageRoot: string;
}): Promise<HealthCheck> {
  const { probeSandbox, unaskedProblem } = await import('../../hosts/sandbox/probe.ts');
  const { launcherPath } = await import('../../hosts/sandbox/launch.ts');
  const file = readConfigFile(paths.config, { uid });
  const image = file.ok ? file.config.sandbox.image : null;
  const probe = await probeSandbox({ launcher: launcherPath(packageRoot), uid, image });
  const hostsInUse = file.ok
    ? [file.config.exec.host, ...Object.values(file.config.agents).map(({ host }) => host)]
    : [];
  const isAuto = hostsInUse.includes('auto');
  const isWanted = isAuto || hostsInUse.includes('sandbox');
  const more = 'More: interlock sandbox status';
  const base = { id: 'sandbox', mendable: false } as const;
  if (probe.ok) {
    const missing = probe.capabilities.filter((each) => !each.ok).map((each) => each.title);
    const without = missing.length === 0 ? '' : `Without: ${missing.join(', ')}. `;
    const notUnasked = unaskedProblem(probe);
    if (isAuto && notUnasked !== null) {
      const title = 'With auto nothing runs in the sandbox unasked: it is asked about';
      return { ...base, level: 'warning', title, detail: `${notUnasked} ${more}` };
    }
    const title = isAuto
      ? 'Commands that need no more run in a sandbox, unasked (auto)'
      : isWanted
        ? 'Commands run in a sandbox'
        : 'A sandbox can be had here, and is not in use';
    return { ...base, level: 'ok', title, detail: `${without}${more}` };
  }
  const detail = `${probe.problem ?? ''} ${more}`;
  if (!isWanted) return { ...base, level: 'ok', title: 'No sandbox can be had here', detail };
  if (!hostsInUse.includes('sandbox')) {
    const asked = 'No sandbox can be had here: what auto would run in it is asked about';
    return { ...base, level: 'warning', title: asked, detail };
  }
  const title = 'No sandbox can be had here: commands that are to run in it are refused';
  return { ...base, level: 'danger', title, detail };
}

/** The settings of the folder one stands in are looked at too, where it is still there. */
function folderOf(io: Io): { readonly folder?: string } {
  try {
    return { folder: io.cwd() };
  } catch {
    return {};
  }
}

function linesOf({ id, level, title, detail, mendable }: HealthCheck): readonly string[] {
  return [
    `${marks[level]}  ${title}`,
    ...(detail === '' ? [] : [`         ${detail}`]),
    ...(mendable ? [`         mend it: interlock doctor --mend ${id}`] : []),
  ];
}
