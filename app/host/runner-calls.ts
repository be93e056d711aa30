import type { HistoryBody, HistoryStatsBody } from '../../shared/api/types.ts';
import { callJson } from '../../shared/node/runner-client/call.ts';
import type { BridgeCalls } from '../bridge/types.ts';

const timeoutMs = 10_000;

/** One page of past decisions, newest first, from the runner's log. */
export async function readHistory(
  socketPath: string,
  query: BridgeCalls['history']['args'],
): Promise<BridgeCalls['history']['result']> {
  const parameters = new URLSearchParams({
    offset: String(query.offset),
    limit: String(query.limit),
  });
  if (query.search !== undefined && query.search !== '') parameters.set('search', query.search);
  if (query.agent !== undefined) parameters.set('agent', query.agent);
  if (query.decision !== undefined) parameters.set('decision', query.decision);
  const path = `/v1/history?${parameters.toString()}`;
  const answer = (await callJson({ socketPath, timeoutMs, method: 'GET', path })) as HistoryBody;
  return { total: answer.total, entries: answer.entries };
}

const statsDays = 30;

/** What happened day by day, from the runner's log. */
export async function readHistoryStats(
  socketPath: string,
  { days = statsDays, agent }: BridgeCalls['historyStats']['args'],
): Promise<BridgeCalls['historyStats']['result']> {
  const parameters = new URLSearchParams({ days: String(days) });
  if (agent !== undefined) parameters.set('agent', agent);
  const path = `/v1/history/stats?${parameters.toString()}`;
  const answer = await callJson({ socketPath, timeoutMs, method: 'GET', path });
  const { days: told, needlessAfter, worthARule } = answer as HistoryStatsBody;
  return { days: told, needlessAfter, worthARule };
}
