import { describe, expect, it } from 'vitest';
import { batchOf, everydayEngine, policyWith, sessionLines } from './machine.ts';

/**
 * Asks per 100 lines that should be quiet. They may only fall; lower them when they do. The session
 * of many trades, and those after it, came later and are harder, so that each group is counted by
 * itself: none hides another.
 */
const recorded = {
  nothing: { twelve: 99.2, many: 100, later: 99.8, six: 99.9 },
  'look-around': { twelve: 49.6, many: 65.2, later: 58.3, six: 67.3 },
  project: { twelve: 10.1, many: 8.6, later: 19.8, six: 27.9 },
  sandbox: { twelve: 3.3, many: 1.9, later: 8.4, six: 10.5 },
};

const lines = sessionLines();
const engines = { gateway: everydayEngine(), auto: everydayEngine([], 'auto') };

/** Under one starter: who was asked about, and which of the lines for a person went through. */
async function measured(starter: string | null, host: 'gateway' | 'auto') {
  const verdicts = await batchOf(engines[host], policyWith(starter), lines);
  const judged = lines.map((line, at) => ({ ...line, ...verdicts[at] }));
  const quiet = judged.filter(({ wanted }) => wanted === 'quiet');
  const asked = quiet.filter(({ verdict }) => verdict !== 'allow');
  const passed = judged.filter(({ wanted, verdict }) => wanted === 'ask' && verdict === 'allow');
  return { quiet, asked, passed };
}

const groups = {
  many: 'many',
  services: 'later',
  digging: 'later',
  storefront: 'six',
  clinic: 'six',
  ledger: 'six',
  firmware: 'six',
  backoffice: 'six',
  desktop: 'six',
} as const;
const groupOf = ({ session }: { session: string }) =>
  Object.hasOwn(groups, session) ? groups[session as keyof typeof groups] : 'twelve';

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
    const { quiet, asked, passed } = await measured(starter, host);
    expect(passed.map(({ text }) => text)).toEqual([]);
    for (const group of ['twelve', 'many', 'later', 'six'] as const) {
      const of = quiet.filter((line) => groupOf(line) === group);
      const askedOf = asked.filter((line) => groupOf(line) === group);
      const per100 = (100 * askedOf.length) / of.length;
      process.stdout.write(
        `${name}, ${group}: ${per100.toFixed(1)} asks per 100 of ${of.length}\n`,
      );
      const spelled = askedOf.map(
        ({ session, text, message }) => `${session}: ${text}  ← ${message ?? ''}`,
      );
      expect(per100, spelled.join('\n')).toBeLessThanOrEqual(recorded[name][group]);
    }
  });
});
