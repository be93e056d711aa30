const interpreters =
  /^(?:(?:ba|z|da|k|mk|fi|a|c|tc|rba)?sh|python|pypy|node|nodejs|deno|bun|perl|ruby|php|lua|luajit|tclsh|wish|rscript|r|osascript|pwsh|powershell|java|jshell|ghci?|erl|elixir|iex|irb|gdb|lldb|expect|guile|sbcl|racket|emacs|vim?|nvim|ed|ex|[gmn]?awk|g?sed|make|find|xargs|env|ssh|su|sudo|doas|busybox|toybox|eval|git|sqlite3|psql|mysql)[\d.]*$/i;

/** Whether a program takes code or commands from its arguments: names must not become part of them. */
export function takesCode(program: string): boolean {
  return interpreters.test(program.slice(program.lastIndexOf('/') + 1));
}
