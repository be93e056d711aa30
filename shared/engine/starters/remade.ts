import { folderMark } from './types.ts';
import type { StarterRule } from './types.ts';
import { forAWhile } from './words.ts';

const segment = '(?:[\\w@-][\\w.@-]*|\\.[a-fh-z][\\w.-]*)';
const remadeFolder =
  '(?:node_modules|dist|build|out|target|coverage|htmlcov|tmp|_build|zig-out|cmake-build-\\w+|__pycache__|test-results|TestResults|playwright-report|storybook-static|\\.(?:cache|next|nuxt|output|svelte-kit|astro|angular|turbo|parcel-cache|vite|nyc_output|pytest_cache|mypy_cache|ruff_cache|hypothesis|tox|nox|eggs|ipynb_checkpoints|gradle|dart_tool|build|zig-cache))';
const remadeFile =
  '(?:[\\w-][\\w.-]*\\.(?:py[co]|o|obj|gcda|gcno|profraw|tsbuildinfo)|\\.DS_Store|\\.coverage|(?:cover(?:age)?|junit)\\.(?:out|xml|html|json))';

/** Folders and files that builds, tests and editors make again, by their names. */
const remadeWords = `^(?:-[rRfv]+ )*(?:(?:${folderMark}/)?(?:\\./)?(?:${segment}/)*(?:${remadeFolder}(?:/${segment})*/?|${remadeFile})(?: |$))+$`;

/** What is made again is deleted, and what lies in /tmp for a while. */
export const remade: readonly StarterRule[] = [
  {
    name: 'remade',
    why: 'What builds, tests and editors leave behind is deleted: they make it again.',
    pattern: 'rm',
    argPattern: remadeWords,
    changes: 'project',
    examples: {
      match: ['rm -rf {project}/dist {project}/node_modules/.cache', 'rm -r {project}/build'],
      noMatch: [
        'rm -rf src',
        'rm -rf .',
        'rm -rf ..',
        'rm -rf dist/../src',
        'rm -rf /tmp/build',
        'rm -rf ~/build',
        'rm -rf build src',
        'rm -rf .git/build',
        'rm a.txt',
      ],
    },
  },
  {
    name: 'temporary-goes',
    why: 'Texts and data in /tmp are deleted, one by one.',
    pattern: 'rm',
    argPattern: `^(?:-f )?(?:/tmp/\\w[\\w.-]*\\.(?:${forAWhile.join('|')})(?: |$))+$`,
    changes: 'project',
    examples: {
      match: ['rm -f /tmp/a.log /tmp/b.json'],
      noMatch: [
        'rm /tmp/x',
        'rm -r /tmp/x.log',
        'rm /tmp/../a.log',
        'rm /tmp/x/a.log',
        'rm /tmp/*.log',
      ],
    },
  },
];
