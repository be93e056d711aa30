import type { HostAdapter } from '../types.ts';
import { answer } from './answer.ts';
import { read } from './read.ts';

/** Gemini CLI: its hooks `BeforeTool` and `SessionEnd`. */
export const geminiAdapter: HostAdapter = { host: 'gemini', rewrites: true, read, answer };
