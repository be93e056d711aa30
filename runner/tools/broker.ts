import { refuse } from '../../shared/base/index.ts';
import { judgeToolCall } from '../../shared/engine/index.ts';
import type { Stage, ToolPolicy } from '../../shared/engine/index.ts';
import { readToolPolicy } from '../../shared/home/index.ts';
import type { Vault } from './vault.ts';
import type { Analysed } from '../gate/request-context.ts';

/** The name of the host on which brokered tools run. */
export const brokerHost = 'tools';

/** What the policy of a tool says of one request. */
export interface Brokered {
  readonly policy: ToolPolicy;
  /** Of the policy's file, as it was read. */
  readonly hash: string;
  /** Why a person is asked each time; null where the agent's rules decide. */
  readonly confirm: string | null;
}

/** Holds requests for tools against the policies of the tools. */
export interface Broker {
  /**
   * What holds for this request. Rejects with `policy-deny` for what the policy does not name,
   * `config-invalid` where it cannot be read or a secret that it needs is not kept.
   */
  admit(analysed: Pick<Analysed, 'understood'>): Promise<Brokered>;
  /** Rejects with `binding-drift` where the policy is another one by now. */
  requireSame(brokered: Brokered): Promise<void>;
}

export interface BrokerOptions {
  /** `policy` below the home. */
  readonly directory: string;
  readonly uid: number;
  readonly vault: Pick<Vault, 'open'>;
}

/** The broker over the policies of a home, which are read for each request. */
export function createBroker({ directory, uid, vault }: BrokerOptions): Broker {
  const read = async (tool: string): Promise<Omit<Brokered, 'confirm'>> => {
    const file = await readToolPolicy(directory, tool, uid);
    if (file.ok) return file;
    const { code, message, hint } = file.problem;
    throw refuse(file.missing ? 'policy-deny' : code, message, hint);
  };
  const requireSecrets = async ({ tool, credentials }: ToolPolicy): Promise<void> => {
    if (credentials.length === 0) return;
    const kept = new Set((await vault.open()).list().map(({ name }) => name));
    const lacking = credentials.find(
      ({ secret, optional }) => optional !== true && !kept.has(secret),
    );
    if (lacking !== undefined) throw noSecret(tool, lacking.secret);
  };
  return {
    admit: async ({ understood }) => {
      const stage = plainStage(understood);
      const { policy, hash } = await read(stage.argv[0] ?? '');
      const words = stage.argv.slice(1);
      const env = Object.keys(understood.command.env ?? {});
      const { decision, why } = judgeToolCall(policy, { words, env });
      if (decision === 'deny')
        throw refuse(
          'policy-deny',
          why,
          `What it takes: interlock tool show ${policy.tool}. A person changes that, in its file.`,
        );
      await requireSecrets(policy);
      return { policy, hash, confirm: decision === 'confirm' ? why : null };
    },
    requireSame: async ({ policy, hash }) => {
      const now = await read(policy.tool);
      if (now.hash === hash) return;
      throw refuse(
        'binding-drift',
        `The policy of ${policy.tool} changed between the decision and the start.`,
        'Nothing was run. Ask again.',
      );
    },
  };
}

/** A person has to keep it first. */
export function noSecret(tool: string, secret: string): Error {
  return refuse(
    'config-invalid',
    `The tool ${tool} needs the secret "${secret}", and none of that name is kept here.`,
    `A person keeps it with: interlock secret set ${secret}`,
  );
}

/** The one program of a request that is nothing else. Throws `invalid-request` or `policy-deny`. */
function plainStage({ command, analysis }: Analysed['understood']): Stage {
  const stages = analysis.ok ? analysis.plan.stages : [];
  const [stage] = stages;
  const [name] = command.argv ?? [];
  const isPlain =
    stage !== undefined && stages.length === 1 && stage.via.length === 0 && stage.argv[0] === name;
  if (!isPlain || name === undefined || name.includes('/'))
    throw refuse(
      'invalid-request',
      'A brokered tool is called by its name with its arguments, and not by shell text, a path or a wrapper.',
      'Send "argv", as in: interlock run --host tools -- gh pr list',
    );
  const { executable } = stage;
  if (executable.kind === 'missing') return stage;
  if (executable.kind === 'file' && executable.foundBy === 'path' && !executable.agentWritable)
    return stage;
  throw refuse(
    'policy-deny',
    `The program ${name} lies where an agent could change it, so it is given no credential.`,
    'Install it where only its owner writes.',
  );
}
