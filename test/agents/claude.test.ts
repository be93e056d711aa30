import { testRealAgent } from './support/matrix.ts';
import { claude } from './support/programs/claude.ts';

testRealAgent(claude);
