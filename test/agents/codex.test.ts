import { testRealAgent } from './support/matrix.ts';
import { codex } from './support/programs/codex.ts';

testRealAgent(codex);
