import { useEffect } from 'react';
import { create } from 'zustand';
import { withPatch } from '../../../shared/engine/index.ts';
import type { PolicyView } from '../../bridge/types.ts';
import { call, useApp } from './app.ts';

interface PolicyModel {
  /** As it was read last; null before the first time. */
  readonly policy: PolicyView | null;
}

/** The policy as the file has it; kept up to date while anything holds it. */
export const usePolicy = create<PolicyModel>()(() => ({ policy: null }));

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

/** Reads the policy anew, and resolves when it is there. */
export async function readPolicy(): Promise<PolicyView | null> {
  await reading;
  await readOnce();
  return usePolicy.getState().policy;
}

function follow(): void {
  const { state } = useApp.getState();
  if (holders === 0 || state === null) return;
  if (usePolicy.getState().policy?.hash === state.policy.hash) return;
  if (reading === null) void readOnce();
  else stale = true;
}

function readOnce(): Promise<void> {
  stale = false;
  reading ??= readNow().finally(() => {
    reading = null;
    // A push announced another version meanwhile.
    if (stale) follow();
  });
  return reading;
}

async function readNow(): Promise<void> {
  const known = usePolicy.getState().policy;
  const have = known !== null && known.document !== null ? known : null;
  const answer = await call('policy', have === null ? {} : { have: have.hash });
  if (!answer.ok) return;
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
  if (whole.ok && !('patch' in whole.result)) usePolicy.setState({ policy: whole.result });
}

// A push may be older than what was read since: only a change of the file counts.
useApp.subscribe(({ state }, { state: before }) => {
  if (state !== null && state.policy.hash !== before?.policy.hash) follow();
});
