import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copySources } from './copy.ts';
import type { Findings, SourceCopy } from './copy.ts';

interface Planted {
  readonly rule: string;
  readonly file: string;
  readonly text: string;
}

/** All are planted at once, each under a name of its own, and checked in one run. */
const lintCases: readonly Planted[] = [
  {
    rule: 'shared does not import the runner',
    file: 'shared/base/planted-1.ts',
    text: "import type { Limits } from '../../runner/limits/limits.ts';\nexport type Planted = Limits;\n",
  },
  {
    rule: 'shared does not import the app',
    file: 'shared/base/planted-2.ts',
    text: "import type { AppState } from '../../app/bridge/types.ts';\nexport type Planted = AppState;\n",
  },
  {
    rule: 'a kit knows no user interface',
    file: 'shared/home/planted-3.ts',
    text: "import { createStore } from 'zustand';\nexport const planted = createStore;\n",
  },
  {
    rule: 'the runner does not import the app',
    file: 'runner/planted-4.ts',
    text: "import type { AppState } from '../app/bridge/types.ts';\nexport type Planted = AppState;\n",
  },
  {
    rule: 'the command line does not import the app either',
    file: 'runner/cli/commands/planted-5.ts',
    text: "import type { AppState } from '../../../app/bridge/types.ts';\nexport type Planted = AppState;\n",
  },
  {
    rule: 'the runner does not import electron',
    file: 'runner/planted-6.ts',
    text: "import { app } from 'electron';\nexport const planted = app;\n",
  },
  {
    rule: 'the runner does not go around the transport',
    file: 'runner/planted-7.ts',
    text: "import ipc from 'node-ipc';\nexport const planted = ipc;\n",
  },
  {
    rule: 'the UI host does not import the runner',
    file: 'app/host/planted-8.ts',
    text: "import type { Limits } from '../../runner/limits/limits.ts';\nexport type Planted = Limits;\n",
  },
  {
    rule: 'the console does not import electron',
    file: 'app/console/planted-9.ts',
    text: "import { app } from 'electron';\nexport const planted = app;\n",
  },
  {
    rule: 'the terminal does not import React',
    file: 'app/terminal/planted-10.ts',
    text: "import { useState } from 'react';\nexport const planted = useState;\n",
  },
  {
    rule: 'the Electron shell does not import the runner',
    file: 'app/electron/planted-11.ts',
    text: "import type { Limits } from '../../runner/limits/limits.ts';\nexport type Planted = Limits;\n",
  },
  {
    rule: 'the renderer does not import the UI host',
    file: 'app/renderer/planted-12.ts',
    text: "import type { UiHost } from '../host/types.ts';\nexport type Planted = UiHost;\n",
  },
  {
    rule: 'the renderer does not import the kits that need Node',
    file: 'app/renderer/planted-13.ts',
    text: "import type { HomePaths } from '../../shared/home/index.ts';\nexport type Planted = HomePaths;\n",
  },
  {
    rule: 'the renderer has no Node',
    file: 'app/renderer/planted-14.ts',
    text: "import { readFileSync } from 'node:fs';\nexport const planted = readFileSync;\n",
  },
  {
    rule: 'the renderer does not import electron',
    file: 'app/renderer/planted-15.ts',
    text: "import { ipcRenderer } from 'electron';\nexport const planted = ipcRenderer;\n",
  },
  {
    rule: 'a kit does not import one below it',
    file: 'shared/engine/rules/planted-16.ts',
    text: "import { homePaths } from '../../home/index.ts';\nexport const planted = homePaths;\n",
  },
  {
    rule: 'a kit does not reach past the face of another',
    file: 'shared/home/planted-17.ts',
    text: "import { refuse } from '../base/refusal.ts';\nexport const planted = refuse;\n",
  },
  {
    rule: 'the runner does not reach past the face of a kit',
    file: 'runner/gate/planted-18.ts',
    text: "import { parsePolicy } from '../../shared/engine/policy/parse.ts';\nexport const planted = parsePolicy;\n",
  },
  {
    rule: 'the app does not reach past the face of a kit',
    file: 'app/host/planted-19.ts',
    text: "import { homePaths } from '../../shared/home/paths.ts';\nexport const planted = homePaths;\n",
  },
  {
    rule: 'the renderer does not reach past the face of a kit',
    file: 'app/renderer/planted-20.ts',
    text: "import { refuse } from '../../shared/base/refusal.ts';\nexport const planted = refuse;\n",
  },
  {
    rule: 'a kit does not come in by its own face',
    file: 'shared/engine/rules/planted-21.ts',
    text: "import { decide } from '../index.ts';\nexport const planted = decide;\n",
  },
  {
    rule: 'nothing has a default export',
    file: 'shared/base/planted-22.ts',
    text: 'export default function planted(): number {\n  return 1;\n}\n',
  },
];

const projects = ['shared/engine', 'app/bridge', 'runner'];

const typeCases: readonly (Planted & { readonly finding: string })[] = [
  {
    rule: 'the engine has no Node',
    finding: "Cannot find name 'node:fs'",
    file: 'shared/engine/planted-23.ts',
    text: "import { readFileSync } from 'node:fs';\nexport const planted = readFileSync;\n",
  },
  {
    rule: 'a kit is not told of one below it by the compiler either',
    finding: "shared/home/index.ts' is not listed",
    file: 'shared/engine/planted-24.ts',
    text: "export { homePaths } from '../home/index.ts';\n",
  },
  {
    rule: 'the engine has no globals of Node',
    finding: "Cannot find name 'process'",
    file: 'shared/engine/planted-25.ts',
    text: 'export const planted = process.pid;\n',
  },
  {
    rule: 'the runner is not told of the app by the compiler either',
    finding: "app/bridge/types.ts' is not listed",
    file: 'runner/planted-26.ts',
    text: "export type { AppState } from '../app/bridge/types.ts';\n",
  },
  {
    rule: 'the app is not told of the runner by the compiler either',
    finding: "runner/limits/limits.ts' is not listed",
    file: 'app/bridge/planted-27.ts',
    text: "export type { Limits } from '../../runner/limits/limits.ts';\n",
  },
  {
    rule: 'the runner has no page to draw on',
    finding: "Cannot find name 'document'",
    file: 'runner/planted-28.ts',
    text: 'export const planted = document.title;\n',
  },
];

let copy: SourceCopy;
beforeAll(() => {
  copy = copySources();
}, 60_000);
afterAll(() => copy.remove());

describe('the linter refuses an import across layers', () => {
  const harmless = {
    file: 'shared/engine/rules/planted-0.ts',
    text: "import { refuse } from '../../base/index.ts';\nexport const planted = refuse;\n",
  };
  let findings: Findings;
  beforeAll(() => {
    const planted = [harmless, ...lintCases];
    findings = copy.withPlanted(planted, () => copy.lint(planted.map(({ file }) => file)));
  });

  it('passes a file that keeps to its layer', () => {
    expect(findings.get(harmless.file)).toBeUndefined();
  });

  it.each(lintCases)('$rule', ({ file }) => {
    expect(findings.get(file)?.join('\n')).toMatch(/no-restricted-imports|no-default-export/u);
  });
});

describe('the compiler refuses what the projects do not offer', () => {
  // That they pass as they are is a step of "npm test".
  let findings: Findings;
  beforeAll(() => {
    findings = copy.withPlanted(typeCases, () => copy.compile(projects));
  }, 120_000);

  it.each(typeCases)('$rule', ({ file, finding }) => {
    expect(findings.get(file)?.join('\n')).toContain(finding);
  });
});
