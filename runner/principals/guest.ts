import type { Config } from '../../shared/config/types.ts';

/**
 * The session of a call by the name that the runner knows it by. Those of other users carry the
 * user in front, so that nobody takes up, or reads of, a session of somebody else by its name.
 */
export function sessionOf(
  session: string | undefined,
  { caller, owner }: { readonly caller: number | null; readonly owner: number },
): string | null {
  if (session === undefined) return null;
  return caller === owner ? session : `${caller ?? 'nobody'}/${session}`;
}

/** Whether `config.json` lets this user act as any agent at all. Nobody listed: nobody may. */
export function isGuest({ users, agents }: Pick<Config, 'users' | 'agents'>, uid: number): boolean {
  return (
    users.some((user) => user.uid === uid && user.agents.length > 0) ||
    Object.values(agents).some(({ uids }) => uids?.includes(uid) === true)
  );
}
