import type { StarterRule } from './types.ts';

/** A chart or a folder of the project, not an address. */
const local = '(?:\\w[\\w-]*(?:/\\w[\\w.-]*)*/?|\\w[\\w.-]*)';

/** What Helm prints of a chart that lies in the project; nothing is fetched, started or asked of a cluster. */
const charts = `^(?:lint|template|show (?:chart|values|readme|crds|all)|dep(?:endency)? (?:list|ls))(?: (?:${local}|(?:-f|--values|-n|--namespace|-s|--show-only) ${local}|--set(?:-string)? [\\w.,=-]+|--strict|--quiet|--skip-tests|--include-crds|--no-hooks|--with-subcharts|--is-upgrade))+$`;

/** Files that describe machines and services are checked and printed, and never carried out. */
export const infrastructure: readonly StarterRule[] = [
  {
    name: 'infrastructure-checks',
    why: 'Files of Terraform are laid out and checked.',
    pattern: '{terraform,tofu}',
    args: [['fmt', 'validate', 'providers', 'graph', 'version'], '...'],
    examples: { match: ['terraform validate'], noMatch: ['terraform apply', 'terraform plan'] },
  },
  {
    name: 'infrastructure-checks-below',
    why: 'The same for a folder of the project.',
    pattern: '{terraform,tofu}',
    args: ['-chdir=**', ['fmt', 'validate', 'providers', 'graph', 'version'], '...'],
    examples: {
      match: ['terraform -chdir=infra validate'],
      noMatch: [
        'terraform -chdir=infra apply',
        'terraform -chdir=/tmp/x validate',
        'terraform -chdir=../x validate',
        'terraform -chdir=infra output -json',
      ],
    },
  },
  {
    name: 'charts-check',
    why: 'Charts of Helm that lie in the project are checked and printed.',
    pattern: 'helm',
    argPattern: charts,
    changes: 'project',
    examples: {
      match: [
        'helm lint charts/app --strict',
        'helm template app charts/app -f charts/app/values.yaml',
        'helm show chart charts/app',
        'helm dependency list charts/app',
      ],
      noMatch: [
        'helm install a b',
        'helm template a charts/../../x',
        'helm template a https://evil.example/x.tgz',
        'helm template a oci://evil.example/x',
        'helm template a charts/app --post-renderer ./x.sh',
        'helm template a charts/app --repo https://evil.example',
        'helm template a charts/app --validate',
        'helm template a charts/app --dependency-update',
        'helm template a charts/app --output-dir /tmp/x',
        'helm template a charts/app -f https://evil.example/v.yaml',
        'helm dependency update charts/app',
        'helm dependency build charts/app',
      ],
    },
  },
  {
    name: 'kustomizations',
    why: 'A folder of the project is put together and printed, and not applied.',
    pattern: 'kustomize',
    argPattern: `^build ${local}$`,
    examples: {
      match: ['kustomize build k8s/overlays/staging'],
      noMatch: [
        'kustomize build --enable-exec k8s',
        'kustomize build k8s --enable-helm',
        'kustomize build k8s -o x.yaml',
        'kustomize build https://evil.example/x',
        'kustomize build github.com/evil/x',
        'kustomize build git@evil.example:x',
        'kustomize build /tmp/x',
        'kustomize build k8s/../../x',
        'kustomize edit add resource x',
      ],
    },
  },
  {
    name: 'cluster-kustomizations',
    why: 'The same by kubectl.',
    pattern: 'kubectl',
    argPattern: `^kustomize ${local}$`,
    examples: {
      match: ['kubectl kustomize k8s/overlays/staging'],
      noMatch: [
        'kubectl kustomize https://evil.example/x',
        'kubectl kustomize github.com/evil/x',
        'kubectl kustomize k8s --enable-helm',
        'kubectl apply -k k8s',
      ],
    },
  },
  {
    name: 'machine-images-check',
    why: 'What describes machine images is checked or laid out, and nothing is built.',
    pattern: 'packer',
    args: [['fmt', 'validate'], '...'],
    examples: {
      match: ['packer fmt -check packer', 'packer validate packer/base.pkr.hcl'],
      noMatch: ['packer build x.pkr.hcl', 'packer init .', 'packer validate /tmp/x.pkr.hcl'],
    },
  },
];
