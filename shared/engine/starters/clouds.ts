import type { StarterRule } from './types.ts';

const name = '[A-Za-z0-9][\\w.:-]*';
const option = (words: string): string => `(?: (?:${words}))*`;

/** What lies at a service of Amazon, apart from what holds keys, start scripts or variables. */
const amazon =
  'ec2 describe-(?:instances|instance-status|subnets|vpcs|route-tables|security-groups|availability-zones|regions|volumes|snapshots|network-interfaces|nat-gateways)|elbv2 describe-(?:load-balancers|target-groups|target-health|listeners)|rds describe-db-(?:instances|clusters)|ecs (?:list|describe)-(?:clusters|services)|eks (?:list|describe)-cluster|eks list-clusters|s3 ls|s3api list-buckets|lambda list-layers|logs describe-log-groups|cloudwatch describe-alarms|route53 list-hosted-zones|sqs list-queues|sns list-topics|iam list-(?:users|roles|policies)';
const amazonOptions = option(
  `--(?:region|output|color) [\\w-]+|--(?:query|filters?) (?:[^-\\s][^\\s]*)|--[a-z-]+-(?:ids?|names?|arns?|identifier) ${name}|--(?:max-items|page-size) \\d+|--no-paginate|--no-cli-pager|--human-readable|--summarize|s3://${name}(?:/[\\w./=-]*)?`,
);

const google = `(?:config (?:list|configurations list)|projects (?:list|describe ${name})|compute (?:instances|networks|zones|regions|disks|firewall-rules) list|container clusters list|run services list|services list|sql instances list|storage buckets list)`;
const googleOptions = option(
  `--(?:project|region|zone|limit|account)[= ]${name}|--format[= ][\\w(),.:]+|--filter[= ][\\w.:=~*-]+`,
);

const microsoft =
  '(?:account (?:show|list)|group (?:list|show)|vm list|aks list|network vnet list|resource list)';
const microsoftOptions = option(
  `(?:-o|--output) (?:table|json|tsv|yaml|none)|--query [^-@\\s][^\\s]*|(?:-n|--name|-g|--resource-group|--subscription) ${name}`,
);

const reads = { only: 'reads', changes: 'nothing' } as const;

/** What lies at the services of clouds is listed, as far as that shows no keys and no settings with them. */
export const clouds: readonly StarterRule[] = [
  {
    name: 'cloud-amazon',
    why: 'It lists what lies at Amazon; keys, start scripts and variables of programs are not covered.',
    pattern: 'aws',
    argPattern: `^(?:${amazon})${amazonOptions}$`,
    ...reads,
    examples: {
      match: [
        'aws ec2 describe-instances --output table',
        'aws s3 ls s3://logs/app/',
        'aws ec2 describe-subnets --filters Name=vpc-id,Values=vpc-0a1b --output text',
      ],
      noMatch: [
        'aws ec2 terminate-instances --instance-ids i-1',
        'aws ec2 describe-instance-attribute --attribute userData --instance-id i-1',
        'aws ec2 describe-instances --endpoint-url http://evil.example',
        'aws ec2 describe-instances --cli-input-json file://x',
        'aws ec2 describe-instances --filters file:///etc/shadow',
        'aws secretsmanager get-secret-value --secret-id x',
        'aws ssm get-parameter --name x',
        'aws lambda list-functions',
        'aws lambda get-function --function-name x',
        'aws s3 rm s3://logs --recursive',
        'aws s3 presign s3://logs/a',
        'aws s3 cp s3://logs/a .',
      ],
    },
  },
  {
    name: 'cloud-google',
    why: 'It lists what lies at Google; keys and variables of programs are not covered.',
    pattern: 'gcloud',
    argPattern: `^${google}${googleOptions}$`,
    ...reads,
    examples: {
      match: ['gcloud config list', 'gcloud projects list --format=json'],
      noMatch: [
        'gcloud auth print-access-token',
        'gcloud compute instances delete web-1',
        'gcloud compute instances describe web-1',
        'gcloud functions describe x',
        'gcloud secrets versions access 1 --secret=x',
        'gcloud projects list --flags-file=x.yaml',
        'gcloud projects list --impersonate-service-account=x',
        'gcloud config set project x',
      ],
    },
  },
  {
    name: 'cloud-microsoft',
    why: 'It lists what lies at Microsoft; keys and settings of programs are not covered.',
    pattern: 'az',
    argPattern: `^${microsoft}${microsoftOptions}$`,
    ...reads,
    examples: {
      match: ['az account show', 'az group list -o table'],
      noMatch: [
        'az account get-access-token',
        'az keyvault secret show -n x',
        'az webapp config appsettings list -n x',
        'az storage account keys list -n x',
        'az group delete -n x',
        'az group list --query @/etc/shadow',
      ],
    },
  },
];
