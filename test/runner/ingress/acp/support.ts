import { createAcpGateway } from '../../../../runner/ingress/acp/gateway.ts';
import { createAcpMemory } from '../../../../runner/ingress/acp/gateway.ts';
import { between, testGate } from '../relay/support.ts';
import type { Between, TestGate } from '../relay/support.ts';

export const program = { node: '/usr/bin/node', program: '/opt/il/main.js', home: null };

/** An agent and an editor that the test plays, with the gateway between them and a session begun. */
export async function acp(): Promise<Between & { readonly gate: TestGate }> {
  const gate = testGate();
  const both = between((to) =>
    createAcpGateway({
      ...to,
      client: gate,
      program,
      memory: createAcpMemory(),
      speaker: { session: 'acp-test', agent: 'gemini' },
    }),
  );
  const { agent, client } = both;
  client.send({ jsonrpc: '2.0', id: 0, method: 'session/new', params: { cwd: '/w' } });
  await agent.next();
  agent.send({ jsonrpc: '2.0', id: 0, result: { sessionId: 's-1' } });
  await client.next();
  return { ...both, gate };
}

const once = [
  { optionId: 'always', name: 'Always', kind: 'allow_always' },
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];

/** `session/request_permission` with these params beside the session and the usual options. */
export function permission(params: object, id: number | string = 1): object {
  return {
    jsonrpc: '2.0',
    id,
    method: 'session/request_permission',
    params: { sessionId: 's-1', options: once, ...params },
  };
}

export const selected = (optionId: string, id: number | string = 1): object => ({
  jsonrpc: '2.0',
  id,
  result: { outcome: { outcome: 'selected', optionId } },
});

export const cancelled = (id: number | string = 1): object => ({
  jsonrpc: '2.0',
  id,
  result: { outcome: { outcome: 'cancelled' } },
});
