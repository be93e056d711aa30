import { testRealAgent } from './support/matrix.ts';
import { droid } from './support/programs/droid.ts';

testRealAgent(droid);
