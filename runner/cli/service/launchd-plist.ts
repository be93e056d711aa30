import type { ServiceFacts } from './systemd-unit.ts';
import { CliError } from '../failure.ts';

/** The launchd agent of the template, with absolute paths and the home in it. */
export function launchdPlist(template: string, facts: ServiceFacts): string {
  const { node, cli, home, path } = facts;
  const program = [node, cli, 'runner'].map((text) => `\n    <string>${escaped(text)}</string>`);
  const entry = (name: string, value: string): string =>
    `\n    <key>${name}</key>\n    <string>${escaped(value)}</string>`;
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

function escaped(text: string): string {
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
