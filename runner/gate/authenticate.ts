import { trustOf } from '../../shared/engine/index.ts';
import type { Config, RequestClaims } from '../../shared/engine/index.ts';
import { refuse } from '../../shared/base/index.ts';
import type { GatePorts } from './ports.ts';
import { sessionIn } from './request-context.ts';
import type { Identity, Incoming } from './request-context.ts';

/** The name of who gives none, as older programs write it. */
export const unnamedAgent = 'main';

/** Whose policy holds for a name that does not count. */
const anybody = '*';

/**
 * Who is asking. The kernel names the user. A signature proves the agent's name; without one the
 * name is a claim, which counts where `config.json` says so, and never for an agent with a key.
 */
export async function authenticate(
  incoming: Incoming,
  { uid, config, callers }: Pick<GatePorts, 'uid' | 'config' | 'callers'>,
): Promise<Identity> {
  const { request, within, from } = incoming;
  if (within !== undefined) return stillWithin(within, { config, callers });
  // A person let that machine in, and what its requests may have done is decided here.
  const peer = from === undefined ? incoming.peer : { uid, pid: null };
  if (peer === null) throw stranger('The system does not say who is asking.');
  const signer = await signerOf(incoming, callers);
  if (signer !== null && request.agent !== undefined && request.agent !== signer)
    throw refuse(
      'hmac-fail',
      `The request is signed by "${signer}" and speaks for "${request.agent}".`,
      'An agent can only speak for itself: leave the name out, or use the key of that name.',
    );
  const name = signer ?? request.agent ?? unnamedAgent;
  const named = namedIn(config(), name, peer.uid);
  if (named === 'other-users' || (named === 'nowhere' && peer.uid !== uid))
    throw stranger(`User ${peer.uid} may not act as the agent "${name}".`);
  const rest = {
    session: sessionIn(incoming, uid),
    uid: peer.uid,
    pid: peer.pid,
  };
  if (signer === null) requireNoKey(name, callers.keyState(name));
  const counts =
    from?.isNamed !== false &&
    (signer !== null || named === 'this-user' || config().principals.trustClaims);
  const whose = counts ? { agent: name, claimed: null } : { agent: anybody, claimed: name };
  const caller = {
    ...whose,
    uid: peer.uid,
    ownUid: uid,
    signed: signer !== null,
    claims: claimsOf(request),
  };
  return { ...whose, ...rest, trust: trustOf(config(), caller) };
}

/** The agent whose key signed the request, in whichever way it came; null where none did. */
async function signerOf(
  { call, prove }: Incoming,
  callers: GatePorts['callers'],
): Promise<string | null> {
  if (prove !== undefined) return prove();
  return call === undefined ? null : callers.signer(call);
}

/** Who a command of ours is from is who it was, as long as their key is what it was. */
function stillWithin(
  identity: Identity,
  { config, callers }: Pick<GatePorts, 'config' | 'callers'>,
): Identity {
  const { agent, claimed, trust } = identity;
  const state = callers.keyState(claimed ?? agent);
  if (!trust.caller.signed) requireNoKey(claimed ?? agent, state);
  else if (state !== 'keyed') requireNoKey(agent, 'revoked');
  return { ...identity, trust: trustOf(config(), trust.caller) };
}

/** What a request says of whom it is for. */
function claimsOf({ user, channel, group, sandbox }: RequestClaims): RequestClaims {
  return {
    ...(user !== undefined && { user }),
    ...(channel !== undefined && { channel }),
    ...(group !== undefined && { group }),
    ...(sandbox !== undefined && { sandbox }),
  };
}

/** What `config.json` says of this user and this agent. */
function namedIn(
  { agents, users }: Pick<Config, 'agents' | 'users'>,
  name: string,
  uid: number,
): 'this-user' | 'other-users' | 'nowhere' {
  const listed = users.some(
    (user) => user.uid === uid && user.agents?.some((one) => one === '*' || one === name) === true,
  );
  const uids = Object.hasOwn(agents, name) ? agents[name]?.uids : undefined;
  if (listed || uids?.includes(uid) === true) return 'this-user';
  return uids === undefined ? 'nowhere' : 'other-users';
}

function requireNoKey(name: string, state: ReturnType<GatePorts['callers']['keyState']>): void {
  if (state === 'keyed')
    throw refuse(
      'hmac-fail',
      `The agent "${name}" has a key, and the request is not signed with it.`,
      `Sign it: interlock run --agent ${name} --key FILE, or set INTERLOCK_KEY_FILE.`,
    );
  if (state === 'revoked')
    throw refuse(
      'hmac-fail',
      `The key of the agent "${name}" was taken away.`,
      `A person may issue a new one: interlock agents rekey ${name}`,
    );
}

function stranger(sentence: string): Error {
  return refuse('hmac-fail', sentence, 'Ask from a process of the user who owns the runner.');
}
