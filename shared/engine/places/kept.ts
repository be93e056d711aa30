import type { PlaceMachine } from './types.ts';

/** What a machine says of places; how files are looked up is not a part of it. */
type Said = Omit<PlaceMachine, 'files'>;

/**
 * A function of what a machine says of places that is worked out once while it says the same, which
 * is nearly always: each question has a machine of its own, with its own look at the files.
 */
export function oncePerMachine<T>(make: (machine: Said) => T): (machine: PlaceMachine) => T {
  const made = new WeakMap<PlaceMachine, { readonly of: T }>();
  let last: { readonly said: Said; readonly of: T } | null = null;
  return (machine) => {
    const known = made.get(machine);
    if (known !== undefined) return known.of;
    if (last === null || !saysTheSame(last.said, machine)) {
      const { files: _, ...said } = machine;
      last = { said, of: make(said) };
    }
    made.set(machine, last);
    return last.of;
  };
}

function saysTheSame(one: Said, other: Said): boolean {
  return (
    one.home === other.home &&
    one.platform === other.platform &&
    isSame(one.known, other.known) &&
    isSame(one.path, other.path) &&
    isSame(one.temporary, other.temporary)
  );
}

function isSame<T>(one: readonly T[], other: readonly T[]): boolean {
  return (
    one === other || (one.length === other.length && one.every((each, at) => each === other[at]))
  );
}
