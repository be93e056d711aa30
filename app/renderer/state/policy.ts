import { useEffect } from 'react';
import { create } from 'zustand';
import type { Refusal } from '../../../shared/base/index.ts';
import { withPatch } from '../../../shared/engine/index.ts';
import type { PolicyView } from '../../bridge/types.ts';
import { call, useApp } from './app.ts';

interface PolicyModel {
  /** The node whose policy it is, by its id; null: it is that of this machine. */
  readonly machine: string | null;
  /** As it was read last; null before the first time. */
  readonly policy: PolicyView | null;
  /** Whether it may be edited from here. */
  readonly mayEdit: boolean;
  /** Why the policy of a node could not be read; null where it could. */
  readonly refusal: Refusal | null;
}

/** The policy as the file has it; that of this machine is kept up to date while anything holds it. */
export const usePolicy = create<PolicyModel>()(() => ({
  machine: null,
  policy: null,
  mayEdit: true,
  refusal: null,
}));

let holders = 0;
let reading: Promise<void> | null = null;
let stale = false;

/** Keeps the policy up to date until the returned function is called. */
export function holdPolicy(): () => void {
  holders += 1;
  follow();
  let held = true;
  return () => {
    if (held) holders -= 1;
    held = false;
  };
}

/** The policy as the file has it, for a view that shows it; null until it is read. */
export function useSavedPolicy(): PolicyView | null {
  useEffect(holdPolicy, []);
  return usePolicy(({ policy }) => policy);
}

/** The policy of this machine, for a view that speaks of it; null while another one is edited. */
export function useOwnPolicy(): PolicyView | null {
  const policy = useSavedPolicy();
  return usePolicy(({ machine }) => machine) === null ? policy : null;
}

/** Turns to the policy of a node, or of this machine with null. */
export function turnTo(machine: string | null): void {
  usePolicy.setState({ machine, policy: null, mayEdit: machine === null, refusal: null });
  if (machine === null) follow();
  else void readPolicy();
}

/** Reads the policy anew, and resolves when it is there. */
export async function readPolicy(): Promise<PolicyView | null> {
  await reading;
  await readOnce();
  return usePolicy.getState().policy;
}

function follow(): void {
  const { state } = useApp.getState();
  if (holders === 0 || state === null || usePolicy.getState().machine !== null) return;
  if (usePolicy.getState().policy?.hash === state.policy.hash) return;
  if (reading === null) void readOnce();
  else stale = true;
}

function readOnce(): Promise<void> {
  stale = false;
  reading ??= readNow().finally(() => {
    reading = null;
    // A push announced another version meanwhile.
    if (stale && usePolicy.getState().machine === null) follow();
  });
  return reading;
}

async function readNow(): Promise<void> {
  const { machine } = usePolicy.getState();
  if (machine === null) await readOwn();
  else await readOf(machine);
  // It was turned to another one meanwhile, whose reading has waited for this one.
  if (usePolicy.getState().machine !== machine) stale = true;
}

/** Nothing tells of a change on a node: it is read when it is shown, and before a save is repeated. */
async function readOf(node: string): Promise<void> {
  const answer = await call('nodePolicy', { node });
  if (usePolicy.getState().machine !== node) return;
  if (!answer.ok) {
    usePolicy.setState({ refusal: answer.refusal });
    return;
  }
  const { hash, document, mayEdit } = answer.result;
  usePolicy.setState({ policy: { hash, document, problem: null }, mayEdit, refusal: null });
}

async function readOwn(): Promise<void> {
  const known = usePolicy.getState().policy;
  const have = known !== null && known.document !== null ? known : null;
  const answer = await call('policy', have === null ? {} : { have: have.hash });
  if (!answer.ok || usePolicy.getState().machine !== null) return;
  const { result } = answer;
  if (!('patch' in result)) {
    usePolicy.setState({ policy: result });
    return;
  }
  const fits = have !== null && have.document !== null && have.hash === result.from;
  const patched = fits ? withPatch(have.document, result.patch) : null;
  if (patched !== null) {
    usePolicy.setState({ policy: { hash: result.hash, document: patched, problem: null } });
    return;
  }
  const whole = await call('policy', {});
  if (usePolicy.getState().machine !== null) return;
  if (whole.ok && !('patch' in whole.result)) usePolicy.setState({ policy: whole.result });
}

// A push may be older than what was read since: only a change of the file counts.
useApp.subscribe(({ state }, { state: before }) => {
  if (state !== null && state.policy.hash !== before?.policy.hash) follow();
});
