import type { Argument } from '../types.ts';
import { open, pinned, type Finding, type Judge } from './judge.ts';

/** Programs of many commands, of which some only look. The others are pinned. */
interface Service {
  /** Leading words that only look or ask. */
  readonly looks: RegExp;
  /** Options that choose settings or another place, or start something. */
  readonly risky?: RegExp;
  /** Options in front of the command that take an argument. */
  readonly valued?: RegExp;
  readonly why: string;
}

/** Builds, checks and tests a project, as other project tools do. */
const compiling = /^(?:build|check|fmt|test|vet|version|doc|docs|c|compile|ast-check|fetch)(?: |$)/;

const services: Readonly<Record<string, Service>> = {
  systemctl: {
    looks: /^(?:status|show|cat|is-\S+|list-\S+|get-default|help)(?: |$)/,
    risky: /^-(?:H|M|-host|-machine|-root|-image)/,
    why: 'systemctl starts, stops and changes services',
  },
  aws: {
    looks:
      /^(?:s3 (?:ls|cp|sync|mv|presign)|sts get|\S+ (?:describe|list|get|head|lookup|search|filter|batch-get)-|logs tail|help|configure list)/,
    risky: /^--(?:endpoint|profile=.*\/|ca-bundle|cli-input|no-verify|query-file)/,
    valued: /^--(?:region|profile|output|query|color|cli-read-timeout|cli-connect-timeout)$/,
    why: 'aws changes services and starts programs on other machines',
  },
  gcloud: {
    looks:
      /^(?:(?:(?:alpha|beta) )?(?:\S+ ){0,3}(?:list|describe|get-value|read|get-iam-policy|tail)(?: |$)|info|version|help)/,
    risky: /^--(?:ssh|scp|flags-file|configuration|impersonate|command)/,
    valued: /^--(?:project|region|zone|format|filter|limit|account)$/,
    why: 'gcloud changes services and starts programs on other machines',
  },
  az: {
    looks: /^(?:\S+ ){0,3}(?:list|show|version|help)(?: |$)/,
    why: 'az changes services and starts programs on other machines',
  },
  firebase: {
    looks:
      /^(?:projects:list|apps:list|functions:(?:list|log)|hosting:\S*list|help|--version)(?: |$)/,
    why: 'firebase runs commands and hooks of the project',
  },
  ip: {
    looks:
      /^(?:(?:-\S+ )*(?:a|addr|address|l|link|r|ro|route|n|neigh|rule|maddr)(?: (?:show|list|ls|get)\b.*)?$)/,
    risky: /^-(?:b|ba|n|net)/,
    why: 'ip runs commands in other namespaces and changes the network',
  },
  crystal: { looks: compiling, why: 'crystal runs code' },
  nim: { looks: compiling, why: 'nim runs code' },
  zig: { looks: compiling, why: 'zig runs code' },
  v: { looks: compiling, why: 'v runs code' },
  odin: { looks: compiling, why: 'odin runs code' },
  dmd: { looks: /^$/, why: 'dmd runs code' },
  rdmd: { looks: /^$/, why: 'rdmd runs code' },
  ldc2: { looks: /^$/, why: 'ldc2 runs code' },
};

export function serviceJudge(family: string): Judge | null {
  const service = Object.hasOwn(services, family) ? services[family] : undefined;
  return service === undefined ? null : (args) => judge(service, args);
}

function judge({ looks, risky, valued, why }: Service, args: readonly Argument[]): Finding {
  if (args.length === 0) return open;
  if (args.some(({ text }) => risky?.test(text) === true)) return pinned(why);
  const words = args.filter(
    ({ text }, index) =>
      !text.startsWith('-') && valued?.test(args[index - 1]?.text ?? '') !== true,
  );
  const line = words.map(({ text }) => text).join(' ');
  if (words.length === 0)
    return args.every(({ text }) => /^--?(?:version|help|h|v)$/i.test(text)) ? open : pinned(why);
  return looks.test(line) ? open : pinned(why);
}
