import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copySources } from './copy.ts';
import type { SourceCopy } from './copy.ts';

interface Planted {
  readonly rule: string;
  readonly file: string;
  readonly text: string;
}

const lintCases: readonly Planted[] = [
  {
    rule: 'shared does not import the runner',
    file: 'shared/base/planted.ts',
    text: "import type { Limits } from '../../runner/limits/types.ts';\nexport type Planted = Limits;\n",
  },
  {
    rule: 'shared does not import the app',
    file: 'shared/base/planted.ts',
    text: "import type { AppState } from '../../app/bridge/types.ts';\nexport type Planted = AppState;\n",
  },
  {
    rule: 'a kit knows no user interface',
    file: 'shared/home/planted.ts',
    text: "import { createStore } from 'zustand';\nexport const planted = createStore;\n",
  },
  {
    rule: 'the runner does not import the app',
    file: 'runner/planted.ts',
    text: "import type { AppState } from '../app/bridge/types.ts';\nexport type Planted = AppState;\n",
  },
  {
    rule: 'the command line does not import the app either',
    file: 'runner/cli/commands/planted.ts',
    text: "import type { AppState } from '../../../app/bridge/types.ts';\nexport type Planted = AppState;\n",
  },
  {
    rule: 'the runner does not import electron',
    file: 'runner/planted.ts',
    text: "import { app } from 'electron';\nexport const planted = app;\n",
  },
  {
    rule: 'the runner does not go around the transport',
    file: 'runner/planted.ts',
    text: "import ipc from 'node-ipc';\nexport const planted = ipc;\n",
  },
  {
    rule: 'the UI host does not import the runner',
    file: 'app/host/planted.ts',
    text: "import type { Limits } from '../../runner/limits/types.ts';\nexport type Planted = Limits;\n",
  },
  {
    rule: 'the console does not import electron',
    file: 'app/console/planted.ts',
    text: "import { app } from 'electron';\nexport const planted = app;\n",
  },
  {
    rule: 'the terminal does not import React',
    file: 'app/terminal/planted.ts',
    text: "import { useState } from 'react';\nexport const planted = useState;\n",
  },
  {
    rule: 'the Electron shell does not import the runner',
    file: 'app/electron/planted.ts',
    text: "import type { Limits } from '../../runner/limits/types.ts';\nexport type Planted = Limits;\n",
  },
  {
    rule: 'the renderer does not import the UI host',
    file: 'app/renderer/planted.ts',
    text: "import type { UiHost } from '../host/types.ts';\nexport type Planted = UiHost;\n",
  },
  {
    rule: 'the renderer does not import the kits that need Node',
    file: 'app/renderer/planted.ts',
    text: "import type { HomePaths } from '../../shared/home/index.ts';\nexport type Planted = HomePaths;\n",
  },
  {
    rule: 'the renderer has no Node',
    file: 'app/renderer/planted.ts',
    text: "import { readFileSync } from 'node:fs';\nexport const planted = readFileSync;\n",
  },
  {
    rule: 'the renderer does not import electron',
    file: 'app/renderer/planted.ts',
    text: "import { ipcRenderer } from 'electron';\nexport const planted = ipcRenderer;\n",
  },
  {
    rule: 'a kit does not import one below it',
    file: 'shared/engine/rules/planted.ts',
    text: "import { homePaths } from '../../home/index.ts';\nexport const planted = homePaths;\n",
  },
  {
    rule: 'a kit does not reach past the face of another',
    file: 'shared/home/planted.ts',
    text: "import { refuse } from '../base/refusal.ts';\nexport const planted = refuse;\n",
  },
  {
    rule: 'the runner does not reach past the face of a kit',
    file: 'runner/gate/planted.ts',
    text: "import { parsePolicy } from '../../shared/engine/policy/parse.ts';\nexport const planted = parsePolicy;\n",
  },
  {
    rule: 'the app does not reach past the face of a kit',
    file: 'app/host/planted.ts',
    text: "import { homePaths } from '../../shared/home/paths.ts';\nexport const planted = homePaths;\n",
  },
  {
    rule: 'the renderer does not reach past the face of a kit',
    file: 'app/renderer/planted.ts',
    text: "import { refuse } from '../../shared/base/refusal.ts';\nexport const planted = refuse;\n",
  },
  {
    rule: 'a kit does not come in by its own face',
    file: 'shared/engine/rules/planted.ts',
    text: "import { decide } from '../index.ts';\nexport const planted = decide;\n",
  },
  {
    rule: 'nothing has a default export',
    file: 'shared/base/planted.ts',
    text: 'export default function planted(): number {\n  return 1;\n}\n',
  },
];

const typeCases: readonly (Planted & { readonly project: string })[] = [
  {
    rule: 'the engine has no Node',
    project: 'shared/engine',
    file: 'shared/engine/planted.ts',
    text: "import { readFileSync } from 'node:fs';\nexport const planted = readFileSync;\n",
  },
  {
    rule: 'a kit is not told of one below it by the compiler either',
    project: 'shared/engine',
    file: 'shared/engine/planted.ts',
    text: "export { homePaths } from '../home/index.ts';\n",
  },
  {
    rule: 'the engine has no globals of Node',
    project: 'shared/engine',
    file: 'shared/engine/planted.ts',
    text: 'export const planted = process.pid;\n',
  },
  {
    rule: 'the runner is not told of the app by the compiler either',
    project: 'runner',
    file: 'runner/planted.ts',
    text: "export type { AppState } from '../app/bridge/types.ts';\n",
  },
  {
    rule: 'the app is not told of the runner by the compiler either',
    project: 'app/bridge',
    file: 'app/bridge/planted.ts',
    text: "export type { Limits } from '../../runner/limits/types.ts';\n",
  },
  {
    rule: 'the runner has no page to draw on',
    project: 'runner',
    file: 'runner/planted.ts',
    text: 'export const planted = document.title;\n',
  },
];

let copy: SourceCopy;
beforeAll(() => {
  copy = copySources();
}, 60_000);
afterAll(() => copy.remove());

describe('the linter refuses an import across layers', () => {
  it('passes a file that keeps to its layer', () => {
    const text = "import { refuse } from '../../base/index.ts';\nexport const planted = refuse;\n";
    const file = 'shared/engine/rules/planted.ts';
    const run = copy.withPlanted(file, text, () => copy.lint(file));
    expect(run).toMatchObject({ passed: true });
  });

  it.each(lintCases)('$rule', ({ file, text }) => {
    const run = copy.withPlanted(file, text, () => copy.lint(file));
    expect(run.passed).toBe(false);
    expect(run.output).toMatch(/no-restricted-imports|no-default-export/u);
  });
});

describe('the compiler refuses what the projects do not offer', { timeout: 120_000 }, () => {
  it.each(['shared/engine', 'app/bridge', 'runner'])('passes %s as it is', (project) => {
    expect(copy.compile(project)).toMatchObject({ passed: true });
  });

  it.each(typeCases)('$rule', ({ project, file, text }) => {
    const run = copy.withPlanted(file, text, () => copy.compile(project));
    expect(run.passed).toBe(false);
    expect(run.output).toContain('planted.ts');
  });
});
