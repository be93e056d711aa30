import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ownUid } from '../../../shared/home/index.ts';
import { accessOf } from '../../../runner/fleet/files.ts';
import { createFleet, serverConfig } from '../../../runner/fleet/keys.ts';
import { connectFleet } from '../../../runner/fleet/streams.ts';
import { natsServer } from '../../support/nats-server.ts';
import { nodesHome } from '../../support/nodes-home.ts';
import { freePort, hasNatsServer } from '../../support/servers.ts';

it.skipIf(!hasNatsServer).each([
  ['127.0.0.1', null],
  ['127.0.0.2', /altnames|certificate/u],
])('knows a nats-server by an address by its certificate: one of %s', async (address, refusal) => {
  const { paths } = nodesHome(null);
  const [key, certificate] = [`${paths.home}/key.pem`, `${paths.home}/cert.pem`];
  const made = ['-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key];
  const names = ['-subj', '/CN=nats', '-addext', `subjectAltName=IP:${address},DNS:other`];
  const words = ['req', '-x509', ...made, '-out', certificate, ...names];
  execFileSync('openssl', words, { stdio: 'ignore' });
  const servers = [`tls://127.0.0.1:${await freePort()}`];
  const ca = readFileSync(certificate, 'utf8');
  const fleet = createFleet(paths.fleet, {
    uid: ownUid(),
    name: 'test',
    now: Date.now(),
    servers,
    ca,
  });
  const config = serverConfig(fleet)
    .replace('/etc/nats/server.pem', certificate)
    .replace('/etc/nats/server-key.pem', key);
  await natsServer(config);
  const reached = await connectFleet(accessOf(fleet)).then(
    async (connection) => connection.close(),
    (error: unknown) => String(error),
  );
  if (refusal === null) expect(reached).toBeUndefined();
  else expect(reached).toMatch(refusal);
});
