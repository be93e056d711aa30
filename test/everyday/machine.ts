import { readFileSync, readdirSync } from 'node:fs';
import { PassThrough, Writable } from 'node:stream';
import { sha256 } from '../../shared/base/index.ts';
import { runBatch } from '../../runner/cli/check/batch.ts';
import { createEngine } from '../../shared/engine/engine.ts';
import type { Engine } from '../../shared/engine/engine.ts';
import { defaultConfig } from '../../shared/engine/config.ts';
import { addRules, firstPolicy } from '../../shared/engine/policy/edit.ts';
import type { PolicyDocument } from '../../shared/engine/policy/types.ts';
import { bindStarter, startersFor } from '../../shared/engine/starters/bind.ts';
import { loadGrammar } from '../../shared/home/machine.ts';
import { machine } from '../support/machine.ts';
import { cwd, home } from '../support/stages.ts';

const folder = new URL('../fixtures/everyday/sessions/', import.meta.url);

/** One line of a session, and whether a person should be asked about it. */
export interface SessionLine {
  readonly session: string;
  readonly wanted: 'quiet' | 'ask';
  readonly kind: 'exec' | 'edit' | 'fetch';
  readonly text: string;
}

/** Every line of every session, in order. */
export function sessionLines(): readonly SessionLine[] {
  return readdirSync(folder).flatMap((file) =>
    readFileSync(new URL(file, folder), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => lineOf(file.replace('.txt', ''), line)),
  );
}

function lineOf(session: string, line: string): SessionLine {
  const found = /^(?:(edit|fetch)-)?(quiet|ask) (.+)$/.exec(line);
  if (found === null) throw new Error(`${session}: ${line}`);
  const [, kind = 'exec', wanted, written = ''] = found;
  return {
    session,
    kind: kind as SessionLine['kind'],
    wanted: wanted as SessionLine['wanted'],
    // A line end only where a document follows; elsewhere it is a word of the program.
    text: /<<-?\s*\\?['"]?[A-Z]/.test(written) ? written.replaceAll(/(?<!\\)\\n/g, '\n') : written,
  };
}

/** What a project of that kind holds, as far as an analysis looks at it. */
const tree = [
  'package.json Cargo.toml go.mod pyproject.toml Makefile tsconfig.json vite.config.ts',
  'README.md CHANGELOG.md VERSION a.txt b.txt files.txt words.txt times.txt report.json plan.bin',
  'src/app.ts src/index.ts src/main.rs src/lib.rs src/options.rs src/parser/dates.py',
  'src/components/Form.tsx src/components/LoginForm.tsx src/components/forms/a.tsx',
  'src/components/forms/b.tsx src/types/index.ts tests/test_dates.py tests/data/two.csv',
  'internal/server/server.go internal/server/server_test.go cmd/app/main.go dist/index.js',
  'docs/install.md docs/notes.md docs/old.md k8s/deploy.yaml charts/app/values.yaml',
  'scripts/deploy.sh infra/main.tf crates/one/src/lib.rs logs/app.log notes.md token.txt .env .env.local',
  '.git/config .git/HEAD .git/hooks/pre-push.sample .github/workflows/ci.yml',
  'environment.yml requirements.txt notebooks/train.ipynb data/raw/trips.csv data/raw/zones.csv',
  'data/raw/zones.csv.gz data/a.csv data/b.csv data/runs.db data/interim/old.csv data/parts/old',
  'src/train.py src/evaluate.py src/features.py configs/small.yaml models/base.pkl logs/train.log',
  'reports/metrics.json reports/eval.txt tests/test_features.py',
  'settings.gradle.kts build.gradle.kts gradle.properties gradlew mvnw build.log',
  'services/orders/build.gradle.kts services/billing/build.gradle.kts services/billing/pom.xml',
  'services/billing/mvnw services/orders/README.md services/billing/README.md services/orders/.env',
  'services/orders/src/main/java/com/example/orders/OrderService.java',
  'services/orders/src/main/java/com/example/orders/Amount.java',
  'services/orders/src/test/java/com/example/orders/OrderServiceTest.java',
  'services/orders/src/main/resources/application.yml services/billing/src/main/resources/a.yml',
  'services/orders/build/libs/orders.jar services/orders/build/test-results/a.xml',
  'pages/shop/package.json pages/shop/src/Order.tsx',
  'pnpm-workspace.yaml turbo.json docker-compose.yml apps/api/package.json apps/api/.env',
  'apps/api/src/routes/orders.ts apps/api/dist/index.js apps/web/package.json',
  'packages/queue/package.json packages/queue/tsconfig.json packages/queue/README.md',
  'packages/queue/src/worker.ts packages/queue/src/worker.test.ts packages/queue/src/cli.ts',
  'packages/queue/src/backoff.ts packages/backoff/package.json packages/backoff/tsconfig.json',
  'packages/backoff/src/index.ts scripts/check-workspace.mjs .changeset/config.json',
  'composer.json artisan phpunit.xml app/Services/Tax.php app/Services/Tax.php.orig',
  'app/Services/TaxHelper.php app/Models/Order.php app/Http/Controllers/OrderController.php',
  'config/shop.php routes/web.php routes/api.php .env.example lang/en/shop.php lang/de/shop.php',
  'lang/en/keys.txt lang/de/keys.txt resources/views/orders/show.blade.php resources/css/app.css',
  'database/testing.sqlite database/migrations/2026_01_01_000000_orders.php storage/logs/laravel.log',
  'tests/Unit/TaxTest.php scripts/check-translations.php public/build/manifest.json',
  'terraform/modules/network/main.tf terraform/modules/network/variables.tf terraform/modules/net.tf',
  'terraform/envs/staging/main.tf terraform/envs/staging/backend.tf terraform/envs/staging/tfplan',
  'terraform/envs/staging/terraform.tfvars terraform/envs/production/terraform.tfvars',
  'terraform/envs/production/main.tf terraform/envs/production/backend.tf plan.json policy/deny.rego',
  'terraform/envs/production/secrets.auto.tfvars ansible/site.yml ansible/inventory/staging.yml',
  'ansible/roles/web/tasks/main.yml ansible/roles/web/handlers/main.yml docs/network.md',
  'ansible/roles/web/templates/app.conf.j2 ansible/group_vars/all/vault.yml packer/base.pkr.hcl',
  'docker/Dockerfile docker/compose.yml k8s/overlays/staging/kustomization.yaml',
  'tests/policy/test_deny.py pubspec.yaml analysis_options.yaml lib/main.dart lib/screens/list.dart',
  'lib/screens/list_screen.dart lib/generated/old.g.dart test/list_screen_test.dart',
  'bin/check_assets.dart assets/i18n/en.json assets/i18n/de.json assets/icons/icon.png',
  'android/gradlew android/app/build.gradle.kts android/app/src/main/AndroidManifest.xml',
  'android/app/src/main/kotlin/com/example/shop/ListModel.kt android/key.properties android/upload.jks',
  'android/app/build/outputs/apk/debug/app-debug.apk ios/Podfile ios/Podfile.lock ios/AuthKey_ABC.p8',
  'ios/Runner/Info.plist ios/Runner.xcodeproj/project.pbxproj ios/Core/Package.swift ios/fastlane/Fastfile',
  'ios/Core/Sources/Core/List.swift packages/picker/package.json packages/picker/src/Picker.tsx',
  'scripts/strings.mjs scripts/icons.py .env.production apps/api/prisma/schema.prisma e2e/orders.spec.ts',
  'apps/api/prisma/next.prisma apps/api/tsconfig.json packages/backoff/dist/index.js src/app/main.py',
  'tests/test_orders.py alembic.ini uv.lock buf.yaml justfile crates/one/Cargo.toml crates/two/Cargo.toml',
  'crates/two/src/lib.rs target/release/app target/debug/app build/CMakeCache.txt app/models/order.rb',
  'spec/models/order_spec.rb test/models/order_test.rb Gemfile Gemfile.lock Rakefile',
  'config/credentials/production.key .venv/pyvenv.cfg .venv/bin/activate',
  'apps/web/src/cart.ts apps/web/tsconfig.json apps/docs/package.json src/lib/amount.ts .nvmrc .next/build-manifest.json',
  'node_modules/next/package.json node_modules/next/dist/server/request/cookies.d.ts node_modules/.bin/tsc',
  'node_modules/.bin/vitest node_modules/.bin/eslint node_modules/.bin/prettier node_modules/.bin/next node_modules/.bin/markdownlint-cli2 node_modules/@types/node/package.json manage.py config/settings/test.py Dockerfile',
  'clinic/models.py clinic/views.py clinic/tasks.py clinic/migrations/0012_slots.py tests/test_booking.py',
  'tests/test_old.py tests/legacy/a.py tests/test_tasks.py lang/de/clinic.po',
  '.venv/lib/python3.12/site-packages/django/db/models/query.py .venv/bin/python .venv/bin/pytest',
  'internal/server/balance.go internal/ledger/ledger.go internal/tools/gen/main.go internal/gen/zz.go',
  'proto/ledger/v1/ledger.proto gen/ledger.pb.go sqlc.yaml buf.gen.yaml db/queries.sql bin/ledger',
  'CMakeLists.txt CMakePresets.json prj.conf Doxyfile src/filter.cpp src/main.c include/filter.hpp',
  'tests/scratch.cpp drivers/bme.c build/compile_commands.json build/libsensor.a build/coverage.info',
  'build/zephyr/zephyr.elf build/zephyr/zephyr.bin build/zephyr/zephyr.map build/zephyr/.config',
  'build/tests/sensor_tests build/bench build/ninja.build old.bin fix.patch scripts/parse_map.py',
  'tests/data/frame.bin target/release/sensorctl keys/root.pem app/controllers/orders_controller.rb',
  'config/routes.rb config/database.yml db/migrate/1_create_refunds.rb script/check_totals.rb app/services/a.rb',
  'spec/services/a_spec.rb log/development.log log/test.log tmp/pids/server.pid config/importmap.rb',
  'config/master.key mix.exs mix.lock lib/chat/room.ex test/chat/room_test.exs priv/repo/migrations/1.exs',
  'deps/phoenix/lib/phoenix/channel.ex vendor/laravel/framework/src/Illuminate/Support/Number.php',
  'public/index.php public/build/assets/a.js lang/en.json lang/de.json a.json b.json docs/routes.txt',
  'global.json Directory.Build.props App.sln src/Billing/Billing.csproj src/Billing/Invoice.cs',
  'src/Billing.Rules/Billing.Rules.csproj src/Billing.Api/Billing.Api.csproj src/Billing.Cli/Billing.Cli.csproj src/Billing.Data/Billing.Data.csproj',
  'tests/Billing.Tests/Billing.Tests.csproj src/Scratch.java TestResults/a.trx desk/build.gradle.kts',
  'services/billing/target/billing.jar build/reports/jacoco/test/jacocoTestReport.xml',
]
  .join(' ')
  .split(' ');

/** Programs of the project itself, and who runs them. */
const scripts = {
  'manage.py':
    '#!/usr/bin/env python\nfrom django.core.management import execute_from_command_line\n',
  'bin/importmap': '#!/usr/bin/env ruby\nrequire "importmap/commands"\n',
  'scripts/list-packages.sh': '#!/usr/bin/env bash\nls packages\n',
  'scripts/drift.sh': '#!/usr/bin/env bash\nls terraform\n',
  'bin/rails': '#!/usr/bin/env ruby\nrequire "rails/commands"\n',
  'bin/rubocop': '#!/usr/bin/env ruby\nload Gem.bin_path("rubocop", "rubocop")\n',
  ...Object.fromEntries(
    'phpunit pest phpstan pint php-cs-fixer psalm rector dep'
      .split(' ')
      .map((name) => [`vendor/bin/${name}`, '#!/usr/bin/env php\n<?php\n']),
  ),
};

/** Programs that the sessions use besides those of every make-believe machine. */
const programs = `
  lsof vitest playwright isort flake8 pylint coverage tox golangci-lint staticcheck ss zgrep journalctl free top
  yq kubeval nginx mount lsblk ip getent timedatectl vmstat iostat groups gzip pgrep cal egrep rustup gofmt
  cargo-nextest gdb pypy shfmt hostname iptables killall gpg mdadm tcpdump
  zcat nvidia-smi jupyter conda duckdb csvstat csvcut column shuf dvc huggingface-cli wandb kaggle jar javap
  jps jcmd jshell jmap keytool xmllint protoc buf nl
  corepack ack docker-compose mysqldump envoy ssh envsubst
  tflint checkov trivy terraform-docs yamllint ansible ansible-lint ansible-inventory ansible-doc vault sops
  ansible-galaxy ansible-config ansible-vault molecule packer hadolint kubeconform kustomize gcloud az opa
  conftest pre-commit nslookup flutter dart lcov ktlint aapt apkanalyzer adb emulator avdmanager
  sdkmanager plutil swift swiftlint swiftformat xcodebuild xcrun fastlane identify sips firebase pod
  defaults security jarsigner base64 perl tac rev
  bundle rake rubocop gem mix elixir dotnet cmake ctest clang-format clang-tidy objdump nm readelf size
  tokei cloc scc act hyperfine just actionlint helm pyright dmesg strace perf valgrind time bc ast-grep
  csvsort dropdb source alembic make playwright createdb sg python
  ninja meson pkg-config zig stack cabal sbt rebar3 lein
  next astro size-limit lsusb ctest g++ clang++ cppcheck west arm-none-eabi-gcc arm-none-eabi-size
  arm-none-eabi-nm arm-none-eabi-objdump arm-none-eabi-readelf arm-none-eabi-addr2line arm-none-eabi-objcopy
  c++filt dtc gcov clang-format-diff cargo-size cargo-bloat bc doxygen idf.py pio man col openocd nrfjprog
  esptool.py picocom mail dd base64 iex i18n-tasks brakeman standardrb kamal cap heroku fly sidekiqctl
  msgfmt celery iconv uvicorn sqlc grpcurl nats dlv benchstat goreleaser migrate goose task ilspycmd monodis
  apkanalyzer xcpretty agvtool xcode-select http jstack pg_isready pg_dump psql redis-cli python tox
`
  .trim()
  .split(/\s+/);

/** A list of Git with these names, of which nothing else is known; all of it is plain text. */
function indexOf(names: readonly string[]): string {
  const zeros = (count: number): string => '\0'.repeat(count);
  if (names.length > 127) throw new Error('too many names');
  const entries = names.toSorted().map((name) => {
    const entry = `${zeros(61)}${String.fromCharCode(name.length)}${name}`;
    return entry + zeros(8 - (entry.length % 8));
  });
  const count = String.fromCharCode(names.length);
  return `DIRC${zeros(3)}\u0002${zeros(3)}${count}${entries.join('')}${zeros(20)}`;
}

/** Every file that is there, and what it holds. */
function filesOn(more: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries([
    ...tree.map((path) => [`${cwd}/${path}`, path.endsWith('.json') ? '{}' : 'x\n']),
    ...Object.entries(scripts).map(([path, text]) => [`${cwd}/${path}`, text]),
    ...[...programs, ...more].map((name) => [`/usr/bin/${name}`, '\u007fELF']),
    [
      `${cwd}/.git/index`,
      indexOf(tree.filter((path) => /\.(?:ts|tsx|rs|py|go|php|dart|java|md)$/.test(path))),
    ],
    [`${cwd}/.git/config`, '[core]\n\tbare = false\n'],
    [
      `${home}/.npmrc`,
      '//registry.npmjs.org/:_authToken=npm_0123456789abcdefghijklmnopqrstuvwxyz\n',
    ],
    [`${home}/.m2/settings.xml`, '<server><id>x</id><password>p4ssw0rd</password></server>\n'],
    [`${home}/.gradle/gradle.properties`, 'signing.password=p4ssw0rd\n'],
    ...[
      '/usr/include/stdint.h',
      '/proc/meminfo',
      '/etc/os-release',
      '/etc/hosts',
      `${home}/go/pkg/mod/google.golang.org/grpc@v1.60.0/server.go`,
      `${home}/.cargo/registry/src/index.crates.io-6f17d22bba15001f/nom-7.1.3/src/lib.rs`,
      `${home}/.m2/repository/org/slf4j/slf4j-api/2.0.9/slf4j-api-2.0.9.jar`,
      `${home}/.gradle/caches/modules-2/files/jackson-databind-2.15.jar`,
      `${home}/.nuget/packages/newtonsoft.json/13.0.3/a.nuspec`,
      `${home}/zephyrproject/zephyr/include/zephyr/drivers/sensor.h`,
    ].map((path) => [path, 'x\n']),
    ['/proc/cpuinfo', 'processor\t: 0\nprocessor\t: 1\n'],
    [`${cwd}/.git/HEAD`, 'ref: refs/heads/main\n'],
  ]);
}

/** The engine on a make-believe machine with one project for all sessions. */
export function everydayEngine(
  more: readonly string[] = [],
  host: 'gateway' | 'auto' = 'gateway',
): Engine {
  const files = filesOn(more);
  const around = machine(files);
  return createEngine(
    {
      ...around,
      known: () => [],
      grammar: loadGrammar,
      hashFile: (path) => (Object.hasOwn(files, path) ? sha256(files[path] ?? '') : null),
      now: () => 0,
    },
    () => ({ ...defaultConfig, exec: { ...defaultConfig.exec, host } }),
  );
}

const present = filesOn([]);

/** A first policy, and under it a starter with what comes with it, bound to the project. */
export function policyWith(starter: string | null): PolicyDocument {
  const first = firstPolicy({ path: '/x', token: 'x' });
  const sets = starter === null ? [] : startersFor(starter);
  const rules = sets.flatMap((set) =>
    bindStarter(set, cwd, 0, (path) =>
      Object.hasOwn(present, path) ? sha256(present[path] ?? '') : null,
    ),
  );
  const edited = addRules(first, { agent: '*', rules });
  if (!edited.ok) throw new Error(edited.problem.message);
  return edited.document;
}

interface Verdict {
  readonly verdict: 'allow' | 'ask' | 'deny';
  readonly reason: string;
  readonly host: string;
  readonly message: string;
}

/** What `interlock check --batch` prints for these lines. */
export async function batchOf(
  engine: Engine,
  document: PolicyDocument,
  lines: readonly SessionLine[],
): Promise<readonly Verdict[]> {
  const stdin = Object.assign(new PassThrough(), { isTTY: false });
  stdin.end(
    lines
      .map(({ kind, text }) =>
        JSON.stringify(kind === 'exec' ? { command: text } : { kind, target: text }),
      )
      .join('\n'),
  );
  let out = '';
  const stdout = Object.assign(
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        out += chunk.toString('utf8');
        done();
      },
    }),
    { isTTY: false },
  );
  const who = { agent: 'claude', claims: {}, levelOf: () => 'owner' as const } as const;
  const bench = { engine, document, problem: null, host: null, cwd, ...who };
  await runBatch(bench, { stdin, stdout });
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Verdict);
}
