import { utf8Bytes } from '../../../shared/base/index.ts';
import { patchBetween } from '../../../shared/engine/index.ts';
import type { PolicyDocument, PolicyPatch, Rule } from '../../../shared/engine/index.ts';
import { pageMessageLimit } from '../../bridge/messages.ts';
import { withRules } from './merge.ts';

/** Bytes of a message kept free for the call around the patch. */
const envelope = 1024;
/** New rules are grouped into steps of up to this size, in bytes. */
const stepSize = pageMessageLimit / 2;

interface Owned {
  readonly agent: string;
  readonly rule: Rule;
}

/**
 * The patches that take the policy from one document to the other. There is one, unless it is longer
 * than a message may be: then new rules go in further ones, and the host saves all of them as one
 * edit. Should a host save them one by one, no document between two allows what neither end does,
 * since new rules that deny or ask come before everything else, and new rules that allow after it.
 */
export function savingSteps(from: PolicyDocument, to: PolicyDocument): readonly PolicyPatch[] {
  const whole = patchBetween(from, to);
  if (whole === null) return [];
  if (bytesOf(whole) <= pageMessageLimit - envelope) return [whole];

  const added = addedRules(whole, from);
  const allowing = added.filter(({ rule }) => (rule.effect ?? 'allow') === 'allow');
  const documents = [from];
  for (const group of groups(added.filter(({ rule }) => (rule.effect ?? 'allow') !== 'allow'))) {
    documents.push(withRules(documents.at(-1) ?? from, group));
  }
  const late = groups(allowing);
  for (let step = 0; step <= late.length; step += 1) {
    documents.push(without(to, late.slice(step).flat()));
  }
  return documents.slice(1).flatMap((document, index) => {
    const patch = patchBetween(documents[index] ?? from, document);
    return patch === null || Object.keys(patch).length === 0 ? [] : [patch];
  });
}

function bytesOf(value: object): number {
  return utf8Bytes(JSON.stringify(value)).length;
}

function addedRules(patch: PolicyPatch, from: PolicyDocument): readonly Owned[] {
  return Object.entries(patch.agents ?? {}).flatMap(([agent, { rules }]) => {
    const known = new Set((from.agents?.[agent]?.allowlist ?? []).map(({ id }) => id));
    return (rules?.insert ?? [])
      .flatMap(({ items }) => items)
      .filter(({ id }) => !known.has(id))
      .map((rule) => ({ agent, rule }));
  });
}

function groups(added: readonly Owned[]): readonly (readonly Owned[])[] {
  const all: Owned[][] = [];
  let size = 0;
  for (const owned of added) {
    const bytes = bytesOf(owned.rule);
    const group = all.at(-1);
    if (group === undefined || size + bytes > stepSize) {
      all.push([owned]);
      size = bytes;
    } else {
      group.push(owned);
      size += bytes;
    }
  }
  return all;
}

function without(document: PolicyDocument, left: readonly Owned[]): PolicyDocument {
  const ids = new Set(left.map(({ agent, rule }) => JSON.stringify([agent, rule.id])));
  const agents = Object.entries(document.agents ?? {}).map(([agent, policy]) => {
    const { allowlist } = policy;
    if (allowlist === undefined) return [agent, policy] as const;
    const kept = allowlist.filter(({ id }) => !ids.has(JSON.stringify([agent, id])));
    return [agent, { ...policy, allowlist: kept }] as const;
  });
  return { ...document, agents: Object.fromEntries(agents) };
}
