import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { Analysis } from '../../shared/analysis/types.ts';
import type { CheckBody } from '../../shared/api/types.ts';
import { loadAnalyser } from '../../shared/node/grammar/load.ts';
import { surroundingsOf } from '../../shared/node/lookup/surroundings.ts';
import { resolvePolicy } from '../../shared/policy/resolve.ts';
import type { PolicyDocument } from '../../shared/policy/types.ts';
import type { ExampleSurroundings } from '../../shared/rules/examples.ts';
import { checkBody } from '../../shared/verdict/check-body.ts';
import { decide } from '../../shared/verdict/decide.ts';
import type { DecideInput } from '../../shared/verdict/input.ts';
import type { Verdict } from '../../shared/verdict/types.ts';

export interface TestRequest {
  readonly agent: string;
  readonly command: string;
  readonly cwd: string;
  readonly document: PolicyDocument | null;
}

/** Says what the policy would decide about a command, asking nobody and running nothing. */
export interface Tester {
  /** All that a verdict on each of these commands depends on. The files are looked at once. */
  inputsFor(requests: readonly TestRequest[]): Promise<readonly DecideInput[]>;
  verdictOn(request: TestRequest): Promise<Verdict>;
  /** For trying rules against the examples that they carry. */
  examples(): Promise<ExampleSurroundings>;
  check(request: TestRequest): Promise<CheckBody>;
}

export interface TesterOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly uid: number;
  readonly now: () => number;
  readonly workspaces: readonly string[];
}

/** The host that the tester takes commands to be for: programs of other hosts are not seen here. */
export const testedHost = 'gateway';

const largestHashedFile = 64 * 1024 * 1024;

/** Uses the same analysis and the same decision as the runner. */
export function createTester({ env, uid, now, workspaces }: TesterOptions): Tester {
  const inputsFor: Tester['inputsFor'] = async (requests) => {
    const analyser = await loadAnalyser();
    const surroundings = surroundingsOf({ env, uid, platform: process.platform, workspaces });
    return requests.map(({ agent, command, cwd, document }) => ({
      policy: resolvePolicy(document, { agent }),
      analysis: analyser.analyse({ command, cwd }, surroundings),
      request: { command, cwd },
      host: testedHost,
      now: now(),
      platform: surroundings.platform,
      home: surroundings.home,
      hashFile,
    }));
  };
  const verdictOn = async (request: TestRequest): Promise<Verdict> => {
    const [input] = await inputsFor([request]);
    return decide(input as DecideInput);
  };
  return {
    inputsFor,
    verdictOn,
    examples: async () => {
      const analyser = await loadAnalyser();
      const surroundings = surroundingsOf({ env, uid, platform: process.platform, workspaces });
      const { home, platform } = surroundings;
      const analyse = (command: string): Analysis =>
        analyser.analyse({ command, cwd: home }, surroundings);
      return { analyse, home, platform, hashFile, now: now() };
    },
    check: async (request) => checkBody(await verdictOn(request), { host: testedHost }),
  };
}

function hashFile(path: string): string | null {
  try {
    if (statSync(path).size > largestHashedFile) return null;
    return createHash('sha256').update(readFileSync(path)).digest('hex');
  } catch {
    return null;
  }
}
