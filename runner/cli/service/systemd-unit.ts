import { CliError } from '../failure.ts';

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
  const start = [node, cli, 'runner'].map(word).join(' ');
  const environment = [`INTERLOCK_HOME=${home}`, `PATH=${path}`].map(assignment).join(' ');
  const filled = template.replace(
    /^ExecStart=.*$/mu,
    () => `ExecStart=${start}\nEnvironment=${environment}`,
  );
  if (filled === template) throw new Error('the template has no ExecStart');
  return filled;
}

/** One word of ExecStart: quoted, with what systemd would expand doubled. */
function word(text: string): string {
  return `"${quoted(text).replaceAll('$', '$$$$')}"`;
}

/** One assignment of Environment; `$` means nothing there. */
function assignment(text: string): string {
  return `"${quoted(text)}"`;
}

function quoted(text: string): string {
  if (/\p{Cc}/u.test(text))
    throw new CliError(
      'A path with a line break or another control character cannot stand in a unit.',
      'Install Interlock, or set INTERLOCK_HOME, to a folder with a plain name.',
    );
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%');
}
