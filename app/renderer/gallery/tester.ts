import type { CheckBody } from '../../../shared/api/types.ts';
import type { BridgeCalls } from '../../bridge/types.ts';
import { changesBetween } from '../allowlist/merge.ts';

/** What the tester would say: it knows git status, and no pushing. */
export function testOf({ command, document }: BridgeCalls['testCommand']['args']): CheckBody {
  const argv = command.split(' ');
  const known = command.startsWith('git status');
  const edited =
    document !== undefined && changesBetween({ version: 1 }, document).length > 0 && known;
  return {
    verdict: known ? 'allow' : command.startsWith('git push') ? 'deny' : 'ask',
    reason: known ? 'rule-allow' : 'no-rule',
    message: known
      ? 'A rule for git allows status with any arguments.'
      : 'No rule names this program with these arguments.',
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
