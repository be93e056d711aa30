import { bindingOf, requireSame } from '../binding/binding.ts';
import type { Binding } from '../binding/binding.ts';
import type { GatePorts } from './ports.ts';
import type { Identity, Target, Understood } from './types.ts';

export interface BindSubject {
  readonly identity: Identity;
  readonly target: Target;
  readonly understood: Understood;
}

/** Takes down what the decision is about. Contents are hashed where a person may take a while. */
export function snapshot(
  { identity, target, understood }: BindSubject,
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
  const { command } = subject.understood;
  const analysis = (await ports.analyser()).analyse(command, ports.surroundings());
  const hashed = approved.files.some((file) => file.sha256 !== null);
  const understood = { ...subject.understood, analysis };
  requireSame(approved, snapshot({ ...subject, understood }, { hashed }));
}
