import type { EgressPreset } from './config.ts';

/**
 * Hosts that a build asks for: registries of packages, where code is kept, and where both keep what
 * they hand out. Some of them take what anybody sends (a repository, a package): what an agent can
 * read it can put there, if it has an account.
 */
export const presetHosts: Readonly<Record<EgressPreset, readonly string[]>> = {
  trusted: [
    // Node
    'registry.npmjs.org',
    'registry.yarnpkg.com',
    'repo.yarnpkg.com',
    'npm.jsr.io',
    'jsr.io',
    'deno.land',
    'nodejs.org',
    // Python
    'pypi.org',
    'files.pythonhosted.org',
    'conda.anaconda.org',
    'repo.anaconda.com',
    // Rust, Go, Ruby, PHP, Elixir
    'crates.io',
    'static.crates.io',
    'index.crates.io',
    'static.rust-lang.org',
    'proxy.golang.org',
    'sum.golang.org',
    'go.dev',
    'rubygems.org',
    'index.rubygems.org',
    'packagist.org',
    'repo.packagist.org',
    'hex.pm',
    'repo.hex.pm',
    // Java, .NET, Dart
    'repo.maven.apache.org',
    'repo1.maven.org',
    'plugins.gradle.org',
    'services.gradle.org',
    'api.nuget.org',
    'pub.dev',
    // Systems
    'deb.debian.org',
    'security.debian.org',
    'archive.ubuntu.com',
    'security.ubuntu.com',
    'ports.ubuntu.com',
    'dl-cdn.alpinelinux.org',
    'formulae.brew.sh',
    // Code
    'github.com',
    'api.github.com',
    'codeload.github.com',
    'raw.githubusercontent.com',
    'objects.githubusercontent.com',
    'release-assets.githubusercontent.com',
    'gitlab.com',
    'bitbucket.org',
    'codeberg.org',
  ],
};
