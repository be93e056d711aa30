import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Argument, Command } from 'commander';
import { CliError } from '../failure.ts';
import type { CommandModule } from '../command-table.ts';
import { exitCodes, say } from '../io.ts';

/** The files of ours that have a schema, by the names that the build gives them. */
const files = {
  config: 'config.json',
  policy: 'exec-approvals.json',
  tool: 'policy/NAME.yaml',
  ui: 'ui.json',
  request: 'a request in a shared folder',
  answer: 'an answer in a shared folder',
  teardown: 'a teardown in a shared folder',
} as const;
type SchemaName = keyof typeof files;
export const schemaNames = Object.keys(files) as readonly SchemaName[];

/** `interlock schema [NAME]`: what may stand in a file, for an editor to check and complete. */
export const declare: CommandModule['declare'] = (io, done) => {
  const pathOf = (name: SchemaName): string =>
    join(io.packageRoot, 'dist', 'schemas', `${name}.schema.json`);
  return new Command('schema')
    .description(
      'Prints the JSON Schema of one of our files; without a name, which there are. An editor completes and checks a file that says where its schema is: "$schema" in config.json, exec-approvals.json and ui.json.',
    )
    .addArgument(new Argument('[name]', 'the file').choices(schemaNames))
    .option('--path', 'where the schema lies, for "$schema", and not the schema itself')
    .addHelpText(
      'after',
      '\nExamples:\n  interlock schema\n  interlock schema config\n  interlock schema policy --path',
    )
    .action((name: SchemaName | undefined, options: { readonly path?: boolean }) => {
      if (name === undefined) {
        for (const one of schemaNames)
          say(io.stdout, `${one.padEnd(10)}${options.path === true ? pathOf(one) : files[one]}`);
        return done(exitCodes.ok);
      }
      const path = pathOf(name);
      if (!existsSync(path))
        throw new CliError(`${path} is not there.`, 'Install Interlock anew, or run its build.');
      io.stdout.write(options.path === true ? `${path}\n` : readFileSync(path, 'utf8'));
      return done(exitCodes.ok);
    });
};
