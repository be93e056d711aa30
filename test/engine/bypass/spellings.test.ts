import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Analysis } from '../../../shared/engine/plan/types.ts';
import { analyserOn } from '../../support/machine.ts';
import { allow, cwd, home, verdictOn } from '../../support/stages.ts';

const fixture = (name: string): readonly string[] =>
  readFileSync(new URL(`../../fixtures/bypass/${name}`, import.meta.url), 'utf8').split('\n');
const lines = [...fixture('spellings.txt'), ...fixture('disclosing.txt'), ...fixture('manuals.txt')]
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => (line.startsWith('curl') ? line : line.replaceAll('\\n', '\n')));

/** The same programs as they are used all day. */
const everyday = `git log --oneline -5|git diff --stat|git commit -m x|git -C sub status
  sed -n 1,5p a|sed -n 's/a/b/gp' a|sed -n '/x/,/y/p' a|sed -n '$=' a|tar tf a.tar
  tar czf a.tgz src|find . -name '*.ts'|find . -type f -exec grep -l x {} +|find src -maxdepth 2 -newer a
  cp a b|cp -r src dist|mv a b|curl -sSL https://h/x|curl -o x https://h|sort -u a|rg -n foo src
  head -5 a|tail -n +3 a|cut -d: -f1 a|ls -la|rm -f a|mkdir -p x/y|wc -l a|cat a b|grep -rn foo src
  NODE_ENV=test npm test|BUILD_DIR=dist npm run build|CI=1 npm test|OUT_FILE=out/x.json npm run build
  npm i react@^18.2.0 @types/node@latest|npm i ./packages/a|npm i @scope/a@1.x|npm i -D vitest@~2.1
  yarn add left-pad|pnpm add -D @types/node@20|bun add zod|pip install 'requests[socks]>=2.31,<3'
  pip install foo==1.0.* bar~=2.0|pip install -r requirements.txt|pip install -e .|uv add httpx
  cargo add serde|go install ./cmd/x|go get example.com/x@latest|poetry add httpx@^0.27
  curl -d @body.json http://localhost:3000/x|grep -rn foo --include='*.ts' src
  rg -g '*.ts' foo|rg -g '!.env' foo|find . -name '*.ts' -exec grep -l x {} +
  git remote -v|kubectl get pods|kubectl get secrets
  kubectl get secrets -o wide|kubectl get -o name secrets|kubectl describe pod x|printenv PATH|printenv HOME
  awk '{print $1, ENVIRON["HOME"]}' a|ps aux|ps -ef|ps -eo pid,comm|ps axo pid,etime|ps aux --sort -rss
  ps -u me|ps -C node|terraform output|terraform plan|aws sts get-caller-identity|aws logs tail /aws/lambda/x
  aws logs tail /x --since 1h|aws logs describe-log-groups --log-group-name-prefix /aws/x
  docker build --network none .|docker build --build-context x=docker-image://alpine .|docker load -i x.tar
  docker compose -f compose.yml up|docker inspect c|helm get notes x
  git pull|git pull origin main|git pull --rebase upstream|git fetch --all|git fetch origin main
  git fetch --multiple origin upstream|git archive -o out.tar HEAD|git archive HEAD --output=x.zip
  gpg --verify a.sig a|gpg --list-keys|openssl enc -e -in a|getent passwd me|systemctl show x -p MainPID
  psql -c 'select * from users'|vitest run src/a --changed=HEAD~1|jest --changedSince=main
  playwright test --only-changed=origin/main|turbo build --filter=web|make all|make build test
  cmake --build build -t app|ninja -C build|gradle build test|sbt test|git format-patch -1 --suffix=.txt
  npm i|pnpm install|pre-commit run --all-files|uv python list|install -m 755 a b|chmod +x a|chmod 644 a
  groff -man -Tutf8 a.1|ugrep -rn foo src|markdownlint docs|cspell src|mkdocs build|git config --get user.name
  git config --list|turbo run build --args=--verbose|wrangler dev`
  .split(/\||\n/)
  .map((line) => line.trim());

/** These change something beyond the project, or lose something: a rule has to say so. */
const telling =
  `git push|git push origin main|git push origin HEAD|git push --tags|git branch -D old|git reset --hard HEAD~1
  git clean -fdx|git checkout -- a|git checkout .|git restore a|git switch -f main|git stash drop|git stash clear
  kubectl apply -f k8s/x.yaml|kubectl delete pod x|kubectl scale deploy/x|kubectl rollout undo deploy/x
  kubectl config use-context x|docker compose down|docker system prune|docker rm -f c|docker restart c
  docker update --restart=always c|gh pr create -t x|gh pr merge 3|gh issue transfer 1 a/b|gh secret set X
  gh workflow run x|helm uninstall x|terraform apply|vercel deploy|pulumi up|brew uninstall x
  curl -X DELETE https://h/x|curl -d x=1 https://h|sqlite3 x.db 'drop table t'`
    .split(/\||\n/)
    .map((line) => line.trim());

let analyse: (command: string) => Analysis;

const programOf = (line: string): string => {
  const words = line.replace(/^(?:\w+=(?:'[^']*'|\S*) )*(?:env \S+ )?/, '').split(' ');
  return words[0] ?? '';
};
const names = new Set([...lines, ...everyday, ...telling].map(programOf));
const rules = [
  ...[...names].filter((name) => name !== 'sed').map((name) => allow(name, ['...'])),
  allow('sed', ['-n', '...']),
];

beforeAll(async () => {
  const programs = [...names].map((name) => [`/usr/bin/${name}`, '\u007fELF'] as const);
  analyse = await analyserOn({
    ...Object.fromEntries(programs),
    [`${cwd}/.git/HEAD`]: 'ref: refs/heads/main\n',
    [`${cwd}/.git/objects/x`]: '',
    [`${cwd}/.git/refs/x`]: '',
    [`${cwd}/.git/config`]: '',
    [`${cwd}/.git/hooks/x.sample`]: '',
    [`${home}/.interlock/exec-approvals.json`]: '{}',
    [`${home}/.ssh/id_rsa`]: '',
    [`${home}/.bashrc`]: '',
    [`${cwd}/a`]: 'x',
    [`${cwd}/compose.yml`]: 'services: { app: { image: a } }\n',
  });
});

function decision(command: string): string {
  return verdictOn(analyse(command), { rules, request: { command } }).decision;
}

describe('a rule for a program with any arguments, whatever the spelling', () => {
  it.each(lines)('does not cover %s', (line) => {
    expect(decision(line)).toBe('ask');
  });

  it.each(telling)('covers %s only where it says as much', (line) => {
    expect(decision(line)).toBe('ask');
    const analysis = analyse(line);
    const [stage] = analysis.ok ? analysis.plan.stages : [];
    const [name = '', ...words] = stage?.argv ?? [];
    const last = stage?.trust.level === 'spelled' ? Math.max(...stage.trust.words) : -1;
    const named = [...words.slice(0, last + 1).map((word) => word.replaceAll('*', '\\*')), '...'];
    const saying = { request: { command: line }, rules: [allow(name, named)] };
    expect(verdictOn(analysis, saying).decision).toBe('allow');
    const other = { request: { command: line }, rules: [allow(name, ['**', '...'])] };
    expect(verdictOn(analysis, other).decision).toBe('ask');
  });

  it.each(everyday)('covers %s', (line) => {
    expect(decision(line)).toBe('allow');
  });
});
