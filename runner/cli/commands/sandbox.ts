import { Command } from 'commander';
import { openHome } from '../../../shared/home/index.ts';
import { launcherPath } from '../../hosts/sandbox/launch.ts';
import { probeSandbox } from '../../hosts/sandbox/probe.ts';
import type { Capability, SandboxProbe } from '../../hosts/sandbox/probe.ts';
import type { CommandModule } from '../command-table.ts';
import { exitCodes, say, sayJson } from '../io.ts';

/** `interlock sandbox status`: what of a sandbox this machine can do, found out by doing it. */
export const declare: CommandModule['declare'] = (io, done) => {
  const sandbox = new Command('sandbox').description(
    'The kernel sandbox that commands run in where exec.host is "sandbox".',
  );
  sandbox
    .command('status')
    .description(
      'Launches an empty command for real and says what holds it. Exits with 1 where no sandbox can be had.',
    )
    .option('--json', 'the findings as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  interlock sandbox status\n  interlock sandbox status --json',
    )
    .action(async (options: { readonly json?: boolean }) => {
      const { uid } = openHome(io.env);
      const probe = await probeSandbox({ launcher: launcherPath(io.packageRoot), uid });
      if (options.json === true) sayJson(io.stdout, statusBody(probe));
      else for (const line of statusLines(probe)) say(io.stdout, line);
      done(probe.ok ? exitCodes.ok : 1);
    });
  return sandbox;
};

/** As JSON: by name what is there, and everything in words. */
function statusBody({ ok, problem, rung, failed, capabilities, groups }: SandboxProbe) {
  const has = Object.fromEntries(capabilities.map((each) => [each.name, each.ok]));
  return {
    ok,
    problem,
    rung,
    failed,
    ...has,
    groups: groups.ok ? groups.kind : null,
    capabilities,
  };
}

function statusLines(probe: SandboxProbe): readonly string[] {
  const verdict = probe.ok
    ? 'Commands can run in a sandbox here.'
    : `Commands cannot run in a sandbox here. ${probe.problem ?? ''}`;
  return [verdict, ...probe.capabilities.flatMap(capabilityLines)];
}

function capabilityLines({ ok, title, detail, advice }: Capability): readonly string[] {
  return [
    `  ${ok ? '✓' : '✗'} ${title}: ${detail}`,
    ...(advice === null ? [] : [`      ${advice}`]),
  ];
}
