import type { StarterRule } from './types.ts';

const versioned =
  '{node,npm,pnpm,yarn,bun,deno,tsc,python,python3,pip,pip3,uv,poetry,ruff,mypy,pytest,black,rustc,cargo,rustup,go,gcc,g++,clang,cc,make,cmake,ninja,java,javac,mvn,gradle,ruby,gem,bundle,php,composer,dotnet,git,gh,docker,kubectl,helm,terraform,bash,jq,rg,curl,psql,sqlite3,eslint,prettier,shellcheck,jupyter,conda,mamba,duckdb,R,Rscript,julia,perl,lua,swift,kotlinc,scala,sbt,bazel,buf,zig,elixir,mix,ghc,cabal,stack,dart,flutter,ansible,vault,nginx,redis-cli,mysql,sed,awk,find,tar,openssl,ssh,rsync,wget,ffmpeg,pandoc,vite,vitest,jest,nx,turbo}';

const moreVersioned = [
  '{corepack,hadolint,tflint,k9s,kind,minikube,skaffold,aws,az,gcloud,spark-submit,pdm,hatch,pipx,pyenv,rbenv,nvm,fnm,volta,asdf,mise,rye,tox,nox,isort,flake8,pylint,pyright,coverage,golangci-lint,staticcheck,goimports,air,rustfmt,ctags,tmux,htop,fzf,fd,bat,exa,eza,delta,lazygit,tig,hub,glab,act,direnv,just,task,mage,meson,valgrind,gdb,lldb,strace,perf,phpunit,phpstan,psalm,pest,pint}',
  '{rspec,rubocop,rails,rake,irb,erl,iex,rebar3,gleam,ocaml,dune,msbuild,expo,ng,next,nuxt,astro,gatsby,webpack,rollup,esbuild,parcel,swc,babel,tsx,ts-node,nodemon,pm2,cypress,playwright,storybook,prisma,drizzle-kit,sequelize,knex,mongosh,mongo,mariadb,pg_dump,clickhouse,etcdctl,consul,nomad,packer,vagrant,podman,buildah,nerdctl,colima,multipass,ssh-keygen,gpg,sops,7z,zstd,xz,gzip,bzip2,gmake,ctest,cpack,clang-format,ccache}',
  '{west,buf,protoc,grpcurl,goreleaser,goose,jshell,iex,cppcheck,clang-tidy,clang++,iconv,http,httpie,xxd,tree,bc,gcov,celery,gunicorn,uvicorn,flask,django-admin,hyperfine,tokei,scc,cloc,sg,trivy,checkov,tflint,kustomize,kubeconform,flyctl,fly,vercel,netlify,wrangler,firebase,supabase,heroku,cap,xcodebuild,swiftlint,swiftformat,adb,emulator,sdkmanager,pandoc,mkdocs,sphinx-build,hugo,jekyll,typst,latexmk,dvc,snowsql,bq,duckdb}',
];

const versionExamples = [
  { match: ['corepack --version'], noMatch: ['corepack enable', 'aws s3 ls'] },
  { match: ['gzip --version'], noMatch: ['gzip a.txt', 'mysql -e x'] },
  { match: ['west --version'], noMatch: ['west flash', 'goreleaser release'] },
];

/** What says which version a program is. */
export const versions: readonly StarterRule[] = [
  {
    name: 'versions',
    why: 'They say which version they are and end.',
    pattern: versioned,
    args: [['--version', '-V']],
    changes: 'nothing',
    examples: { match: ['git --version'], noMatch: ['node --version x.js', 'make -v x'] },
  },
  ...moreVersioned.map((pattern, at): StarterRule => ({
    name: `versions-${String(at + 2)}`,
    why: 'They say which version they are and end.',
    pattern,
    args: ['--version'],
    changes: 'nothing',
    examples: versionExamples[at] ?? { match: [], noMatch: [] },
  })),
  {
    name: 'version-words',
    why: 'The same in their own spelling.',
    pattern: '{node,npm,pnpm,yarn,tsc,mvn,gradle,ruby,php,R,bundle,elixir,composer,rails,perl,lua}',
    args: ['-v'],
    changes: 'nothing',
    examples: { match: ['node -v'], noMatch: ['node -v x.js'] },
  },
  {
    name: 'version-java',
    why: 'The same for programs that have long names behind one dash.',
    pattern:
      '{java,javac,kotlinc,scala,terraform,ant,buf,helm,kustomize,goreleaser,golangci-lint,hugo,tofu,minikube,kind,flyctl,trivy,hadolint,oc,nomad,consul,xcodebuild}',
    args: [['-version', 'version']],
    changes: 'nothing',
    examples: { match: ['java -version'], noMatch: ['java -version -jar x.jar'] },
  },
];
