/** What is certain about a project from the files at its top; every command is one that we wrote. */
export interface ProjectFacts {
  readonly languages: readonly string[];
  /** What installs packages; null where there is none, or more than one is in use. */
  readonly packageManager: string | null;
  readonly build: readonly string[];
  readonly test: readonly string[];
  readonly lint: readonly string[];
}

/** The names of files at the top of a project, with the text of those that were asked for. */
export type ProjectFiles = ReadonlyMap<string, string | null>;

/** Files whose text says something; of all others the name is enough. */
export const filesToRead: readonly string[] = [
  'package.json',
  'deno.json',
  'pyproject.toml',
  'composer.json',
  'Makefile',
  'justfile',
  'Gemfile',
];

type Tasks = Pick<ProjectFacts, 'build' | 'test' | 'lint'>;
type Part = Partial<Tasks> & { readonly language?: string; readonly manager?: string | null };

/**
 * What is certain about a project: languages, the package manager, and the commands that build, test
 * and look over it. What could be one thing or another is left out. Nothing of a file's own text gets
 * into the answer: whoever wrote it is not to speak to the agent in our name.
 */
export function analyseProject(files: ProjectFiles): ProjectFacts {
  const parts = [node, deno, rust, go, python, jvm, ruby, php, dotnet, others, makefile, justfile]
    .map((look) => look(files))
    .filter((part) => part !== null);
  const all = (what: keyof Tasks): readonly string[] => [
    ...new Set(parts.flatMap((part) => part[what] ?? [])),
  ];
  const managers = [...new Set(parts.flatMap(({ manager }) => manager ?? []))];
  const languages = parts.flatMap(({ language }) => language ?? []);
  return {
    languages: [...new Set(languages)],
    packageManager: managers.length === 1 ? (managers[0] ?? null) : null,
    build: all('build'),
    test: all('test'),
    lint: all('lint'),
  };
}

type Look = (files: ProjectFiles) => Part | null;

/** The one of these files that is there, by what it stands for; null for none, or for several. */
function onlyOne(files: ProjectFiles, names: Readonly<Record<string, string>>): string | null {
  const found = new Set(
    Object.keys(names)
      .filter((name) => files.has(name))
      .map((name) => names[name]),
  );
  return found.size === 1 ? ([...found][0] ?? null) : null;
}

/** The names in an object of a JSON file that have text as their value. */
function named(files: ProjectFiles, file: string, field: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  try {
    const value: unknown = JSON.parse(files.get(file) ?? '');
    const inside = isObject(value) ? value[field] : null;
    if (isObject(inside))
      for (const [name, text] of Object.entries(inside))
        if (typeof text === 'string') found.set(name, text);
  } catch {
    // Half written, or no JSON: nothing is certain.
  }
  return found;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The tasks of these names, as the program that runs them is called. */
function tasks(has: (name: string) => boolean, call: (name: string) => string): Tasks {
  const of = (name: string): readonly string[] => (has(name) ? [call(name)] : []);
  return { build: of('build'), test: of('test'), lint: of('lint') };
}

const nodeLocks = {
  'package-lock.json': 'npm',
  'npm-shrinkwrap.json': 'npm',
  'pnpm-lock.yaml': 'pnpm',
  'yarn.lock': 'yarn',
  'bun.lock': 'bun',
  'bun.lockb': 'bun',
};

const node: Look = (files) => {
  if (!files.has('package.json')) return null;
  const language = files.has('tsconfig.json') ? 'TypeScript' : 'JavaScript';
  const manager = onlyOne(files, nodeLocks);
  if (manager === null) return { language };
  const scripts = named(files, 'package.json', 'scripts');
  // What npm writes into a new project fails, and tests nothing.
  const has = (name: string): boolean =>
    scripts.has(name) && !(scripts.get(name) ?? '').includes('no test specified');
  return { language, manager, ...tasks(has, (name) => `${manager} run ${name}`) };
};

const deno: Look = (files) => {
  if (!files.has('deno.json')) return null;
  const known = named(files, 'deno.json', 'tasks');
  return {
    language: 'TypeScript',
    manager: 'deno',
    ...tasks(
      (name) => known.has(name),
      (name) => `deno task ${name}`,
    ),
  };
};

const rust: Look = (files) =>
  files.has('Cargo.toml')
    ? { language: 'Rust', manager: 'cargo', build: ['cargo build'], test: ['cargo test'] }
    : null;

const go: Look = (files) =>
  files.has('go.mod')
    ? { language: 'Go', manager: 'go', build: ['go build ./...'], test: ['go test ./...'] }
    : null;

const pythonLocks = {
  'uv.lock': 'uv',
  'poetry.lock': 'poetry',
  'pdm.lock': 'pdm',
  'Pipfile.lock': 'pipenv',
};

const python: Look = (files) => {
  const names = ['pyproject.toml', 'setup.py', 'setup.cfg', 'requirements.txt', 'Pipfile'];
  if (!names.some((name) => files.has(name))) return null;
  const manager = onlyOne(files, pythonLocks);
  const text = files.get('pyproject.toml') ?? '';
  const hasPytest = files.has('pytest.ini') || /^\[tool\.pytest(?:\.ini_options)?\]/mu.test(text);
  const before = manager === null ? '' : `${manager} run `;
  return { language: 'Python', manager, test: hasPytest ? [`${before}pytest`] : [] };
};

const jvm: Look = (files) => {
  const gradle = ['build.gradle', 'build.gradle.kts'].some((name) => files.has(name));
  const maven = files.has('pom.xml');
  if (gradle === maven) return null;
  const wrapper = files.has(maven ? 'mvnw' : 'gradlew');
  const program = `${wrapper ? './' : ''}${maven ? 'mvn' : 'gradle'}${wrapper ? 'w' : ''}`;
  const manager = maven ? 'maven' : 'gradle';
  const build = `${program} ${maven ? 'package' : 'build'}`;
  return { manager, build: [build], test: [`${program} test`] };
};

const ruby: Look = (files) => {
  if (!files.has('Gemfile')) return null;
  const test = files.has('.rspec') ? ['bundle exec rspec'] : [];
  return { language: 'Ruby', manager: 'bundler', test };
};

const php: Look = (files) => {
  if (!files.has('composer.json')) return null;
  const scripts = named(files, 'composer.json', 'scripts');
  const known = tasks(
    (name) => scripts.has(name),
    (name) => `composer run ${name}`,
  );
  return { language: 'PHP', manager: 'composer', ...known };
};

const dotnet: Look = (files) =>
  [...files.keys()].some((name) => /\.(?:sln|slnx|csproj|fsproj)$/u.test(name))
    ? { language: '.NET', manager: 'dotnet', build: ['dotnet build'], test: ['dotnet test'] }
    : null;

const others: Look = (files) => {
  if (files.has('mix.exs'))
    return { language: 'Elixir', manager: 'mix', build: ['mix compile'], test: ['mix test'] };
  if (files.has('Package.swift'))
    return { language: 'Swift', manager: 'swift', build: ['swift build'], test: ['swift test'] };
  if (files.has('build.zig')) return { language: 'Zig', build: ['zig build'] };
  return files.has('CMakeLists.txt') ? { language: 'C or C++' } : null;
};

const makefile: Look = (files) =>
  files.has('Makefile')
    ? tasks(
        (name) => hasRecipe(files.get('Makefile'), name),
        (name) => `make ${name}`,
      )
    : null;

const justfile: Look = (files) =>
  files.has('justfile')
    ? tasks(
        (name) => hasRecipe(files.get('justfile'), name),
        (name) => `just ${name}`,
      )
    : null;

function hasRecipe(text: string | null | undefined, name: string): boolean {
  return new RegExp(`^${name}\\s*:(?!=)`, 'mu').test(text ?? '');
}
