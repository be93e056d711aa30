import type { HostAdapter } from '../types.ts';
import { answer } from './answer.ts';
import { read } from './read.ts';

/** Claude Code: its hooks `PreToolUse` and `SessionEnd`. */
export const claudeAdapter: HostAdapter = { host: 'claude', rewrites: true, read, answer };
