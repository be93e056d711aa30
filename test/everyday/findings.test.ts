import { describe, expect, it } from 'vitest';
import { batchOf, everydayEngine, policyWith } from './machine.ts';

const engine = everydayEngine();

async function findings(text: string) {
  const line = { session: 'f', wanted: 'ask', kind: 'exec', text } as const;
  const [verdict] = await batchOf(engine, policyWith('look-around'), [line]);
  const { risk, verdict: decided } = verdict as unknown as {
    verdict: string;
    risk: { findings: readonly { code: string; text: string }[] };
  };
  return { decided, codes: risk.findings.map(({ code }) => code), texts: risk.findings };
}

describe('findings', () => {
  it.each([
    'which node',
    'ls docs | xargs -n1 basename',
    'curl -H "content-type: application/json" https://example.com/',
    'echo "done ✔️"',
    'python3 -m pytest',
  ])('are none where nothing is the matter: %s', async (text) => {
    const { codes } = await findings(text);
    expect(codes).not.toContain('hidden-characters');
    expect(codes).not.toContain('data-leaving');
    expect(codes).not.toContain('remote-code');
  });

  it('do not take an address for a package', async () => {
    const { texts } = await findings('npx lighthouse https://example.com/');
    expect(JSON.stringify(texts)).not.toContain('code from https://example.com');
  });

  it('leave which to be judged by itself', async () => {
    expect((await findings('which node')).decided).toBe('allow');
  });

  it.each(['rm -f *', 'find . -name "*.pyc" -exec rm {} +', 'find . -name "*.py" | xargs rm'])(
    'say what is deleted: %s',
    async (text) => {
      const { codes, decided } = await findings(text);
      expect(codes.length).toBeGreaterThan(0);
      expect(decided).toBe('ask');
    },
  );
});
