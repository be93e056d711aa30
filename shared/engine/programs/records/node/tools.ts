import { doubt, has, inert, into, merge, projectFile, writes, executes } from '../../forms.ts';
import { node as nodeSyntax } from '../../syntax.ts';
import type { Syntax } from '../../syntax.ts';
import type { ProgramRecord } from '../../types.ts';
import { byLine } from '../findings.ts';
import { anything, withRoles } from '../shapes.ts';
import { projectTools } from '../project-tools.ts';

const tscOptions = `--all -b|--build --help -h -? --ignoreConfig[] --init --listFilesOnly --locale= --showConfig --singleThreaded[] -v|--version -w|--watch
  --allowArbitraryExtensions[] --allowImportingTsExtensions[] --allowUmdGlobalAccess[] --customConditions= -m|--module=
  --moduleResolution= --moduleSuffixes= --noResolve[] --noUncheckedSideEffectImports[] --paths= --resolveJsonModule[]
  --resolvePackageJsonExports[] --resolvePackageJsonImports[] --rewriteRelativeImportExtensions[] --types= --allowJs[]
  --checkJs[] --maxNodeModuleJsDepth= --allowSyntheticDefaultImports[] --erasableSyntaxOnly[] --esModuleInterop[]
  --forceConsistentCasingInFileNames[] --isolatedDeclarations[] --isolatedModules[] --preserveSymlinks[]
  --verbatimModuleSyntax[] --allowUnreachableCode[] --allowUnusedLabels[] --alwaysStrict[] --exactOptionalPropertyTypes[]
  --noFallthroughCasesInSwitch[] --noImplicitAny[] --noImplicitOverride[] --noImplicitReturns[] --noImplicitThis[]
  --noPropertyAccessFromIndexSignature[] --noUncheckedIndexedAccess[] --noUnusedLocals[] --noUnusedParameters[] --strict[]
  --strictBindCallApply[] --strictBuiltinIteratorReturn[] --strictFunctionTypes[] --strictNullChecks[]
  --strictPropertyInitialization[] --useUnknownInCatchVariables[] --assumeChangesOnlyAffectDirectDependencies[] --composite[]
  --disableReferencedProjectLoad[] --disableSolutionSearching[] --disableSourceOfProjectReferenceRedirect[] -i|--incremental[]
  -d|--declaration[] --declarationMap[] --downlevelIteration[] --emitBOM[] --emitDeclarationOnly[] --importHelpers[]
  --inlineSourceMap[] --inlineSources[] --mapRoot= --newLine= --noEmit[] --noEmitHelpers[] --noEmitOnError[]
  --preserveConstEnums[] --removeComments[] --sourceMap[] --sourceRoot= --stripInternal[] --diagnostics[] --explainFiles[]
  --extendedDiagnostics[] --listEmittedFiles[] --listFiles[] --noCheck[] --traceResolution[] --disableSizeLimit[]
  --emitDecoratorMetadata[] --experimentalDecorators[] --jsx= --jsxFactory= --jsxFragmentFactory= --jsxImportSource=
  --lib= --libReplacement[] --moduleDetection= --noLib[] --reactNamespace= -t|--target= --useDefineForClassFields[]
  --noErrorTruncation[] --preserveWatchOutput[] --pretty[] --skipDefaultLibCheck[] --skipLibCheck[] --watchInterval=
  --watchFile= --watchDirectory= --fallbackPolling= --synchronousWatchDirectory[] --excludeDirectories= --excludeFiles=
  --verbose --dry -f|--force --clean --stopBuildOnErrors[] --builders= --checkers= -q|--quiet --suppressImplicitAnyIndexErrors[]
  --noStrictGenericChecks[] --keyofStringsOnly[] --importsNotUsedAsValues= --ignoreDeprecations=`;

/** Names behind one dash or two, without regard to case; `true` and `false` may follow each. */
const tscSyntax: Syntax = {
  name: 'tsc',
  permutes: true,
  abbreviates: false,
  clusters: false,
  singleDash: true,
  equals: false,
  ignoresCase: true,
};

const tsc: ProgramRecord = {
  names: ['tsc', 'vue-tsc', 'tsgo'],
  does: 'Checks and compiles TypeScript.',
  project: { caches: [] },
  grammar: {
    syntax: tscSyntax,
    options: withRoles(tscOptions, {
      '-p --project --rootDir --rootDirs --baseUrl --typeRoots': projectFile,
      '--outDir --declarationDir --generateTrace --pprofDir': { ...into, runs: true },
      '--outFile --out --tsBuildInfoFile --generateCpuProfile': { ...writes, runs: true },
      '--plugins': executes('tsc loads plug-ins'),
    }),
    operands: { rest: inert },
    finish: ({ operands }) =>
      merge(
        operands.map((one) =>
          one.text.startsWith('@')
            ? { doubts: [doubt('tsc takes its options from a file', one.word)] }
            : anything(one, 'reads', true),
        ),
      ),
    offers: 'files',
  },
};

const prettier: ProgramRecord = {
  names: ['prettier', 'prettierd'],
  does: 'Lays out source text.',
  project: { caches: [] },
  grammar: {
    syntax: { ...nodeSyntax, name: 'prettier' },
    options: withRoles(
      `-c|--check -l|--list-different -w|--write --arrow-parens= --bracket-same-line --no-bracket-spacing --bracket-spacing[]
      --embedded-language-formatting= --end-of-line= --experimental-operator-position= --experimental-ternaries
      --no-experimental-ternaries --html-whitespace-sensitivity= --jsx-single-quote --object-wrap= --parser=
      --print-width= --prose-wrap= --quote-props= --no-semi --semi[] --single-attribute-per-line --single-quote[]
      --tab-width= --trailing-comma= --use-tabs[] --vue-indent-script-and-style --no-config --config-precedence=
      --no-editorconfig --with-node-modules --cursor-offset= --range-end= --range-start= --cache
      --cache-strategy= --check-ignore-pragma --no-color --color --no-error-on-unmatched-pattern
      -h|--help[] -u|--ignore-unknown --insert-pragma --log-level= --require-pragma --stdin-filepath=
      --support-info -v|--version --no-plugin-search --loglevel= --experimental-cli --parallel --no-cache`,
      {
        '--config --ignore-path --plugin --plugin-search-dir --find-config-path --file-info':
          projectFile,
        '--cache-location': { ...writes, runs: true },
      },
    ),
    operands: { rest: inert },
    finish: (one) =>
      merge(
        one.operands.map((word) =>
          anything(word, has(one, '-w', '--write') ? 'edits' : 'reads', true),
        ),
      ),
    offers: (one) => (has(one, '-w', '--write') ? 'exact' : 'files'),
  },
};

const eslint: ProgramRecord = {
  names: ['eslint', 'eslint_d'],
  does: 'Checks JavaScript.',
  project: { caches: [] },
  grammar: {
    syntax: { ...nodeSyntax, name: 'eslint' },
    options: withRoles(
      `--no-eslintrc --eslintrc --no-config-lookup --config-lookup --env= --ext= --global= --parser-options= --rule= --fix --fix-dry-run
      --fix-type= --no-ignore --ignore --ignore-pattern= --stdin --stdin-filename= --quiet --max-warnings= --color --no-color
      --no-inline-config --inline-config --report-unused-disable-directives --report-unused-disable-directives-severity=
      --report-unused-inline-configs= --cache --cache-strategy= --env-info --no-error-on-unmatched-pattern --exit-on-fatal-error
      --no-warn-ignored --pass-on-no-patterns --no-pass-on-no-patterns --debug -h|--help -v|--version --stats --flag= --mcp
      --suppress-all --suppress-rule= --prune-suppressions --pass-on-unpruned-suppressions --concurrency=`,
      {
        '-c --config --parser --resolve-plugins-relative-to --rulesdir --plugin --ignore-path -f --format':
          projectFile,
        '-o --output-file --cache-location --cache-file --suppressions-location': {
          ...writes,
          runs: true,
        },
        '--print-config': projectFile,
        '--init --inspect-config': executes('eslint fetches and starts other programs'),
      },
    ),
    operands: { rest: inert },
    finish: (one) =>
      merge(
        one.operands.map((word) => anything(word, has(one, '--fix') ? 'edits' : 'reads', true)),
      ),
    offers: (one) => (has(one, '--fix') ? 'exact' : 'files'),
  },
};

const toolOptions = {
  pins: /^(?:-r$|-e$|-x$|--?(?:ui|open|api|inspect(?:-\w+)*|globalSetup|preload|import|require|require-.*|loader|browser(?:\..*)?|node-arg|nodeArgs|token|tf-path|doctorTest|app|cwd|watch\.on\w+|onSuccess|on-success|typecheck\.checker|pythonpath)(?:[=.]|$))|^--?[\w.-]*allow(?:Exec|Write)/,
  why: 'an option loads code from elsewhere, opens a port or starts a program',
};
/** Variables that say where such tools send work and logins, or what they start. */
const variables: Readonly<Record<string, ProgramRecord['environment']>> = {
  turbo: Object.fromEntries(
    'API LOGIN TOKEN TEAM TEAMID REMOTE_* PREFLIGHT CONFIG_*'
      .split(' ')
      .map((name) => [`TURBO_${name}`, 'decides to which machine turbo sends what it builds']),
  ),
  nx: {
    'NX_CLOUD_*': 'decides to which machine nx sends what it builds',
    NX_TASKS_RUNNER: 'names code that nx loads',
    NX_BASE: 'is handed to git, which may take it for an option',
    NX_HEAD: 'is handed to git, which may take it for an option',
  },
  wrangler: {
    'CLOUDFLARE_*': 'decides to which machine wrangler sends its login',
    'CF_*': 'decides to which machine wrangler sends its login',
    'WRANGLER_*': 'holds settings of wrangler, which can name programs',
  },
  playwright: { 'PW_*': 'holds settings of playwright, which can name code that it loads' },
};
/** Commands of such tools that change what others see or use. */
const publishes =
  /(?:^|[ :])(?:deploy|release|publish|destroy|delete|remove|rollback|rollout|promote|reset|push|put|secret|secrets|drop|cancel|unpublish)(?:[ :]|$)/;
/** Test runners and builders: their own files run in any case. */
const tools = projectTools(
  'Builds, checks or tests a project.',
  `vitest jest vite webpack rollup esbuild babel swc next nuxt ng mocha ava tap playwright cypress stylelint
  commitlint lint-staged biome storybook nx lerna gulp grunt parcel turbo pyright wrangler cdk sam hugo jekyll gatsby eleventy astro remix expo react-native ionic cordova capacitor knip depcheck
  madge size-limit changeset tsup unbuild wireit moon ember qunit karma webdriverio wdio detox maestro
  appium stryker nest sequelize prisma knex typeorm drizzle-kit redwood xo oxlint`,
  toolOptions,
).map((record): ProgramRecord => ({
  ...record,
  beyond: publishes,
  environment: variables[record.names[0] ?? ''] ?? {},
}));
const hosted = projectTools(
  'Works on services that a project runs on.',
  'pulumi vercel netlify serverless sls supabase',
  toolOptions,
).map((record): ProgramRecord => ({
  ...record,
  elsewhere: {
    looks: /^(?:preview|stack|config|version|about|ls|list|logs|inspect|whoami|status|info|print)$/,
  },
  finds: byLine([
    [/^destroy\b/, 'production-target', 'Changes real services without asking again.'],
    [/\b(?:\w+:)?(?:delete|destroy|remove)\b/, 'data-loss', 'Deletes what a service keeps.'],
  ]),
}));
const generators = /^(?:gen|generate)$/;

/** `turbo gen` runs templates. */
function withGenerators(record: ProgramRecord): ProgramRecord {
  const { read } = record.grammar;
  if (record.names[0] !== 'turbo' || read === undefined) return record;
  return {
    ...record,
    grammar: {
      ...record.grammar,
      read: (args) => {
        const found = read(args);
        const first = found.operands.find(({ text }) => generators.test(text));
        return first === undefined
          ? found
          : { ...found, ...merge([found, { doubts: [doubt('turbo gen runs code', first.word)] }]) };
      },
    },
  };
}

export const nodeToolPrograms: readonly ProgramRecord[] = [
  tsc,
  prettier,
  eslint,
  ...tools.map(withGenerators),
  ...hosted,
];
