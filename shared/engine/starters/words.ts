import { folderMark } from './types.ts';

/**
 * How projects call what tests, builds, checks and formats them. A name that no script has can be a
 * program (`yarn run node`), or print the environment (`npm run env`).
 */
export const scripts =
  'test build lint format fmt check type types typecheck dev start watch preview e2e unit bench coverage clean docs prettier eslint tsc vitest storybook ci'
    .split(' ')
    .flatMap((name) => [name, `${name}[:-]*`]);

/** Tasks of Gradle that stay on this machine, in any part of the project. */
const gradleTask =
  '(?::?[\\w-]+:)*:?(?:test|build|check|assemble|clean|classes|jar|bootJar|javadoc|dependencies|dependencyInsight|projects|tasks|help|(?:compile|process|lint|spotless|checkstyle|pmd|spotbugs|detekt|ktlint|jacoco|kover|dokka|ktfmt)[A-Za-z]*|assemble[A-Z]\\w*Debug|assembleDebug|bundleDebug|test\\w*UnitTest|buildEnvironment|sourceSets|installDist|distZip|apiCheck|outgoingVariants|(?:integration|unit|functional|debugUnit|releaseUnit)Test|testClasses)';
export const gradleWords = `^(?:(?:${gradleTask}|-q|--quiet|-i|--info|-s|--stacktrace|--continue|--parallel|--offline|--no-daemon|--console=plain|--rerun-tasks|--build-cache|--no-build-cache|--all|--tests [\\w.*$]+|--dependency [\\w.:-]+|--stop|-m|--dry-run|--warning-mode \\w+|--max-workers[= ]\\d+|--configuration-cache|--no-configuration-cache|--refresh-dependencies|--full-stacktrace|-S|-w|--warn|--configuration \\w+|--task \\w+|--version|--status|(?:-x|--exclude-task) ${gradleTask})(?: |$))+$`;

/** Goals of Maven that stay on this machine, and options that choose parts of the project. */
export const mavenWords =
  '^(?:(?:-[qBoeXV]|-ntp|-am|-amd|-fae|-ff|--batch-mode|--quiet|--offline|-DskipTests(?:=true|=false)?|-DskipITs|-DfailIfNoTests=false|-Dsurefire\\.failIfNoSpecifiedTests=false|-Dmaven\\.test\\.skip(?:=true)?|-Dincludes=[\\w.:*,-]+|-Dverbose|-fn|--fail-at-end|--no-transfer-progress|help:active-profiles|versions:display-(?:dependency|plugin)-updates|-Dtest=[\\w.*#$+]+|(?:-T|--threads) [\\d.C]+|(?:-pl|--projects) [\\w:,-]+(?:/[\\w:,-]+)*|clean|validate|compile|test|test-compile|package|verify|integration-test|dependency:tree|dependency:analyze|dependency:list|spotless:check|spotless:apply|checkstyle:check|surefire:test)(?: |$))+$';

/** A path below the folder where a command runs, without a way out and without hidden folders. */
export const insidePath = `(?:${folderMark}/)?\\w[\\w-]*(?:[.+][\\w-]+)*(?:/\\w[\\w-]*(?:[.+][\\w-]+)*)*/?`;

/** Ends of names of texts and data that may lie in /tmp for a while: nothing that is run, or steers. */
export const forAWhile =
  'log txt out err json jsonl md csv tsv diff patch html xml sql bak orig old new prof pprof trace png jpg jpeg gif webp svg pdf zip tar gz tgz'.split(
    ' ',
  );
