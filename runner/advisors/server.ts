import { Agent, request } from 'node:http';
import { isLoopbackUrl } from '../../shared/engine/index.ts';
import { mostAnswer } from './program.ts';
import type { Asking } from './program.ts';

/**
 * Posts the question to a server of this machine and returns the body of its answer. Goes by no proxy
 * and follows nothing. Rejects with a sentence for any status but 200, for too much, and when the
 * signal comes.
 */
export async function askServer(url: string, { question, signal }: Asking): Promise<string> {
  signal.throwIfAborted();
  if (!isLoopbackUrl(url)) throw new Error('its address is not on loopback');
  // An agent of its own: the global one may have been told of a proxy by the environment.
  const agent = new Agent({ keepAlive: false });
  try {
    return await posted(url, { question, signal, agent });
  } finally {
    agent.destroy();
  }
}

async function posted(
  url: string,
  {
    question,
    signal,
    agent,
  }: { readonly question: string; readonly signal: AbortSignal; readonly agent: Agent },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const asked = request(url, { method: 'POST', agent, headers });
    const fail = (error: Error): void => {
      reject(error);
      asked.destroy();
    };
    const stop = (): void => fail(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    asked.once('close', () => signal.removeEventListener('abort', stop));
    asked.on('error', () => reject(new Error('it could not be reached')));
    asked.once('response', (response) => {
      if (response.statusCode !== 200) {
        fail(new Error(`it answered with status ${String(response.statusCode)}`));
        return;
      }
      const chunks: Buffer[] = [];
      let length = 0;
      response.on('error', () => reject(new Error('its answer broke off')));
      response.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length > mostAnswer) fail(new Error('it wrote too much'));
        else chunks.push(chunk);
      });
      response.once('end', () => {
        if (response.complete) resolve(Buffer.concat(chunks).toString('utf8'));
        else reject(new Error('its answer broke off'));
      });
      response.once('aborted', () => reject(new Error('its answer broke off')));
    });
    asked.end(question);
  });
}
