import { fileHead, s } from '../../base/index.ts';
import type { Static } from '../../base/index.ts';
import { unsafeVariable } from '../plan/environment.ts';

const name = s.string({ pattern: '^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$' });
const variable = s.string({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,127}$' });
const pattern = s.string({ minLength: 1, maxLength: 1_024 });
const patterns = s.array(pattern, { maxItems: 200 });
const choice = s.union(pattern, s.array(pattern, { minItems: 1, maxItems: 100 }));
const args = s.array(choice, { minItems: 1, maxItems: 50 });
const place = s.string({
  pattern: '^(?:\\.|~|(?:~?/(?!(?:[^/]*/)*\\.{1,2}(?:/|$))[^\\u0000]*))$',
  maxLength: 1_024,
});
const places = s.optional(s.array(place, { maxItems: 50 }));
const rateNumber = s.integer({ minimum: 1, maximum: 6_000 });

/** `policy/TOOL.yaml`, as it is read. */
export const toolPolicySchema = s.object({
  ...fileHead,
  /** The name of the file, and of the program. */
  tool: name,
  /** `private`: an empty folder made for the call, so that nothing in the caller's steers the tool. */
  folder: s.oneOf(['private', 'caller'] as const),
  /** The tool is Git: it sees a repository of which only harmless settings are left. */
  git: s.optional(
    s.object({
      /** Addresses that it may talk to, and alone of all gives the credential to. */
      remotes: s.array(
        s.string({
          pattern: '^https?://[A-Za-z0-9.-]+(?::[0-9]{1,5})?/[^\\s"\\u0000]*$',
          maxLength: 500,
        }),
        { minItems: 1, maxItems: 50 },
      ),
      /** The name that goes with the credential. */
      user: s.string({ pattern: '^[A-Za-z0-9_.@-]{1,100}$' }),
    }),
  ),
  credentials: s.array(
    s.object({
      secret: name,
      /** npm has variables with other signs in them. */
      variable: s.string({ pattern: '^[A-Za-z_][A-Za-z0-9_./:@-]{0,200}$' }),
      /** Without it the tool goes by whatever the person has set up for it. */
      optional: s.optional(s.boolean()),
    }),
    { maxItems: 10 },
  ),
  /**
   * Files and folders of this machine that a call out of a sandbox may use beside what it names: whole
   * paths, paths below `~`, or `.` for the folder of the call. Absent: what is known of the tool.
   */
  files: s.optional(s.object({ reads: places, writes: places, starts: places })),
  /** Variables with fixed values. */
  set: s.optional(
    s.record(s.string({ maxLength: 4_096 }), { names: variable, maxProperties: 100 }),
  ),
  /** Variables that a request may set. */
  env: s.optional(s.array(variable, { maxItems: 100 })),
  /** Tools of one class share its tokens. */
  rate: s.optional(s.object({ class: name, perMinute: rateNumber, burst: rateNumber })),
  /** Seconds. */
  timeout: s.optional(s.integer({ minimum: 1, maximum: 86_400 })),
  /** Options that may stand before the words of `allow` and `confirm`: `[-n, '*']` is one of two words. */
  before: s.optional(s.array(choice, { maxItems: 50 })),
  allow: s.array(
    s.object({
      args,
      options: s.optional(patterns),
      /** What no word of such a call may be; case does not count. */
      never: s.optional(patterns),
    }),
    { minItems: 1, maxItems: 200 },
  ),
  /**
   * What becomes, in a sandbox, of calls whose first word no entry of `allow` has: the sandbox's own
   * program (`inside`, the default), or a refusal.
   */
  others: s.optional(s.oneOf(['inside', 'refused'] as const)),
  /** What no word of a call may be; case does not count. */
  never: s.optional(patterns),
  confirm: s.array(
    s.object({ args, any: s.optional(patterns), why: s.string({ minLength: 1, maxLength: 300 }) }),
    { maxItems: 200 },
  ),
});

/** What a brokered tool may be asked for, and what it is given. */
export type ToolPolicy = Static<typeof toolPolicySchema>;

/** Stands last in `args`: any further words, or none. */
const rest = '...';

/**
 * By which first words a call in a sandbox is one for the runner; `*` for all calls.
 */
export function brokeredWords({ allow, others = 'inside' }: ToolPolicy): readonly string[] {
  if (others === 'refused') return ['*'];
  const words = [...new Set(allow.flatMap(({ args: [first = rest] }) => [first].flat()))];
  const isOpen = words.some((word) => word === rest || /[*\s]/u.test(word));
  return isOpen ? ['*'] : words;
}

/** What a policy says that cannot be meant, as a sentence; null where it holds. */
export function toolPolicyProblem(policy: ToolPolicy, fileName: string): string | null {
  const { tool, credentials, set = {}, env = [], allow, confirm } = policy;
  if (tool !== fileName) return `It is about "${tool}", and its file is named for "${fileName}".`;
  const given = [...credentials.map(({ variable: one }) => one), ...Object.keys(set)];
  const twice = given.find((one, at) => given.indexOf(one) !== at);
  if (twice !== undefined) return `${twice} is given two values.`;
  const taken = env.find((one) => given.includes(one));
  if (taken !== undefined) return `"env" lets a request set ${taken}, which the tool is given.`;
  const unsafe = env.find((one) => unsafeVariable(one) !== null);
  if (unsafe !== undefined)
    return `"env" lets a request set ${unsafe}, which can change what a program does or which one runs.`;
  const misplaced = [...allow, ...confirm].some(({ args: tokens }) =>
    tokens.slice(0, -1).some((token) => [token].flat().includes(rest)),
  );
  if (misplaced) return '"..." may only stand last in "args".';
  if (policy.git === undefined) return null;
  if (credentials.length !== 1) return 'Git takes one credential, and no more.';
  if (!/^[A-Za-z_]\w*$/u.test(given[0] ?? '')) return 'A helper of Git cannot read that variable.';
  return null;
}
