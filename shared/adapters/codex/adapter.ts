import type { HostAdapter } from '../types.ts';
import { answer } from './answer.ts';
import { read } from './read.ts';

/** Codex: its hooks `PreToolUse` and `SessionEnd`. */
export const codexAdapter: HostAdapter = { host: 'codex', rewrites: true, read, answer };
