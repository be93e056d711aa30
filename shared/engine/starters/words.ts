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
  '(?::?[\\w-]+:)*:?(?:test|build|check|assemble|clean|classes|jar|bootJar|javadoc|dependencies|dependencyInsight|projects|tasks|help|(?:compile|process|lint|spotless|checkstyle|pmd|spotbugs|detekt|ktlint|jacoco)[A-Za-z]*|(?:integration|unit|functional|debugUnit|releaseUnit)Test|testClasses)';
export const gradleWords = `^(?:(?:${gradleTask}|-q|--quiet|-i|--info|-s|--stacktrace|--continue|--parallel|--offline|--no-daemon|--console=plain|--rerun-tasks|--build-cache|--no-build-cache|--all|--tests [\\w.*$]+|--configuration \\w+|--task \\w+|--version|--status|(?:-x|--exclude-task) ${gradleTask})(?: |$))+$`;

/** Goals of Maven that stay on this machine, and options that choose parts of the project. */
export const mavenWords =
  '^(?:(?:-[qBoeXV]|-ntp|-am|-amd|-fae|-ff|--batch-mode|--quiet|--offline|-DskipTests(?:=true|=false)?|-DskipITs|-Dtest=[\\w.*#$+]+|(?:-T|--threads) [\\d.C]+|(?:-pl|--projects) [\\w:,-]+(?:/[\\w:,-]+)*|clean|validate|compile|test|test-compile|package|verify|integration-test|dependency:tree|dependency:analyze|dependency:list|spotless:check|spotless:apply|checkstyle:check|surefire:test)(?: |$))+$';

/** A path below the folder where a command runs, without a way out and without hidden folders. */
export const insidePath = '\\w[\\w-]*(?:[.+][\\w-]+)*(?:/\\w[\\w-]*(?:[.+][\\w-]+)*)*/?';
