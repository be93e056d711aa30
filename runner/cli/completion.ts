import { Argument, Command } from 'commander';
import { versionOf } from './command-line.ts';
import type { CommandModule } from './command-table.ts';
import type { CommandNode, OptionNode, PlacedCommand } from './command-tree.ts';
import { everyCommand } from './command-tree.ts';
import { manPage } from './man-page.ts';

/** `interlock completion SHELL`: what a shell or `man` is to know of this command line. */
export const declare: CommandModule['declare'] = (io, done) =>
  new Command('completion')
    .description(
      'Prints what completes this command line in a shell, or its manual page. Both are made from the commands themselves.',
    )
    .addArgument(
      new Argument('<what>', 'a shell, or "man" for the manual page').choices([
        ...completionShells,
        'man',
      ]),
    )
    .addHelpText(
      'after',
      `
Where it goes:
  interlock completion bash > ~/.local/share/bash-completion/completions/interlock
  interlock completion zsh > ~/.zfunc/_interlock     with fpath+=(~/.zfunc) before compinit
  interlock completion fish > ~/.config/fish/completions/interlock.fish
  interlock completion man > ~/.local/share/man/man1/interlock.1

An installation by npm brings the manual page with it.`,
    )
    .action(async (what: CompletionShell | 'man') => {
      const { commandTree } = await import('./program.ts');
      const tree = await commandTree(io);
      io.stdout.write(
        what === 'man' ? manPage(tree, versionOf(io.packageRoot)) : completionScript(what, tree),
      );
      done(0);
    });

/** The shells that completion is made for. */
export const completionShells = ['bash', 'zsh', 'fish'] as const;
export type CompletionShell = (typeof completionShells)[number];

/**
 * A script for a shell that completes the whole command line: commands, options in any place before
 * `--`, the words that an option takes, and after `--` the command that is to run. It starts no program.
 */
export function completionScript(shell: CompletionShell, root: CommandNode): string {
  const placed = everyCommand(root);
  if (shell === 'bash') return bashScript(placed);
  return shell === 'zsh' ? zshScript(placed) : fishScript(placed);
}

const note = '# Made by "interlock completion"; make it again after an update.';

/** In single quotes, as all three shells take it. */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', String.raw`\\`).replaceAll("'", String.raw`'\''`)}'`;
}

/** For bash and zsh, where a backslash in single quotes stands for itself. */
function literal(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function valuesOf({ node }: PlacedCommand): readonly string[] {
  return node.arguments[0]?.choices ?? [];
}

function valued(options: readonly OptionNode[]): readonly OptionNode[] {
  return options.filter(({ takesValue }) => takesValue);
}

/** Lines of a `case` that knows, by path, what stands next. */
function caseLines(
  placed: readonly PlacedCommand[],
  lines: (one: PlacedCommand) => readonly string[],
): string {
  return placed
    .map((one) => [`    ${literal(one.path.join(' '))})`, ...lines(one), '      ;;'].join('\n'))
    .join('\n');
}

/** Lines of a `case` over "path option" that knows the words an option takes; "" for any. */
function choiceLines(placed: readonly PlacedCommand[]): string {
  return placed
    .flatMap(({ path, node }) =>
      valued(node.options).map(({ names, choices }) => {
        const keys = names.map((name) => literal([...path, name].join(' '))).join('|');
        return `    ${keys}) choices=${literal((choices ?? []).join(' '))} ;;`;
      }),
    )
    .join('\n');
}

/** The same in both shells. */
function choicesFunction(placed: readonly PlacedCommand[]): string {
  return `_interlock_choices() {
  case "$1" in
${choiceLines(placed)}
    *) return 1 ;;
  esac
}
`;
}

function bashScript(placed: readonly PlacedCommand[]): string {
  return `${note}
_interlock_table() {
  case "$1" in
${caseLines(placed, (one) => [
  `      commands=${literal([...one.node.commands.map(({ name }) => name), ...valuesOf(one)].join(' '))}`,
  `      options=${literal(one.node.options.flatMap(({ names }) => names).join(' '))}`,
])}
    *) return 1 ;;
  esac
}

${choicesFunction(placed)}
_interlock() {
  local cur=\${COMP_WORDS[COMP_CWORD]} path='' word commands options choices i value=''
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $word == -- ]]; then
      if ((COMP_CWORD == i + 1)); then
        COMPREPLY=($(compgen -c -- "$cur"))
      else
        compopt -o default 2>/dev/null
      fi
      return 0
    fi
    if [[ -n $value ]]; then
      value=''
    elif [[ $word == -* ]]; then
      if _interlock_choices "\${path:+$path }$word"; then value=$word; fi
    elif _interlock_table "\${path:+$path }$word"; then
      path="\${path:+$path }$word"
    fi
  done
  if [[ -n $value ]]; then
    _interlock_choices "\${path:+$path }$value"
    if [[ -n $choices ]]; then
      COMPREPLY=($(compgen -W "$choices" -- "$cur"))
    else
      compopt -o default 2>/dev/null
    fi
    return 0
  fi
  _interlock_table "$path"
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
  elif [[ -n $commands ]]; then
    COMPREPLY=($(compgen -W "$commands" -- "$cur"))
  else
    compopt -o default 2>/dev/null
  fi
}
complete -F _interlock interlock
`;
}

/** `name:description` for zsh's `_describe`, where a colon in either is escaped. */
function described(name: string, description: string): string {
  return literal(
    `${name.replaceAll(':', String.raw`\:`)}:${description.replaceAll(':', String.raw`\:`)}`,
  );
}

function zshScript(placed: readonly PlacedCommand[]): string {
  return `#compdef interlock
${note}
_interlock_table() {
  case "$1" in
${caseLines(placed, (one) => [
  `      commands=(${[
    ...one.node.commands.map(({ name, summary }) => described(name, summary)),
    ...valuesOf(one).map(literal),
  ].join(' ')})`,
  `      options=(${one.node.options
    .flatMap(({ names, description }) => names.map((name) => described(name, description)))
    .join(' ')})`,
])}
    *) return 1 ;;
  esac
}

${choicesFunction(placed)}
_interlock() {
  local path_='' word value='' choices i
  local -a commands options
  for ((i = 2; i < CURRENT; i++)); do
    word=$words[i]
    if [[ $word == -- ]]; then
      words=("\${(@)words[i+1,-1]}")
      ((CURRENT -= i))
      _normal
      return
    fi
    if [[ -n $value ]]; then
      value=''
    elif [[ $word == -* ]]; then
      if _interlock_choices "\${path_:+$path_ }$word"; then value=$word; fi
    elif _interlock_table "\${path_:+$path_ }$word"; then
      path_="\${path_:+$path_ }$word"
    fi
  done
  if [[ -n $value ]]; then
    _interlock_choices "\${path_:+$path_ }$value"
    if [[ -n $choices ]]; then compadd -- \${=choices}; else _files; fi
    return
  fi
  _interlock_table "$path_"
  if [[ $words[CURRENT] == -* ]]; then
    _describe -t options option options
  elif ((\${#commands})); then
    _describe -t commands command commands
  else
    _files
  fi
}

if [[ $funcstack[1] == _interlock ]]; then _interlock "$@"; else compdef _interlock interlock; fi
`;
}

function fishScript(placed: readonly PlacedCommand[]): string {
  const paths = placed
    .filter(({ path }) => path.length > 0)
    .map(({ path }) => literal(path.join(' ')));
  const options = placed.flatMap(({ path, node }) =>
    valued(node.options).flatMap(({ names }) =>
      names.map((name) => literal([...path, name].join(' '))),
    ),
  );
  const lines = placed.flatMap((one) => {
    const at = `complete -c interlock -n ${quoted(`__interlock_at ${quotedInside(one.path.join(' '))}`)}`;
    return [
      ...one.node.commands.map(
        ({ name, summary }) => `${at} -f -a ${quoted(name)} -d ${quoted(summary)}`,
      ),
      ...(valuesOf(one).length === 0 ? [] : [`${at} -f -a ${quoted(valuesOf(one).join(' '))}`]),
      ...one.node.options.map((option) => `${at} ${fishOption(option)}`),
    ];
  });
  return `${note}
# The words of the command line that name a command, up to here; fails after --.
function __interlock_path
    set -l path
    set -l value no
    for word in (commandline -opc)[2..-1]
        test "$word" = -- && return 1
        set -l next (string join ' ' -- $path $word)
        if test $value = yes
            set value no
        else if string match -q -- '-*' $word
            contains -- "$next" ${options.join(' ')} && set value yes
        else if contains -- "$next" ${paths.join(' ')}
            set path $path $word
        end
    end
    string join ' ' -- $path
    return 0
end

function __interlock_at
    set -l here (__interlock_path) || return 1
    test "$here" = "$argv[1]"
end

function __interlock_after
    contains -- -- (commandline -opc)
end

# What may stand after --: the program that is to run completes its own words.
function __interlock_rest
    set -l words (commandline -opc)
    set -l at (contains -i -- -- $words)
    set -l rest
    test $at -lt (count $words) && set rest $words[(math $at + 1)..-1]
    complete -C (string join ' ' -- $rest (commandline -ct))
end

complete -c interlock -n __interlock_after -f -a '(__interlock_rest)'
${lines.join('\n')}
`;
}

function quotedInside(text: string): string {
  return `"${text}"`;
}

function fishOption({ names, takesValue, choices, description }: OptionNode): string {
  const [long, short] = names;
  const words = [
    ...(long === undefined
      ? []
      : [long.startsWith('--') ? `-l ${long.slice(2)}` : `-s ${long.slice(1)}`]),
    ...(short === undefined ? [] : [`-s ${short.slice(1)}`]),
    ...(takesValue ? ['-r'] : []),
    ...(choices === null ? [] : [`-f -a ${quoted(choices.join(' '))}`]),
    `-d ${quoted(description)}`,
  ];
  return words.join(' ');
}
