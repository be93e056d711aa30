import {
  doubt,
  executing,
  flag,
  inert,
  into,
  parsed,
  pinned,
  projectFile,
  writes,
} from '../forms.ts';
import type { ProgramRecord } from '../types.ts';
import { commandTool, knownCommand } from './command-tool.ts';
import { packager } from './findings.ts';
import { withRoles } from './shapes.ts';

/** Reporters by the names that come with .NET; one that is told of a file writes it. */
const reporters = parsed((value, word) =>
  /^(?:trx|html|console|junit|nunit|xunit|GitHubActions|XPlat Code Coverage|Code Coverage)(?:;(?:verbosity|Format|noprogress|noheader)=\w+)*$/.test(
    value,
  )
    ? {}
    : { doubts: [executing('an option of dotnet loads code', word)] },
);

const efOptions = withRoles(
  '-c|--context= --configuration= --framework= --no-build --json -v|--verbose --prefix-output --no-color --idempotent --runtime= --no-connect --namespace=',
  {
    '-p --project -s --startup-project': projectFile,
    '-o --output --output-dir': { ...writes, runs: true },
  },
);

/** Programs and projects of .NET. */
export const dotnet: ProgramRecord = commandTool({
  names: ['dotnet'],
  finds: packager(/^(?:add|restore)\b/),
  does: 'Builds and runs projects.',
  plain: 'build test restore clean format publish pack',
  front: { '--info --list-sdks --list-runtimes': flag },
  looks: 'list',
  commands: {
    sln: {
      ...knownCommand('Works on the parts of a project.', {}),
      operands: { rest: pinned(inert, 'dotnet changes the parts of a project') },
      commands: { list: knownCommand('Lists the parts of a project.', {}, undefined, 'reads') },
    },
    test: knownCommand(
      'Runs the tests of a project.',
      withRoles(
        `-c|--configuration= -f|--framework= -r|--runtime= -v|--verbosity= -a|--arch= --os= --filter= --no-build --no-restore --nologo --list-tests -t --blame
          --blame-crash --blame-hang --blame-hang-timeout= --interactive --tl=`,
        {
          '-o --output --results-directory': { ...into, runs: true },
          '-l --logger --collect': reporters,
        },
      ),
    ),
    run: {
      ...knownCommand(
        'Runs a program of the project.',
        withRoles(
          `-c|--configuration= -f|--framework= -r|--runtime= -v|--verbosity= --no-build --no-restore --no-launch-profile --launch-profile= --urls= --self-contained
            --no-self-contained --nologo`,
          { '--project': projectFile },
        ),
        ({ operands }) => ({
          doubts: operands
            .filter(({ text }) => /^(?:release|publish|deploy|upload|push|install)$/.test(text))
            .map(({ text, word }) => doubt(`a program of the project is told to ${text}`, word)),
        }),
      ),
      named: 'run starts a program of the project',
    },
    new: {
      ...knownCommand('Makes a part of a project.', {}),
      operands: { rest: pinned(inert, 'dotnet new makes what a template says') },
      commands: {
        list: knownCommand('Lists templates.', {}, undefined, 'reads'),
        'classlib console xunit nunit mstest webapi mvc web worker razor gitignore editorconfig globaljson sln':
          knownCommand(
            'Makes a part of a project.',
            withRoles('-n|--name= -f|--framework= --no-restore --dry-run -lang|--language=', {
              '-o --output': { ...into, runs: true },
            }),
          ),
      },
    },
    ef: {
      ...knownCommand('Works on a database and its steps.', {}),
      operands: { rest: pinned(inert, 'dotnet ef changes a database') },
      commands: {
        migrations: {
          ...knownCommand('Works on the steps of a database.', {}),
          operands: { rest: pinned(inert, 'dotnet ef changes the steps of a database') },
          commands: {
            'list add script has-pending-model-changes': knownCommand(
              'Lists the steps of a database, or writes one as code.',
              efOptions,
            ),
          },
        },
        dbcontext: {
          ...knownCommand('Says what a database is made from.', {}),
          operands: { rest: pinned(inert, 'dotnet ef makes code of a database') },
          commands: {
            'list info': knownCommand('Says what a database is made from.', efOptions),
          },
        },
      },
    },
    tool: {
      ...knownCommand('Works on tools.', {}),
      operands: { rest: pinned(inert, 'dotnet tool installs, runs or removes tools') },
      commands: {
        list: knownCommand(
          'Lists tools.',
          withRoles('-g|--global --local', {}),
          undefined,
          'reads',
        ),
      },
    },
  },
  runs: 'exec add remove nuget watch',
  pins: /^(?:--?(?:p|property|logger|l|settings|s|test-adapter-path|collect)(?:[:=]|$)|-l$|@|\/)/,
  why: 'an option of dotnet loads code',
  harmless: ['DOTNET_CLI_TELEMETRY_OPTOUT', 'DOTNET_NOLOGO'],
  environment: {
    'DOTNET_*': 'decides which code .NET loads',
    'NUGET_*': 'decides from where .NET takes packages',
    'MSBUILD*': 'decides which code .NET loads',
    'CORECLR_*': 'decides which code .NET loads',
    'COR_*': 'decides which code .NET loads',
  },
});

/** The console of Zephyr: what it builds and tests the project says. */
export const west: ProgramRecord = commandTool({
  names: ['west'],
  does: 'Builds and tests firmware.',
  front: { '-v -V': flag },
  looks: 'list topdir boards manifest status',
  plain: 'build twister',
  runs: 'flash debug debugserver attach rtt update init sign config forall sdk packages blobs diff grep',
  pins: /^(?:-z$|--zephyr-base|--device|-o$|--cmake-opt|--runner|@|--config-file|--extra)/,
  why: 'an option of west chooses programs, devices or code',
});
