import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { startRunnerProcess } from '../runner/service/support.ts';
import { behaviours, byChance } from './support/behaviours.ts';
import { startScript } from './support/model/server.ts';
import { claude } from './support/programs/claude.ts';
import { codex } from './support/programs/codex.ts';
import { gemini } from './support/programs/gemini.ts';
import { opencode } from './support/programs/opencode.ts';
import { realProgram } from './support/programs/real-agent.ts';
import type { Known } from './support/programs/real-agent.ts';
import { setStage } from './support/stage.ts';

vi.setConfig({ testTimeout: 600_000 });

const root = fileURLToPath(new URL('../../', import.meta.url));

/** By host, what each behaviour was seen to be without the gate and with it. */
type Seen = Readonly<Record<string, Readonly<Record<string, readonly [string, string]>>>>;
const seen = JSON.parse(
  readFileSync(join(root, 'test/fixtures/agents/behaviours.json'), 'utf8'),
) as Seen;

const known: readonly Known[] = [claude, codex, gemini, opencode];

/** What the model of a host is told in one session that shows all behaviours. */
async function wordsOf(of: Known, program: string, gated: boolean): Promise<readonly string[]> {
  const stage = await setStage({ policy: { security: 'full', ask: 'off' } });
  mkdirSync(join(stage.work, 'sub'));
  await startRunnerProcess(stage.paths);
  stage.tap.handAll();
  const model = await startScript(behaviours.flatMap(({ steps }) => steps));
  const said = await of.launch(program, stage, { model: model.address, gated }).ended;
  const results = [...model.results()];
  expect(results, said).toHaveLength(behaviours.flatMap(({ steps }) => steps).length);
  return behaviours.map(({ steps, word }) => word(results.splice(0, steps.length)));
}

describe.each(known)('$pin.name $pin.version', (of) => {
  const found = realProgram(of, process.env);
  if (!found.ok) {
    process.stderr.write(`NOT TESTED: the shell tool of ${of.host}, because ${found.why}\n`);
    test.skip(`does with the gate what it does without: not tested, because ${found.why}`);
    return;
  }
  test('does with the gate what it does without, but for what the table says', async () => {
    const without = await wordsOf(of, found.path, false);
    const behind = await wordsOf(of, found.path, true);
    const pairs = behaviours.map(({ name }, at) => {
      const chance = seen[of.host]?.[name]?.[0] === byChance;
      return [name, [chance ? byChance : without[at], behind[at]]] as const;
    });
    expect(Object.fromEntries(pairs)).toEqual(seen[of.host]);
  });
});

test('the documentation has the table as it was seen', () => {
  const cell = ([without, behind]: readonly [string, string]): string =>
    without === behind ? behind : `${without} → **${behind}**`;
  const rows = behaviours.map(({ name }) => [
    name,
    ...known.map(({ host }) => cell(seen[host]?.[name] ?? ['?', '?'])),
  ]);
  const page = readFileSync(join(root, 'docs/agents/README.md'), 'utf8').replaceAll(/ +/gu, ' ');
  for (const row of rows) expect(page).toContain(`| ${row.join(' | ')} |`);
});
