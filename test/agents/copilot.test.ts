import { testRealAgent } from './support/matrix.ts';
import { copilot } from './support/programs/copilot.ts';

testRealAgent(copilot);
