import { describe, expect, it } from 'vitest';
import { fakeFiles, type FakeEntry } from '../plan/support/fake-files.ts';
import { analyse, machineFiles, workspace } from '../plan/support/machine.ts';

const file = `${workspace}/compose.yaml`;

function judged(
  command: string,
  text: string | null,
  more: Readonly<Record<string, FakeEntry>> = {},
): { readonly level: string; readonly reason: string } {
  const files = fakeFiles({
    ...machineFiles,
    ...(text === null ? {} : { [file]: { text } }),
    ...more,
  });
  const analysis = analyse(command, { files, home: '/home/ann' });
  if (!analysis.ok) return { level: 'opaque', reason: analysis.reason };
  const trust = analysis.plan.stages.at(-1)?.trust;
  return {
    level: trust?.level ?? 'none',
    reason: trust !== undefined && 'reason' in trust ? trust.reason : '',
  };
}

const usual = `
name: shop
x-shared: &shared
  restart: unless-stopped
  logging: { driver: json-file }
services:
  web:
    <<: *shared
    build: { context: ., dockerfile: docker/Dockerfile, args: { TAG: "\${TAG:-dev}" } }
    ports: ["\${PORT:-3000}:3000"]
    volumes: [".:/app", "modules:/app/node_modules", "/app/.cache"]
    env_file: .env.example
    depends_on: { db: { condition: service_healthy } }
    develop: { watch: [{ action: sync, path: ./src, target: /app/src }] }
  db:
    image: postgres:16
    environment: { POSTGRES_PASSWORD: dev }
    healthcheck: { test: ["CMD", "pg_isready"] }
    volumes: [{ type: volume, source: data, target: /var/lib/postgresql/data }]
    deploy: { resources: { limits: { memory: 512M } } }
volumes: { modules: , data: {} }
networks: { default: { driver: bridge } }
secrets: { key: { file: ./dev.key } }
`;

const one = (settings: string): string => `services:\n  web:\n    image: a\n    ${settings}\n`;

describe('a compose file says what the options of docker run say', () => {
  it.each([
    'docker compose up -d',
    'docker compose -f compose.yaml up --build',
    'docker-compose up',
    'docker compose build web',
    'docker compose pull',
    'cd sub && docker compose ps',
  ])('that asks for nothing of this machine is no reason to ask: %s', (command) => {
    expect(judged(command, usual)).toEqual({ level: 'open', reason: '' });
  });

  it.each([
    ['privileged: true', 'gives the rights of this machine'],
    ['privileged: "yes"', 'gives the rights of this machine'],
    ['volumes: ["/:/host"]', 'hands over /,'],
    ['volumes: ["/var/run/docker.sock:/s"]', 'hands over /var/run/docker.sock,'],
    ['volumes: ["..:/up"]', 'hands over ..,'],
    ['volumes: ["~:/home"]', 'hands over ~,'],
    ['volumes: ["~/.ssh:/keys:ro"]', 'hands over ~/.ssh,'],
    ['volumes: ["./elsewhere:/x"]', 'hands over ./elsewhere,'],
    ['volumes: ["$ANY:/x"]', 'by a variable'],
    ['volumes: ["${ANY}"]', 'by a variable'],
    ['volumes: [{ type: bind, source: /etc, target: /x }]', 'hands over /etc,'],
    ['volumes: [{ type: npipe, source: a, target: b }]', 'not understood'],
    ['volumes: [{ type: volume, source: /etc, target: /x }]', 'not understood'],
    ['env_file: /home/ann/.aws/credentials', 'hands over'],
    ['env_file: [{ path: ../.env, required: false }]', 'hands over'],
    ['network_mode: host', 'shares the network'],
    ['network_mode: "${MODE}"', 'shares the network'],
    ['pid: host', 'sees the processes'],
    ['ipc: host', 'shares memory'],
    ['cgroup: host', 'shares the groups'],
    ['userns_mode: host', 'sets userns_mode'],
    ['cap_add: [SYS_ADMIN]', 'sets cap_add'],
    ['devices: ["/dev/sda:/dev/sda"]', 'sets devices'],
    ['device_cgroup_rules: ["b *:* rmw"]', 'sets device_cgroup_rules'],
    ['security_opt: [seccomp:unconfined]', 'loosens'],
    ['group_add: [docker]', 'sets group_add'],
    ['runtime: /tmp/evil', 'sets runtime'],
    ['cgroup_parent: /', 'sets cgroup_parent'],
    ['use_api_socket: true', 'sets use_api_socket'],
    ['credential_spec: { file: x }', 'sets credential_spec'],
    ['volumes_from: ["container:other"]', 'sets volumes_from'],
    ['post_start: [{ command: id, privileged: true }]', 'sets post_start'],
    ['logging: { driver: syslog }', 'sends what it prints'],
    ['deploy: { resources: { reservations: { devices: [{ driver: cdi }] } } }', 'gives devices'],
    ['build: /', 'hands over /,'],
    ['build: https://evil.example/a.git', 'takes what lies elsewhere'],
    ['build: { context: ., privileged: true }', 'sets privileged'],
    ['build: { context: ., entitlements: [security.insecure] }', 'sets entitlements'],
    ['build: { context: ., ssh: [default] }', 'sets ssh'],
    ['build: { context: ., network: host }', 'in the network of this machine'],
    ['build: { context: ., dockerfile: ../../Dockerfile }', 'hands over'],
    ['build: { context: ., additional_contexts: { home: /home/ann } }', 'hands over /home/ann,'],
    ['build: { context: ., additional_contexts: ["home=~"] }', 'hands over ~,'],
    ['develop: { watch: [{ action: sync, path: /etc, target: /x }] }', 'hands over /etc,'],
    ['provider: { type: ./evil.sh }', 'starts a program of this machine'],
    ['extends: { file: ../other.yaml, service: x }', 'takes in another file'],
    ['something_new: 1', 'sets something_new'],
  ])('that asks for more is pinned, and the reason says for what: %s', (settings, why) => {
    const { level, reason } = judged('docker compose up -d', one(settings));
    expect(level).toBe('pinned');
    expect(reason).toContain(why);
    expect(reason).toMatch(/^compose\.yaml .*web/);
  });

  it.each([
    ['volumes: { v: { driver_opts: { type: none, o: bind, device: / } } }', 'hands over /,'],
    ['volumes: { v: { driver: evil } }', 'by a program of its own'],
    ['networks: { n: { external: true, name: host } }', 'reaches the network'],
    ['networks: { host: { external: true } }', 'reaches the network'],
    ['networks: { n: { driver: macvlan } }', 'reaches the network'],
    ['secrets: { k: { file: ~/.ssh/id_rsa } }', 'hands over'],
    ['configs: { c: { file: /etc/shadow } }', 'hands over'],
    ['include: [other.yaml]', 'takes in other files'],
    ['models: { m: {} }', 'sets models'],
  ])('also in what services share: %s', (settings, why) => {
    const text = `services: { web: { image: a } }\n${settings}\n`;
    const { level, reason } = judged('docker compose up', text);
    expect(level).toBe('pinned');
    expect(reason).toContain(why);
  });

  it.each([
    'services: [',
    'services: { web: { image: a } }\nservices: { web: { privileged: true } }',
    '- a',
    'services: { web: !override { image: a, privileged: true } }',
    `a: &a [${'x,'.repeat(50)}]\nb: ${'[*a,'.repeat(60)}${']'.repeat(60)}`,
    'x'.repeat(70_000),
  ])('that is not surely understood is pinned: %#', (text) => {
    expect(judged('docker compose up', text).level).toBe('pinned');
  });

  it('is found as compose finds it, by each of its names and in the folders above', () => {
    const bad = { text: one('privileged: true') };
    for (const name of ['compose.yml', 'docker-compose.yaml', 'docker-compose.yml'])
      expect(judged('docker compose up', null, { [`${workspace}/${name}`]: bad }).level).toBe(
        'pinned',
      );
    expect(
      judged('docker compose up', usual, { [`${workspace}/compose.override.yml`]: bad }).level,
    ).toBe('pinned');
    expect(judged('cd sub/deep && docker compose up', one('privileged: true')).level).toBe(
      'pinned',
    );
    expect(judged('docker compose up', null).reason).toContain('no compose file');
  });

  it('goes by what .env says, too', () => {
    const env = (text: string) => ({ [`${workspace}/.env`]: { text } });
    expect(judged('docker compose up', usual, env('TAG=1\nCOMPOSE_PROJECT_NAME=a\n')).level).toBe(
      'open',
    );
    for (const line of ['COMPOSE_FILE=/tmp/x.yml', 'export DOCKER_HOST=tcp://evil'])
      expect(judged('docker compose up', usual, env(`A=1\n${line}\n`)).level).toBe('pinned');
  });

  it('is not taken as it stands where the same command may change it first', () => {
    expect(judged('cp a.txt compose.yaml && docker compose up', usual).level).toBe('pinned');
    expect(judged('tee compose.yaml < a.txt | docker compose up', usual).level).toBe('pinned');
  });
});
