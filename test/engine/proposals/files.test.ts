import { describe, expect, it } from 'vitest';
import { decide } from '../../../shared/engine/decide/decide.ts';
import { propose, withRules } from '../../../shared/engine/proposals/propose.ts';
import { analyserOn } from '../../support/machine.ts';
import { allow, cwd, inputFor } from '../../support/stages.ts';

type Files = Readonly<Record<string, string>>;

const programs = 'docker docker-compose helm podman devcontainer vagrant tox jq gradle nft'
  .split(' ')
  .map((name) => [`/usr/bin/${name}`, '\u007fELF'] as const);

async function situation(command: string, files: Files) {
  const there = Object.entries(files).map(([path, text]) => [
    path.startsWith('/') ? path : `${cwd}/${path}`,
    text,
  ]);
  const analyse = await analyserOn(Object.fromEntries([...programs, ...there]));
  return inputFor(analyse(command), { request: { command } });
}

/** What an answer of exactly these words covers: whether it is still allowed with other files. */
async function remembered(command: string, before: Files, after: Files = before) {
  const input = await situation(command, before);
  const proposal = propose(input, decide(input)).find(({ scope }) => scope === 'exact');
  if (proposal === undefined) return 'not offered';
  const answered = {
    ...proposal,
    rules: proposal.rules.map((rule) => ({ ...rule, source: 'allow-always' })),
  };
  expect(decide(withRules(input, answered.rules)).decision).toBe('allow');
  const now = await situation(command, { ...before, ...after });
  return decide(withRules(now, answered.rules)).decision;
}

const plain = 'services: { web: { image: a } }\n';
const root = 'services: { web: { image: a, privileged: true } }\n';

describe('an "always" for a compose file that hands over the machine', () => {
  it.each([
    ['docker compose up -d', 'compose.yaml'],
    ['docker-compose up', 'docker-compose.yml'],
    ['podman compose up', 'compose.yml'],
    ['docker compose -f dev.yml up', 'dev.yml'],
    ['docker compose -f compose.yaml -f dev.yml up --build', 'dev.yml'],
    ['docker compose run web npm test', 'compose.yaml'],
    ['docker compose --env-file dev.vars up', 'dev.vars'],
    ['docker compose up', 'compose.override.yaml'],
    ['docker compose up', '.env'],
  ])('ends with what it says: %s, %s', async (command, changed) => {
    const before = { 'compose.yaml': root, 'dev.yml': root, 'dev.vars': 'A=1', '.env': 'A=1' };
    const there = { ...before, [changed]: before[changed as keyof typeof before] ?? root };
    expect(await remembered(command, there)).toBe('allow');
    const other = { [changed]: /env|vars/.test(changed) ? 'A=2' : `${root}# changed\n` };
    expect(await remembered(command, there, other)).toBe('ask');
  });

  it('is not given before: an answer while it hands over nothing ends when it does', async () => {
    expect(await remembered('docker compose up -d', { 'compose.yaml': plain })).toBe('allow');
    const image = { 'compose.yaml': 'services: { web: { image: b } }\n' };
    expect(await remembered('docker compose up -d', { 'compose.yaml': plain }, image)).toBe(
      'allow',
    );
    for (const text of [root, 'include: [x.yaml]\n', 'services: { web: {'])
      expect(
        await remembered(
          'docker compose up -d',
          { 'compose.yaml': plain },
          { 'compose.yaml': text, 'x.yaml': root },
        ),
      ).toBe('ask');
  });

  it.each([
    ['include: [more.yaml]', 'more.yaml'],
    ['include: [{ path: [more.yaml], env_file: inc.env }]', 'inc.env'],
    ['include: [sub/more.yaml]', 'sub/base.yaml'],
    ['services: { web: { extends: { file: more.yaml, service: web } } }', 'more.yaml'],
    ['services: { web: { image: a, pid: host, env_file: [{ path: web.env }] } }', 'web.env'],
    ['services: { web: { build: ., pid: host } }', 'Dockerfile'],
    ['services: { web: { build: { context: sub, dockerfile: D }, pid: host } }', 'sub/D'],
    ['services: { web: { provider: { type: ./start.sh } } }', 'start.sh'],
  ])('ends with what that file takes in: %s', async (text, changed) => {
    const files = {
      'compose.yaml': text,
      'more.yaml': plain,
      'sub/more.yaml': 'services: { web: { extends: { file: base.yaml, service: web } } }\n',
      'sub/base.yaml': plain,
      ...Object.fromEntries(
        'inc.env web.env Dockerfile sub/D start.sh'.split(' ').map((name) => [name, 'A=1']),
      ),
    };
    expect(await remembered('docker compose up', files)).toBe('allow');
    expect(await remembered('docker compose up', files, { [changed]: root })).toBe('ask');
  });

  it.each([
    'include: ["${MORE}"]',
    'include: [https://evil.example/compose.yaml]',
    'include: [{ path: more.yaml, project_directory: .. }]',
    'services: { web: { build: "${WHERE}", pid: host } }',
    'services: [',
  ])('is not offered where it cannot be held to all of it: %s', async (text) => {
    expect(
      await remembered('docker compose up', { 'compose.yaml': text, 'more.yaml': plain }),
    ).toBe('not offered');
  });

  it('is not offered behind or beside what may change it', async () => {
    for (const line of [
      'cp a compose.yaml && docker compose up',
      'tee compose.yaml | docker compose up',
    ])
      expect(await remembered(line, { 'compose.yaml': root, a: root })).toBe('not offered');
  });

  it('by hand may cover whatever the file says', async () => {
    const input = await situation('docker compose up -d', { 'compose.yaml': root });
    const rules = [allow('docker', ['compose', 'up', '-d'])];
    expect(decide(withRules(input, rules)).decision).toBe('allow');
  });
});

describe('an "always" for words that name files by which a program goes', () => {
  it.each([
    ['sed -f x.sed a.csv', 'x.sed'],
    ['sed -n --file=x.sed a.csv', 'x.sed'],
    ['jq -f x.jq a.json', 'x.jq'],
    ['make -f x.mk', 'x.mk'],
    ['cmake -P x.cmake', 'x.cmake'],
    ['gradle -I x.gradle build', 'x.gradle'],
    ['psql -f x.sql', 'x.sql'],
    ['mysql --defaults-file=x.cnf -e "select 1"', 'x.cnf'],
    ['git bisect run ./x.sh', 'x.sh'],
    ['wget -i x.txt', 'x.txt'],
    ['nft -f x.nft', 'x.nft'],
    ['kubectl apply -f x.yaml', 'x.yaml'],
    ['kubectl apply -f k8s', 'k8s/deep/a.yaml'],
    ['kubectl apply -k k8s', 'k8s/kustomization.yaml'],
    ['helm upgrade web ./chart -f x.yaml', 'x.yaml'],
    ['helm upgrade web ./chart', 'chart/templates/a.yaml'],
    ['ansible-playbook site.yml', 'site.yml'],
    ['vagrant up', 'Vagrantfile'],
    ['tox', 'tox.ini'],
    ['devcontainer up', '.devcontainer/devcontainer.json'],
    ['docker buildx bake', 'docker-bake.hcl'],
  ])('ends with what they say: %s', async (command, changed) => {
    const files = {
      'a.csv': '1',
      'a.json': '{}',
      'k8s/a.yaml': 'x',
      'chart/Chart.yaml': 'x',
      [changed]: 'before',
    };
    expect(await remembered(command, files)).toBe('allow');
    expect(await remembered(command, files, { [changed]: 'after' })).toBe('ask');
  });

  it.each([
    ['sed -f x.sed a.csv', { 'a.csv': '2' }],
    ['make test', { Makefile: 'test:\n\tnpm test\n' }],
    ['pytest -c x.ini', { 'x.ini': '2' }],
  ])('holds for other data, and for what the project is: %s', async (command, after) => {
    const files = { 'a.csv': '1', 'x.sed': 'p', Makefile: 'test:\n', 'x.ini': '1' };
    expect(await remembered(command, files, after)).toBe('allow');
  });

  it('is not offered for more than can be held', async () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`k8s/${at}.yaml`, '']));
    expect(await remembered('kubectl apply -f k8s', many)).toBe('not offered');
    expect(await remembered('psql -f x.sql', { 'x.sql': ' '.repeat(70_000) })).toBe('not offered');
  });

  it('says which files those are', async () => {
    const input = await situation('kubectl apply -f x.yaml', { 'x.yaml': 'a' });
    const [exact] = propose(input, decide(input));
    expect(exact?.sentence).toContain(`as long as ${cwd}/x.yaml does not change`);
  });
});
