import {
  doubt,
  flag,
  has,
  holds,
  inert,
  into,
  maybe,
  merge,
  offersOf,
  optional,
  path,
  pinned,
  pins,
  reads,
  runsInput,
  writes,
  executes,
} from '../../forms.ts';
import { getoptCommand } from '../../syntax.ts';
import type { Options, ProgramRecord, Reading, Yield } from '../../types.ts';
import { withRoles } from '../shapes.ts';

/** A script of a file, whose arguments are its own, or code from the input. */
export function script(reading: Reading, language: string, extra: Yield = {}): Yield {
  const { program, operands, options } = reading;
  const [first] = operands;
  const code = options.some(({ use }) => use.kind === 'code');
  if (code) return extra;
  if (first === undefined || first.text === '-' || first.text === '/dev/stdin')
    return merge([extra, { doubts: [runsInput(program)] }]);
  const why = `${program} runs the code in a file that its arguments name`;
  const leading =
    first.live === null && reading.doubts.length === 0 ? { leading: first.word + 1 } : {};
  return merge([
    extra,
    {
      effects: [
        path('reads', first.text, first.word, { live: first.live !== null }),
        { kind: 'code', language, text: null, file: first.text, why, word: first.word, ...leading },
      ],
    },
  ]);
}

const inline = {
  ...inert,
  kind: 'code' as const,
  language: 'javascript',
  why: 'node runs code that stands in its arguments',
};
const loadsCode = 'an option of node loads code or settings';

const nodeOptions: Options = withRoles(
  `--abort-on-uncaught-exception --allow-addons --allow-child-process --allow-fs-read= --allow-fs-write= --allow-wasi
  --allow-worker -c|--check -C|--conditions= --disable-proto= --disable-warning= --disable-wasm-trap-handler
  --disallow-code-generation-from-strings --dns-result-order= --enable-fips --enable-source-maps
  --experimental-default-type= --experimental-eventsource --experimental-import-meta-resolve
  --experimental-network-inspection --experimental-permission --permission --experimental-strip-types
  --experimental-transform-types --experimental-test-coverage --experimental-test-module-mocks --experimental-vm-modules
  --experimental-wasm-modules --experimental-websocket --experimental-sqlite --experimental-webstorage
  --expose-gc --force-context-aware --force-fips --frozen-intrinsics --heapsnapshot-near-heap-limit= --heapsnapshot-signal=
  -h|--help --insecure-http-parser --input-type= --interpreted-frames-native-stack --jitless
  --max-http-header-size= --network-family-autoselection --no-network-family-autoselection
  --network-family-autoselection-attempt-timeout= --no-addons --no-deprecation --no-experimental-detect-module
  --no-experimental-fetch --no-experimental-global-customevent --no-experimental-global-webcrypto
  --no-experimental-repl-await --no-experimental-require-module --no-extra-info-on-fatal-exception
  --no-force-async-hooks-checks --no-global-search-paths --no-warnings --node-memory-debug
  --openssl-legacy-provider --openssl-shared-config --pending-deprecation --preserve-symlinks
  --preserve-symlinks-main --report-compact --report-exclude-network --report-on-fatalerror --report-on-signal
  --report-signal= --report-uncaught-exception --secure-heap= --secure-heap-min= --stack-trace-limit=
  --test-concurrency= --test-force-exit --test-name-pattern= --test-only --test-shard= --test-timeout=
  --test-skip-pattern= --test-update-snapshots --test-isolation= --throw-deprecation --title= --tls-max-v1.2 --tls-max-v1.3 --tls-min-v1.0 --tls-min-v1.1
  --tls-min-v1.2 --tls-min-v1.3 --trace-deprecation --trace-event-categories= --trace-exit --trace-promises
  --trace-sigint --trace-sync-io --trace-tls --trace-uncaught --trace-warnings --track-heap-objects
  --unhandled-rejections= --use-bundled-ca --use-openssl-ca --use-system-ca --v8-options --v8-pool-size= -v|--version
  --zero-fill-buffers --max-old-space-size= --max-semi-space-size= --stack-size= --no-opt --harmony
  --cpu-prof --cpu-prof-interval= --heap-prof --heap-prof-interval= --prof --max_old_space_size= --expose_gc
  --experimental-print-required-tla --watch-preserve-output --no-experimental-strip-types --entry-url`,
  {
    '-e --eval': inline,
    '-p --print -pe': { ...maybe(inline) },
    '-r --require --import --loader --experimental-loader --env-file --env-file-if-exists':
      executes(loadsCode, inert),
    '--experimental-config-file --experimental-sea-config --openssl-config --icu-data-dir --snapshot-blob':
      executes(loadsCode, inert),
    '--build-snapshot-config --experimental-policy --test-reporter --run --experimental-default-config-file --build-sea':
      executes(loadsCode, inert),
    '--build-snapshot --prof-process --interactive -i --experimental-network-imports': pins(
      'node runs whatever it is given as input',
    ),
    '--inspect --inspect-brk --inspect-wait --inspect-port --debug-port --inspect-publish-uid': {
      ...optional(inert),
      level: 'pinned',
      why: 'node lets others run code through its debugger',
    },
    '--watch': pins('node runs its script again and again'),
    '--watch-path': pinned(reads, 'node runs its script again and again'),
    '--test-reporter-destination --redirect-warnings --tls-keylog --trace-event-file-pattern --report-filename':
      pinned(writes, 'node writes a file'),
    '--cpu-prof-dir --cpu-prof-name --heap-prof-dir --heap-prof-name --diagnostic-dir --report-directory --report-dir':
      pinned(into, 'node writes a file'),
    '--tls-cipher-list': inert,
  },
);

const node: ProgramRecord = {
  names: ['node', 'nodejs'],
  versions: true,
  does: 'Runs code.',
  runs: 'code',
  harmless: ['NODE_ENV', 'NODE_DEBUG', 'NODE_NO_WARNINGS', 'NODE_DISABLE_COLORS'],
  environment: {
    'NODE_*': 'decides what node loads, writes or trusts',
    ELECTRON_RUN_AS_NODE: 'turns an application into an interpreter',
    NODE_OPTIONS: 'holds options of node, which can load code',
    NODE_PATH: 'decides from where node loads code',
    NODE_REPL_EXTERNAL_MODULE: 'names code that node loads',
    NODE_EXTRA_CA_CERTS: 'makes node trust other certificates',
    NODE_TLS_REJECT_UNAUTHORIZED: 'makes node trust any certificate',
    NODE_V8_COVERAGE: 'names a folder that node writes to',
  },
  grammar: {
    syntax: { ...getoptCommand, name: 'node-options', clusters: false },
    options: { ...nodeOptions, '--test': flag },
    operands: { rest: inert },
    finish: (one) => {
      if (
        holds(one, '--version', '-v', '--help', '-h', '--v8-options') &&
        one.operands.length === 0
      )
        return {};
      if (has(one, '--test'))
        return {
          doubts: [doubt('node runs the tests that its arguments name')],
          effects: one.operands.map(({ text, word }) => path('reads', text, word, { runs: true })),
        };
      const [file] = one.operands;
      const isRun = one.options.some(({ use }) => use.kind === 'code');
      if (has(one, '--check', '-c') && file !== undefined && file.text !== '-' && !isRun)
        return { effects: [path('reads', file.text, file.word, { live: file.live !== null })] };
      return script(one, 'javascript');
    },
    offers: offersOf,
  },
};

function like(name: string, options: string, roles: Options): ProgramRecord {
  return {
    names: [name],
    does: 'Runs code.',
    environment: node.environment ?? {},
    grammar: {
      syntax: { ...getoptCommand, name: 'node-options', clusters: false },
      options: { ...nodeOptions, ...withRoles(options, roles) },
      operands: { rest: inert },
      finish: (one) =>
        holds(one, '--version', '-v', '--help', '-h') && one.operands.length === 0
          ? {}
          : script(one, 'typescript'),
      offers: 'exact',
    },
  };
}
const tsx = like('tsx', '--no-cache', {
  '--tsconfig': executes(loadsCode, reads),
  '--test': pins('tsx runs tests'),
});
const tsNode: ProgramRecord = {
  ...like('ts-node', '-T|--transpile-only -s|--swc --files --esm --skip-project --pretty -vv', {
    '-P --project -O --compilerOptions --compiler --cwd --scope --scope-dir --script-mode':
      executes(loadsCode, inert),
  }),
  environment: { 'TS_NODE_*': 'holds settings of ts-node, which can load code' },
};

export const nodePrograms: readonly ProgramRecord[] = [node, tsx, tsNode];
