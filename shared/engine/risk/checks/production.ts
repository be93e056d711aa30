import { finding } from '../finding.ts';
import type { RiskCheck } from '../finding.ts';
import { operands } from '../options.ts';

/** Programs that act on services elsewhere, and the words that only look. */
const remote: Readonly<Record<string, RegExp>> = {
  kubectl: /^(?:get|describe|logs|top|explain|version|cluster-info|config|api-resources|diff)$/,
  helm: /^(?:list|status|get|history|show|template|lint|version|search|diff)$/,
  terraform: /^(?:plan|show|validate|fmt|output|state|version|providers|graph|init)$/,
  tofu: /^(?:plan|show|validate|fmt|output|state|version|providers|graph|init)$/,
  pulumi: /^(?:preview|stack|config|version|about)$/,
  ansible: /^$/,
  'ansible-playbook': /^$/,
  aws: /^(?:sts|configure|help)$/,
  gcloud: /^(?:config|info|version|help)$/,
  az: /^(?:account|version|help)$/,
  heroku: /^(?:logs|ps|apps|info|status|releases)$/,
  fly: /^(?:logs|status|apps|info)$/,
  flyctl: /^(?:logs|status|apps|info)$/,
  vercel: /^(?:ls|list|logs|inspect|whoami)$/,
  netlify: /^(?:status|logs)$/,
  ssh: /^$/,
  psql: /^$/,
  mysql: /^$/,
  mongosh: /^$/,
  'redis-cli': /^$/,
  serverless: /^(?:info|logs|print)$/,
  sls: /^(?:info|logs|print)$/,
  cap: /^$/,
  rails: /^(?:routes|test)$/,
  docker: /^(?:ps|images|logs|inspect|version|info)$/,
};

const productionWord = /(?:^|[^a-z])(?:prod|production|prd|live)(?:[^a-z]|$)/i;

export const checkProduction: RiskCheck = ({ name, args, assignments }) => {
  const looks = Object.hasOwn(remote, name) ? remote[name] : undefined;
  if (looks === undefined) return [];
  const command =
    operands(
      args,
      new Set(['-n', '--namespace', '--context', '-f', '--kube-context', '-chdir']),
    )[0] ?? '';
  const onlyLooks = looks.test(command);
  const settings = assignments
    .filter(({ value }) => productionWord.test(value))
    .map(({ value }) => value);
  const target = [
    ...args.filter((arg) => !/\s/.test(arg) && productionWord.test(arg)),
    ...settings,
  ][0];
  if (target !== undefined) {
    const verb = onlyLooks ? 'Looks at' : 'Acts on';
    return [
      finding(
        'production-target',
        onlyLooks ? 'low' : 'high',
        `${verb} what looks like production: ${target}.`,
        [target],
      ),
    ];
  }
  const destroys =
    /^(?:terraform|tofu|pulumi)$/.test(name) &&
    (command === 'destroy' ||
      args.includes('-auto-approve') ||
      args.includes('--auto-approve') ||
      args.includes('--yes'));
  return destroys
    ? [
        finding('production-target', 'high', 'Changes real services without asking again.', [
          command,
        ]),
      ]
    : [];
};
