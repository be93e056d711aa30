import { actKinds } from '../ask.ts';
import type { Act, ActKind } from '../ask.ts';
import type { Stage } from '../plan/types.ts';
import { baseName } from '../rules/matching.ts';
import { doesOf } from './judge.ts';
import { recordOf } from './list.ts';
import { readNamed } from './named.ts';
import type { Effect } from './types.ts';

/** What a stage does: a sentence of its program's record, and what it does to what. */
interface Doing {
  readonly does: string | null;
  readonly acts: readonly Act[];
}

/** Things named of one act, and the length of each in UTF-16 units: this is a summary. */
const mostNamed = 6;
const longestName = 120;

/**
 * What a stage does, from the record of its program. Nothing is decided by it, and it says no more
 * than the record: where there is none, or where the record doubts what it reads, it is empty.
 */
export function doingOf({ argv, globs, executable, trust }: Stage): Doing {
  const nothing = { does: null, acts: [] };
  if (executable.kind === 'tool' || executable.kind === 'missing') return nothing;
  const name = baseName(executable.kind === 'file' ? executable.path : executable.name);
  const record = recordOf(name);
  const reading = readNamed(name, argv.slice(1), globs);
  if (record === null || reading === null) return nothing;
  const sure = reading.doubts.length === 0 || trust.level !== 'never';
  // What a part of the shell is given is mostly text, whatever else it could stand for.
  const told = sure && executable.kind === 'file';
  return { does: doesOf(record, reading), acts: told ? actsOf(reading.effects) : [] };
}

function actsOf(effects: readonly Effect[]): readonly Act[] {
  const found = new Map<ActKind, Set<string>>();
  for (const effect of effects) {
    const [act, of] = actOf(effect);
    const named = found.get(act) ?? new Set();
    if (of !== '' && named.size < mostNamed) named.add(shortened(of));
    found.set(act, named);
  }
  return actKinds.flatMap((act) => {
    const of = found.get(act);
    return of === undefined ? [] : [{ act, of: [...of] }];
  });
}

function actOf(effect: Effect): readonly [ActKind, string] {
  switch (effect.kind) {
    case 'path':
      return [effect.runs === true ? 'runs' : effect.use, effect.path];
    case 'starts':
      return ['runs', effect.program ?? ''];
    case 'command':
      return ['runs', effect.words.map(({ text }) => text).join(' ')];
    case 'shell':
      return ['runs', effect.text];
    case 'code':
      return ['runs', effect.file ?? ''];
    case 'loads':
      return ['loads', effect.path ?? ''];
    case 'sets':
      return ['sets', effect.setting];
    default:
      return [effect.direction, effect.address];
  }
}

function shortened(name: string): string {
  return name.length <= longestName ? name : `${name.slice(0, longestName)}…`;
}
