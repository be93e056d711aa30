import { testRealAgent } from './support/matrix.ts';
import { pi } from './support/programs/pi.ts';

testRealAgent(pi);
