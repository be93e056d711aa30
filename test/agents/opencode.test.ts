import { testRealAgent } from './support/matrix.ts';
import { opencode } from './support/programs/opencode.ts';

testRealAgent(opencode);
