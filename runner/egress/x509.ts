/** Makes certificates. A tenth of a second to load and a megabyte, so only who makes one imports it. */

import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

x509.cryptoProvider.set(webcrypto);

export * from '@peculiar/x509';
