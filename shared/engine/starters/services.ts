import type { StarterRule } from './types.ts';

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
];
