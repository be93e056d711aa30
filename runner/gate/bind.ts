import { bindingOf, requireSame } from '../binding/binding.ts';
import type { Binding } from '../binding/binding.ts';
import type { GatePorts } from './ports.ts';
import { analysisOf } from './analyse.ts';
import type { Identity, Incoming, Target, Understood } from './types.ts';

export interface BindSubject {
  readonly incoming: Incoming;
  readonly identity: Identity;
  readonly target: Target;
  readonly understood: Understood;
}

/** Takes down what the decision is about. Contents are hashed where a person may take a while. */
export function snapshot(
  { identity, target, understood }: Omit<BindSubject, 'incoming'>,
  { hashed }: { readonly hashed: boolean },
): Binding {
  return bindingOf({
    host: target.host.name,
    agent: identity.agent,
    request: understood.command,
    analysis: understood.analysis,
    hashed,
  });
}

/** Looks at everything anew; throws `binding-drift` when it is no longer what was decided about. */
export async function bind(
  subject: BindSubject,
  approved: Binding,
  ports: Pick<GatePorts, 'analyser' | 'surroundings'>,
): Promise<void> {
  const analysis = await analysisOf(subject.incoming, subject.understood.command, ports);
  const hashed = approved.files.some((file) => file.sha256 !== null);
  const understood = { ...subject.understood, analysis };
  requireSame(approved, snapshot({ ...subject, understood }, { hashed }));
}
