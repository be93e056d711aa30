import type { Verdict } from '../../shared/engine/index.ts';
import { admitByRate } from './admit.ts';
import { analyse } from './analyse.ts';
import { ask, standingPermission } from './ask.ts';
import { bind, snapshot } from './bind.ts';
import {
  broker,
  fallBack,
  matchKept,
  noteUse,
  requireNotDenied,
  requireStillAllowed,
  resolve,
} from './decide.ts';
import type { GatePorts } from './ports.ts';
import { record } from './record.ts';
import { learn } from './request-context.ts';
import type { Analysed, Call, Identified, Permitted } from './request-context.ts';
import { route, settled } from './route.ts';
import type { CarriedOut } from './route.ts';

/** From the admission to the row in the log that says yes. Everything else is thrown. */
export async function permit(
  identified: Identified,
  call: Call,
  ports: GatePorts,
  by: CarriedOut,
): Promise<Permitted> {
  await ports.vault?.refresh();
  const routed = learn(identified, { target: await route(identified, ports, by), by });
  const resolved = learn(routed, { policy: resolve(identified, ports) });
  const analysed = learn(resolved, { understood: await analyse(resolved, ports) });
  await broker(analysed, ports);
  admitByRate(analysed, ports);

  const verdict = withTry(await matchKept(analysed, ports), analysed, ports);
  learn(analysed, { target: settled(analysed.target, verdict, ports) });
  const binding = snapshot(analysed, { hashed: verdict.decision === 'ask' });
  const decided = learn(analysed, { verdict, binding });
  requireNotDenied(verdict);

  const standing = standingPermission(decided, ports);
  const permission = standing ?? (await ask(decided, call, ports)) ?? fallBack(decided, ports);
  const permitted = learn(decided, { permission });
  if (standing === null) {
    await bind(decided, ports);
    requireStillAllowed(permitted, ports);
  }

  await record(permitted, ports);
  learn(permitted, { recorded: true });
  noteUse(permitted, ports);
  return permitted;
}

/** A question for this machine says what became of it in the sandbox. */
function withTry(verdict: Verdict, analysed: Analysed, { tries }: GatePorts): Verdict {
  const words = verdict.decision === 'ask' ? (tries?.wordsOf(analysed) ?? null) : null;
  return words === null ? verdict : { ...verdict, message: `${verdict.message} ${words}` };
}
