import { describe, expect, it } from 'vitest';
import { batchOf, everydayEngine, policyWith, sessionLines } from './machine.ts';

/** Asks per 100 lines that should be quiet. They may only fall; lower them when they do. */
const recorded = { nothing: 99.2, 'look-around': 52.8, project: 17.0, sandbox: 5.6 };

const lines = sessionLines();
const engines = { gateway: everydayEngine(), auto: everydayEngine([], 'auto') };

/** Under one starter: who was asked about, and which of the lines for a person went through. */
async function measured(starter: string | null, host: 'gateway' | 'auto') {
  const verdicts = await batchOf(engines[host], policyWith(starter), lines);
  const judged = lines.map((line, at) => ({ ...line, ...verdicts[at] }));
  const quiet = judged.filter(({ wanted }) => wanted === 'quiet');
  const asked = quiet.filter(({ verdict }) => verdict !== 'allow');
  const passed = judged.filter(({ wanted, verdict }) => wanted === 'ask' && verdict === 'allow');
  return { per100: (100 * asked.length) / quiet.length, quiet, asked, passed };
}

describe('sessions of coding agents', () => {
  it('are six and more, of eighty lines and more', () => {
    const sessions = new Set(lines.map(({ session }) => session));
    expect(sessions.size).toBeGreaterThanOrEqual(6);
    for (const name of sessions)
      expect(lines.filter(({ session }) => session === name).length).toBeGreaterThanOrEqual(80);
  });

  it.each([
    ['nothing', null, 'gateway'],
    ['look-around', 'look-around', 'gateway'],
    ['project', 'project', 'gateway'],
    ['sandbox', 'project', 'auto'],
  ] as const)('with %s are asked about no more than recorded', async (name, starter, host) => {
    const { per100, quiet, asked, passed } = await measured(starter, host);
    process.stdout.write(`${name}: ${per100.toFixed(1)} asks per 100 of ${quiet.length}\n`);
    const spelled = asked.map(
      ({ session, text, message }) => `${session}: ${text}  ← ${message ?? ''}`,
    );
    expect(passed.map(({ text }) => text)).toEqual([]);
    expect(per100, spelled.join('\n')).toBeLessThanOrEqual(recorded[name]);
  });
});
