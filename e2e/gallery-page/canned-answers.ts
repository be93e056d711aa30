import { defaultSettings } from '../../app/bridge/settings.ts';
import type { SettingsView } from '../../app/bridge/settings.ts';
import { guideSteps } from '../../app/bridge/types.ts';
import type { BridgeCalls, GuideState, GuideStep, HistoryStats } from '../../app/bridge/types.ts';
import {
  agentReach,
  defaultConfig,
  judgeAddress,
  renewStarters,
  startersFor,
  withPatch,
} from '../../shared/engine/index.ts';
import type { PolicyDocument } from '../../shared/engine/index.ts';
import type { CheckBody, ListedSecret } from '../../shared/wire/index.ts';
import { proposalsFor, start } from './sample-asks.ts';

/** What the tester would say: it knows git status, and no pushing. */
export function testOf({ command, draft }: BridgeCalls['testCommand']['args']): CheckBody {
  const argv = command.split(' ');
  const known = command.startsWith('git status');
  const edited = draft !== undefined && Object.keys(draft.patch).length > 0 && known;
  return {
    verdict: known ? 'allow' : command.startsWith('git push') ? 'deny' : 'ask',
    reason: known ? 'rule-allow' : 'no-rule',
    message: known
      ? 'A rule for git allows status with any arguments.'
      : 'There is no rule for this program yet.',
    host: 'gateway',
    security: 'allowlist',
    ask: 'on-miss',
    analysis: {
      ok: true,
      reason: null,
      stages: [
        {
          argv,
          resolvedPath: `/usr/bin/${argv[0] ?? ''}`,
          ruleId: known || edited ? 'git-read' : null,
          via: [],
        },
      ],
    },
    risk: { level: 'none', findings: [] },
    canonical: null,
  };
}

/** Settings as a console shows them: it honours look and language, and keeps the rest. */
export const someSettings: SettingsView = {
  settings: {
    ...defaultSettings,
    sound: true,
    lockoutShortcut: 'Control+Alt+L',
    oldestAskShortcut: 'Control+Alt+I',
  },
  honoured: ['theme', 'language'],
  problem: null,
  taken: ['Control+Alt+I'],
};

/** The first steps with these still to do. */
export function guideWith(open: readonly GuideStep[]): GuideState {
  const steps = guideSteps.map((step) => ({
    step,
    done: !open.includes(step),
    hint: open.includes(step) ? 'Run "interlock init" in a terminal.' : '',
  }));
  return {
    steps,
    agents: open.includes('agent') ? [] : ['claude', 'codex'],
    finished: open.length === 0,
  };
}

/** Three agents; the first two are connected, or none. */
export function connectableWith(none: boolean): BridgeCalls['connectable']['result'] {
  return {
    possible: true,
    hosts: ['Claude Code', 'Codex', 'Gemini CLI'].map((title, index) => ({
      host: title.toLowerCase().split(' ')[0] ?? '',
      title,
      connected: !none && index < 2,
    })),
  };
}

export const hookDiff = [
  '--- /home/ana/.gemini/settings.json',
  '+++ /home/ana/.gemini/settings.json',
  '@@ -1,3 +1,8 @@',
  ' {',
  '-  "theme": "dark"',
  '+  "theme": "dark",',
  '+  "hooks": {',
  '+    "BeforeTool": [{ "command": "interlock-hook --host gemini" }]',
  '+  }',
  ' }',
  '',
].join('\n');

/** What importing would bring: a rule of each kind, one that is there, and two that stay behind. */
export function previewOf({
  agent = 'claude',
}: BridgeCalls['importRules']['args']): BridgeCalls['importRules']['result'] {
  const many = Array.from({ length: 3 }, (_, index) => ({
    agent,
    rule: { pattern: `/usr/bin/tool-${index}`, args: ['run', '...'] },
    from: `Bash(tool-${index} run:*)`,
    note: null,
    sentence: `Allows tool-${index} run with any arguments after it.`,
    duplicate: false,
  }));
  return {
    format: 'claude',
    rules: [
      {
        agent,
        rule: { effect: 'allow', pattern: 'git', args: ['diff', '...'] },
        from: 'Bash(git diff:*)',
        note: 'Only outside of pipes: a rule covers one program.',
        sentence: 'Allows git diff with any arguments after it.',
        duplicate: false,
      },
      {
        agent,
        rule: { effect: 'deny', pattern: 'curl' },
        from: 'Bash(curl:*)',
        note: null,
        sentence: 'Denies curl with any arguments.',
        duplicate: false,
      },
      {
        agent,
        rule: { pattern: 'git', args: ['status', '...'] },
        from: 'Bash(git status:*)',
        note: null,
        sentence: 'Allows git status with any arguments after it.',
        duplicate: true,
      },
      ...many,
    ],
    skipped: [
      {
        from: 'Read(~/.ssh/**)',
        why: 'It is about a tool that this policy does not know.',
        holdsBack: true,
      },
      {
        from: 'Bash(npm run *:*)',
        why: 'A wildcard inside a word cannot be told from the words after it.',
        holdsBack: false,
      },
    ],
  };
}

export function simulationOf(
  args: BridgeCalls['simulate']['args'],
): BridgeCalls['simulate']['result'] {
  const check = testOf(args);
  const asked = check.verdict === 'ask';
  return {
    check,
    fallback: asked
      ? { decision: 'deny', message: 'With nobody to ask, the command is refused.' }
      : null,
    deciding: null,
    stages: check.analysis.stages.map(({ ruleId }) => ({ ruleId, why: check.message })),
    toAllow: asked ? proposalsFor(args.command.split(' ')) : [],
    tool: args.command.startsWith('gh ') ? toolCallOf(args.command) : null,
  };
}

/** As the policy of `gh` that comes with Interlock has it. */
function toolCallOf(command: string): BridgeCalls['simulate']['result']['tool'] {
  const isRefused = command.startsWith('gh auth');
  return {
    name: 'gh',
    verdict: isRefused ? 'deny' : 'ask',
    message: isRefused ? 'The policy of gh does not name "gh auth token".' : 'It merges.',
    hint: isRefused
      ? 'What it takes: interlock tool show gh. A person changes that, in its file.'
      : null,
    fromSandbox: true,
    given: isRefused
      ? null
      : {
          secrets: [{ name: 'github', variable: 'GH_TOKEN' }],
          folder: 'private',
          timeout: 120,
          perMinute: 60,
        },
  };
}

export function suggestionOf({
  command,
}: BridgeCalls['suggestRule']['args']): BridgeCalls['suggestRule']['result'] {
  return command.includes('rm ')
    ? { proposals: [], why: 'It deletes directories: such a command is asked about each time.' }
    : { proposals: proposalsFor(command.split(' ')), why: null };
}

export function effectOf({
  rules,
}: BridgeCalls['effectOf']['args']): BridgeCalls['effectOf']['result'] {
  const [rule] = rules;
  const hit = rule?.pattern.endsWith('npm') === true;
  return {
    nowAllowed: hit ? ['npm test', 'npm test --watch', 'npm test src/gate'] : [],
    nowDenied: [],
    nowAsked: [],
    looked: 500,
  };
}

const day = 86_400_000;

/** A month that began with many needless asks and got calmer; quiet at the weekends. */
export function monthOf(some: boolean): HistoryStats {
  const days = Array.from({ length: 30 }, (_, index) => {
    const at = new Date(start - (29 - index) * day);
    const weekend = at.getUTCDay() === 0 || at.getUTCDay() === 6;
    const asks = !some ? 0 : weekend ? index % 2 : 5 + ((index * 7) % 11) + (index < 12 ? 9 : 0);
    const needless = Math.floor(asks * (index < 12 ? 0.6 : 0.2));
    return {
      day: at.toISOString().slice(0, 10),
      asks,
      allowed: Math.floor(asks * 0.8),
      unanswered: asks > 8 ? 1 : 0,
      needless,
      unasked: some ? asks * 6 : 0,
    };
  });
  const cwd = '/home/ana/src/app';
  return {
    days,
    needlessAfter: 3,
    worthARule: some
      ? [
          { agent: 'claude', command: 'npm test', cwd, needless: 24 },
          { agent: 'codex', command: 'cargo build --release', cwd, needless: 9 },
        ]
      : [],
  };
}

/** What a set would bring, by the engine itself; every example is taken to hold. */
export function starterOf(
  { set, agent, folder, draft }: BridgeCalls['starter']['args'],
  saved: PolicyDocument | null,
  now: number,
): BridgeCalls['starter']['result'] {
  if (saved === null) throw new Error('There is no policy.');
  const document = draft === undefined ? saved : (withPatch(saved, draft.patch) ?? saved);
  const places = startersFor(set).map(({ name }) => ({ agent, set: name, folder }));
  const left = ['npm install zod', 'git push', 'rm -rf dist', 'cat .env'];
  return {
    folder,
    updates: renewStarters(document, places, { check: () => [], now }),
    covers: { from: 'sample', looked: 55, covered: 55 - left.length, left },
  };
}

/** By the real rules, so that a spec sees what a person would. */
export function reachOf({
  agent,
  address,
}: BridgeCalls['reach']['args']): BridgeCalls['reach']['result'] {
  const config = {
    ...defaultConfig,
    sandbox: { ...defaultConfig.sandbox, network: 'restricted' as const },
    egress: { ...defaultConfig.egress, allow: ['docs.example'], deny: ['*.ads.example'] },
  };
  const asked = address === undefined ? null : { agent, address, rules: [] };
  return {
    reach: agentReach(config, agent),
    verdict: asked === null ? null : judgeAddress(config, asked),
  };
}

/** Secrets with each kind of use, one that is missing and one without a use. */
export function someSecrets(now: number): BridgeCalls['secrets']['result']['secrets'] {
  const secret = (name: string, more: Partial<ListedSecret>): ListedSecret => ({
    name,
    keptAt: now - 20 * day,
    lastUsedAt: null,
    lastUsedBy: null,
    uses: [],
    ...more,
  });
  return [
    secret('anthropic', {
      lastUsedAt: now - day,
      lastUsedBy: 'wrap claude',
      uses: [{ kind: 'agent', of: 'claude' }],
    }),
    secret('github', {
      lastUsedAt: now - 60_000,
      lastUsedBy: 'gh',
      uses: [
        { kind: 'tool', of: 'gh' },
        { kind: 'header', of: 'api.github.com' },
      ],
    }),
    secret('npm', { keptAt: null, uses: [{ kind: 'tool', of: 'npm' }] }),
    secret('old-token', {}),
  ];
}
