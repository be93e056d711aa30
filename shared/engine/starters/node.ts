import type { StarterRule } from './types.ts';
import { insidePath as inside, scripts } from './words.ts';

const schema = `(?: --(?:schema[= ]${inside}|no-engine|no-hints))*`;

/** Names of scripts that no manager of packages has a command for. */
const directScripts = scripts.filter(
  (name) => !/^(?:ci|docs|start|watch|clean|prettier|eslint|tsc|vitest)(?:\[|$)/.test(name),
);

/** Tools of a project in JavaScript, as it has them. */
const nodeTools =
  'tsc vue-tsc eslint prettier vitest jest biome oxlint stylelint vite esbuild rollup madge knip depcheck depcruise publint expo-doctor @biomejs/biome svelte-check tailwindcss next nuxt astro mocha ava c8 nyc tsup tsd size-limit markdownlint markdownlint-cli2 cspell eslint_d oxfmt tsgo'.split(
    ' ',
  );

/** Scripts and tools of a project in JavaScript, in one part of it or in all. */
export const nodeProject: readonly StarterRule[] = [
  {
    name: 'node-scripts',
    why: 'Scripts of the project that are named like a test, a build, a check or a format.',
    pattern: '{npm,pnpm,yarn,bun}',
    args: ['run', scripts, '...'],
    examples: {
      match: ['npm run build', 'npm run test:unit'],
      noMatch: ['npm run env', 'yarn run node x.js', 'bun run x.ts', 'npm run deploy'],
    },
  },
  {
    name: 'node-words',
    why: 'The same in short, and what the project depends on.',
    pattern: '{npm,pnpm,yarn}',
    args: [['test', 't', 'start', 'build', 'lint', 'ls', 'list', 'why', 'outdated'], '...'],
    examples: { match: ['npm test'], noMatch: ['npm publish', 'npm install x', 'npm version 2'] },
  },
  {
    name: 'node-silent',
    why: 'The same with less output.',
    pattern: '{npm,pnpm,yarn}',
    args: [['-s', '--silent'], 'run', scripts, '...'],
    examples: { match: ['npm -s run build'], noMatch: ['npm --silent run env'] },
  },
  {
    name: 'node-tools',
    why: 'Tools for tests, types, style and bundles, as the project has them.',
    pattern: '{tsc,vue-tsc,eslint,prettier,vitest,jest,biome,oxlint,stylelint,vite,esbuild,rollup}',
    examples: { match: ['eslint src'], noMatch: ['eslint -c /tmp/x.js src'] },
  },
  {
    name: 'npx-tools',
    why: 'The same through npx.',
    pattern: '{npx,bunx}',
    args: [nodeTools, '...'],
    examples: { match: ['npx tsc --noEmit'], noMatch: ['npx cowsay x', 'npx -y eslint x'] },
  },
  {
    name: 'part-scripts',
    why: 'Scripts of one part of the repository, or of all, that are named like a test, a build, a check or a format.',
    pattern: 'pnpm',
    args: [['--filter', '-F'], '[!-]**', scripts, '...'],
    examples: {
      match: ['pnpm --filter a test'],
      noMatch: ['pnpm --filter a add x', 'pnpm --filter a publish', 'pnpm --filter a exec node'],
    },
  },
  {
    name: 'part-runs',
    why: 'The same with the word for it.',
    pattern: 'pnpm',
    args: [['--filter', '-F'], '[!-]**', 'run', scripts, '...'],
    examples: {
      match: ['pnpm --filter ./a run lint'],
      noMatch: ['pnpm --filter a run deploy', 'pnpm --filter a run env'],
    },
  },
  {
    name: 'every-part',
    why: 'The same for all of them.',
    pattern: 'pnpm',
    args: [['-r', '--recursive'], scripts, '...'],
    examples: {
      match: ['pnpm -r build'],
      noMatch: ['pnpm -r publish', 'pnpm -r exec node x.js'],
    },
  },
  {
    name: 'every-part-runs',
    why: 'The same with the word for it.',
    pattern: 'pnpm',
    args: [['-r', '--recursive'], 'run', scripts, '...'],
    examples: { match: ['pnpm -r run build'], noMatch: ['pnpm -r run deploy'] },
  },
  {
    name: 'turbo',
    why: 'What Turborepo runs in each part, by the names of such scripts.',
    pattern: 'turbo',
    args: ['run', scripts, '...'],
    examples: {
      match: ['turbo run test'],
      noMatch: ['turbo run deploy', 'turbo login', 'turbo gen'],
    },
  },
  {
    name: 'turbo-through',
    why: 'The same through the manager of packages.',
    pattern: '{npx,pnpm,yarn,bunx}',
    args: ['turbo', 'run', scripts, '...'],
    examples: {
      match: ['npx turbo run lint'],
      noMatch: ['npx turbo run deploy', 'npx turbo login'],
    },
  },
  {
    name: 'nx',
    why: 'The same for Nx.',
    pattern: 'nx',
    args: [[...scripts, 'affected:test', 'affected:lint', 'affected:build'], '...'],
    examples: {
      match: ['nx affected:test --base=main'],
      noMatch: ['nx migrate latest', 'nx release', 'nx run a:deploy'],
    },
  },
  {
    name: 'nx-through',
    why: 'The same through the manager of packages.',
    pattern: '{npx,pnpm,yarn,bunx}',
    args: ['nx', [...scripts, 'affected:test', 'affected:lint', 'affected:build'], '...'],
    examples: { match: ['npx nx test a'], noMatch: ['npx nx migrate latest', 'npx nx release'] },
  },
  {
    name: 'part-tools',
    why: 'The same through pnpm or Yarn, which fetch nothing for them.',
    pattern: '{pnpm,yarn}',
    args: [nodeTools, '...'],
    examples: { match: ['pnpm vitest run'], noMatch: ['pnpm cowsay x', 'pnpm dlx eslint x'] },
  },
  {
    name: 'part-tools-named',
    why: 'The same with the word for it.',
    pattern: 'pnpm',
    args: ['exec', nodeTools, '...'],
    examples: {
      match: ['pnpm exec prettier --check .'],
      noMatch: ['pnpm exec node x.js', 'pnpm exec sh -c x', 'pnpm exec rm x'],
    },
  },
  {
    name: 'part-tools-of',
    why: 'The same for one part of the repository, or for all.',
    pattern: 'pnpm',
    args: [['--filter', '-F', '-C', '--dir'], '[!-]**', 'exec', nodeTools, '...'],
    examples: {
      match: ['pnpm --filter a exec vitest run'],
      noMatch: [
        'pnpm --filter a exec node x.js',
        'pnpm --filter a exec vitest run --config /tmp/x.ts',
        'pnpm -C /tmp/x exec vitest',
        'pnpm --filter a --shell-mode exec vitest',
      ],
    },
  },
  {
    name: 'every-part-tools',
    why: 'The same for all of them.',
    pattern: 'pnpm',
    args: [['-r', '--recursive'], 'exec', nodeTools, '...'],
    examples: { match: ['pnpm -r exec tsc --noEmit'], noMatch: ['pnpm -r exec node x.js'] },
  },
  {
    name: 'folder-scripts',
    why: 'Scripts of a part of the repository by its folder.',
    pattern: '{npm,pnpm,yarn}',
    args: [['-C', '--dir', '--cwd', '--prefix'], '[!-]**', 'run', scripts, '...'],
    examples: {
      match: ['npm --prefix a run lint', 'yarn --cwd a run test', 'pnpm --dir a run build'],
      noMatch: [
        'npm --prefix /tmp/x run lint',
        'npm --prefix ../x run lint',
        'yarn --cwd a run node x.js',
        'pnpm -C a run deploy',
        'npm --prefix a run env',
      ],
    },
  },
  {
    name: 'folder-words',
    why: 'The same in short.',
    pattern: '{npm,pnpm,yarn}',
    args: [
      ['-C', '--dir', '--cwd', '--prefix'],
      '[!-]**',
      ['test', 't', 'build', 'lint', ...nodeTools],
      '...',
    ],
    examples: {
      match: ['npm --prefix a test', 'yarn --cwd a tsc --noEmit', 'pnpm -C a test'],
      noMatch: ['npm --prefix /tmp/x test', 'yarn --cwd a node x.js', 'yarn --cwd ~/x build'],
    },
  },
  {
    name: 'yarn-part-scripts',
    why: 'Scripts of one part, by its name.',
    pattern: 'yarn',
    args: ['workspace', '[!-]**', ['test', 'build', 'lint', 'typecheck'], '...'],
    examples: {
      match: ['yarn workspace a test'],
      noMatch: ['yarn workspace a node x.js', 'yarn workspace a add x', 'yarn workspace a exec id'],
    },
  },
  {
    name: 'yarn-part-runs',
    why: 'The same with the word for it.',
    pattern: 'yarn',
    args: ['workspace', '[!-]**', 'run', ['test', 'build', 'lint', 'typecheck'], '...'],
    examples: {
      match: ['yarn workspace a run build'],
      noMatch: ['yarn workspace a run node x.js', 'yarn workspace a run deploy'],
    },
  },
  {
    name: 'npm-tools',
    why: 'Tools of the project through npm.',
    pattern: 'npm',
    args: ['exec', nodeTools, '...'],
    examples: {
      match: ['npm exec eslint src'],
      noMatch: [
        'npm exec node x.js',
        'npm exec -y evil',
        'npm exec eslint --package=evil',
        'npm exec -c id',
      ],
    },
  },
  {
    name: 'npm-tools-behind',
    why: 'The same with the mark that ends the options of npm.',
    pattern: 'npm',
    args: ['exec', '--', nodeTools, '...'],
    examples: {
      match: ['npm exec -- eslint src'],
      noMatch: ['npm exec -- node x.js', 'npm exec --package=evil -- eslint'],
    },
  },
  {
    name: 'npx-there',
    why: 'The same through npx, which fetches nothing then.',
    pattern: 'npx',
    args: ['--no-install', nodeTools, '...'],
    examples: {
      match: ['npx --no-install tsc --noEmit'],
      noMatch: ['npx --no-install cowsay', 'npx -y tsc'],
    },
  },
  {
    name: 'direct-scripts',
    why: 'Scripts of the project by their names alone.',
    pattern: '{pnpm,yarn}',
    args: [directScripts, '...'],
    examples: {
      match: ['pnpm typecheck', 'yarn build:css'],
      noMatch: ['pnpm deploy', 'yarn node x.js', 'pnpm publish', 'pnpm ci', 'pnpm docs'],
    },
  },
  {
    name: 'package-said',
    why: 'It says what a package would hold.',
    pattern: '{npm,pnpm,yarn}',
    argPattern: '^pack (?:--json )?--dry-run(?: --json)?$',
    examples: { match: ['npm pack --dry-run'], noMatch: ['npm pack', 'npm pack evil --dry-run'] },
  },
  {
    name: 'schemas',
    why: 'A schema of Prisma is checked, laid out, or made into code; no database is reached.',
    pattern: '{npx,bunx}',
    args: ['prisma', ['format', 'validate', 'generate'], '...'],
    argPattern: `^prisma \\w+${schema}$`,
    examples: {
      match: ['npx prisma format', 'npx prisma generate --schema prisma/schema.prisma'],
      noMatch: [
        'npx prisma migrate deploy',
        'npx prisma db push',
        'npx prisma generate --schema /tmp/x.prisma',
        'npx prisma studio',
      ],
    },
  },
  {
    name: 'schemas-of-parts',
    why: 'The same for one part of the repository.',
    pattern: 'pnpm',
    args: [
      ['--filter', '-F', '-C', '--dir'],
      '[!-]**',
      'exec',
      'prisma',
      ['format', 'validate', 'generate'],
    ],
    examples: {
      match: ['pnpm --filter a exec prisma generate'],
      noMatch: ['pnpm --filter a exec prisma migrate deploy', 'pnpm -C /tmp/x exec prisma format'],
    },
  },
  {
    name: 'changes-told',
    why: 'It says which changes wait for a release.',
    pattern: '{npx,pnpm,yarn}',
    args: ['changeset', 'status', '...'],
    argPattern: '^changeset status(?: --verbose| --since[= ][\\w./-]+)*$',
    examples: {
      match: ['pnpm changeset status --since=origin/main'],
      noMatch: [
        'pnpm changeset publish',
        'pnpm changeset version',
        'npx changeset status --output x',
      ],
    },
  },
  {
    name: 'turbo-short',
    why: 'What Turborepo runs in each part, in short.',
    pattern: 'turbo',
    args: [directScripts, '...'],
    examples: {
      match: ['turbo build'],
      noMatch: ['turbo login', 'turbo gen', 'turbo prune', 'turbo deploy'],
    },
  },
  {
    name: 'turbo-short-through',
    why: 'The same through the manager of packages.',
    pattern: '{npx,pnpm,yarn,bunx}',
    args: ['turbo', directScripts, '...'],
    examples: {
      match: ['npx turbo build --filter=a'],
      noMatch: ['npx turbo login', 'npx turbo deploy', 'pnpm turbo link'],
    },
  },
  {
    name: 'top-scripts',
    why: 'Scripts of the top of the repository.',
    pattern: 'pnpm',
    args: [['-w', '--workspace-root'], directScripts, '...'],
    examples: {
      match: ['pnpm -w lint'],
      noMatch: ['pnpm -w add x', 'pnpm -w deploy', 'pnpm -w exec node x.js'],
    },
  },
];
