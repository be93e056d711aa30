import { testRealAgent } from './support/matrix.ts';
import { kilo } from './support/programs/kilo.ts';

testRealAgent(kilo);
