import { fromJsonSchema } from '@modelcontextprotocol/server';
import type { ServerContext, StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { compile } from '../../../shared/base/index.ts';
import type { Clock, Schema } from '../../../shared/base/index.ts';
import type { AskingAgent, AskingClient, CommandLineProgram } from '../asking.ts';

/** What the tools need. */
export interface McpParts {
  readonly client: AskingClient;
  readonly speaker: AskingAgent;
  /** The folder that the host started the server in; absolute. */
  readonly cwd: string;
  readonly program: CommandLineProgram;
  readonly clock: Clock;
}

/** A schema as the protocol shows it to hosts, checked by the one checker that Interlock has. */
export function toolSchema<T>(schema: Schema<T>): StandardSchemaWithJSON<T> {
  const check = compile(schema);
  const shown: Readonly<Record<string, unknown>> = schema;
  return fromJsonSchema<T>(
    { type: 'object', ...shown },
    {
      getValidator: () => (value) => {
        const checked = check(value);
        return checked.ok
          ? { valid: true, data: checked.value as never, errorMessage: undefined }
          : { valid: false, data: undefined, errorMessage: checked.error };
      },
    },
  );
}

/** Tells the host that its call is still under way. */
export interface Progress {
  say(message: string): void;
  dispose(): void;
}

/** Hosts give a call up after a silence; a person may take longer than that. */
const repeatMs = 10_000;

/** Progress for one call, where its host asked for it: at once, and again while nothing changes. */
export function progressOf({ mcpReq }: ServerContext, clock: Clock): Progress {
  const { _meta: meta } = mcpReq;
  const token = meta?.progressToken;
  if (token === undefined) return { say: () => undefined, dispose: () => undefined };
  let count = 0;
  let cancel = (): void => undefined;
  const say = (message: string): void => {
    cancel();
    count += 1;
    const params = { progressToken: token, progress: count, message };
    // A host that is gone needs no progress; its call ends by itself.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
    cancel = clock.after(repeatMs, () => say(message));
  };
  return { say, dispose: () => cancel() };
}
