import type { StarterRule } from './types.ts';

/** Pages that tell how languages and tools are used. */
export const pages: readonly StarterRule[] = [
  {
    name: 'documentation',
    why: 'Pages on languages and tools at the sites of those who make them.',
    kind: 'fetch',
    pattern:
      'https://{docs.python.org,developer.mozilla.org,docs.rs,doc.rust-lang.org,pkg.go.dev,go.dev,nodejs.org,react.dev,vuejs.org,angular.dev,svelte.dev,vite.dev,vitest.dev,www.typescriptlang.org,eslint.org,prettier.io,playwright.dev,jestjs.io,tailwindcss.com,nextjs.org,pandas.pydata.org,numpy.org,scikit-learn.org,matplotlib.org,docs.scipy.org,docs.pytest.org,docs.djangoproject.com,fastapi.tiangolo.com,flask.palletsprojects.com,docs.pydantic.dev,docs.astral.sh,pytorch.org,docs.gradle.org,maven.apache.org,docs.oracle.com,docs.spring.io,kotlinlang.org,docs.ruby-lang.org,guides.rubyonrails.org,www.php.net,laravel.com,learn.microsoft.com,docs.swift.org,en.cppreference.com,cmake.org,www.gnu.org,git-scm.com,man7.org,docs.docker.com,kubernetes.io,helm.sh,developer.hashicorp.com,www.postgresql.org,www.sqlite.org,redis.io,nginx.org,docs.github.com,docs.gitlab.com,docs.aws.amazon.com,www.rfc-editor.org,www.w3.org,peps.python.org}/**',
    examples: {
      match: ['https://docs.python.org/3/library/datetime.html'],
      noMatch: [
        'https://docs.python.org.evil.example/3/',
        'https://docs.python.org@evil.example/3/',
        'http://docs.python.org/3/',
      ],
    },
  },
  {
    name: 'more-documentation',
    why: 'The same at the sites of further tools.',
    kind: 'fetch',
    pattern:
      'https://{turbo.build,turborepo.com,pnpm.io,yarnpkg.com,docs.npmjs.com,nx.dev,bun.sh,docs.deno.com,webpack.js.org,rollupjs.org,esbuild.github.io,babeljs.io,testing-library.com,storybook.js.org,redux.js.org,zustand.docs.pmnd.rs,zod.dev,trpc.io,orm.drizzle.team,www.prisma.io,expressjs.com,fastify.dev,docs.nestjs.com,hono.dev,nuxt.com,remix.run,reactrouter.com,docs.astro.build,www.electronjs.org,symfony.com,getcomposer.org,docs.phpunit.de,pestphp.com,phpstan.org,docs.rubocop.org,rspec.info,hexdocs.pm,elixir-lang.org,www.erlang.org,hackage.haskell.org,docs.scala-lang.org,clojure.org,dart.dev,api.dart.dev,docs.flutter.dev,ziglang.org,docs.julialang.org,docs.pola.rs,duckdb.org,spark.apache.org,airflow.apache.org,docs.dask.org,docs.getdbt.com,keras.io,www.tensorflow.org,docs.jupyter.org,mlflow.org,dvc.org,docs.sqlalchemy.org,alembic.sqlalchemy.org,docs.celeryq.dev,www.python-httpx.org,click.palletsprojects.com,jinja.palletsprojects.com,python-poetry.org,pip.pypa.io,packaging.python.org,mypy.readthedocs.io,requests.readthedocs.io,docs.ansible.com,registry.terraform.io,developer.android.com,api.flutter.dev,reactnative.dev,docs.expo.dev,developer.apple.com,prometheus.io,opentelemetry.io,grpc.io,protobuf.dev,graphql.org,dev.mysql.com,mariadb.com,kafka.apache.org,www.rabbitmq.com,docs.nats.io,etcd.io,istio.io,tokio.rs,serde.rs,rust-lang.github.io,bazel.build,ninja-build.org,mesonbuild.com,llvm.org,gcc.gnu.org,docs.kernel.org,datatracker.ietf.org,json-schema.org,spec.openapis.org,swagger.io,semver.org,keepachangelog.com,www.conventionalcommits.org,editorconfig.org}/**',
    examples: {
      match: ['https://pnpm.io/filtering'],
      noMatch: ['https://pnpm.io.evil.example/', 'http://pnpm.io/', 'https://x@pnpm.io/'],
    },
  },
];
