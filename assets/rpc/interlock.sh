#!/bin/sh
# Asks the host of a sandbox through the folder that both share, where there is no Node: the client of
# Interlock in plain sh. docs/shared-folder.md says what it leaves out.
#   interlock.sh TOOL ARGS…       a tool that the host runs with its credentials
#   interlock.sh run -- PROGRAM ARGS…
#   interlock.sh pause [REASON]
# Needs od, sed, awk, base64 and one of sha256sum, shasum, openssl.
# INTERLOCK_SHARED is the shared folder (else one above the present one), INTERLOCK_KEY_FILE the key
# (else the one in ~/.interlock/rpc), INTERLOCK_TIMEOUT the seconds that a command gets, INTERLOCK_WAIT
# those that an answer is waited for.
set -u
LC_ALL=C
export LC_ALL
umask 022

fail() {
  printf 'interlock: %s\n' "$1" >&2
  exit 125
}

sha256() {
  if command -v sha256sum >/dev/null 2>&1; then sha256sum
  elif command -v shasum >/dev/null 2>&1; then shasum -a 256
  else openssl dgst -sha256 -r; fi | sed 's/ .*//'
}

# Bytes of hexadecimal digits. printf is the shell's own, so that no key is an argument of a program.
bytes() {
  rest=$1
  while [ -n "$rest" ]; do
    two=${rest%"${rest#??}"}
    rest=${rest#??}
    # shellcheck disable=SC2059
    printf "\\$(printf '%03o' "0x$two")"
  done
}

# The 32 bytes of the key, and 32 of zero, each xor the byte that is given.
pad() {
  rest=$key
  while [ -n "$rest" ]; do
    two=${rest%"${rest#??}"}
    rest=${rest#??}
    # shellcheck disable=SC2059
    printf "\\$(printf '%03o' $((0x$two ^ $1)))"
  done
  count=0
  while [ $count -lt 32 ]; do
    # shellcheck disable=SC2059
    printf "\\$(printf '%03o' "$1")"
    count=$((count + 1))
  done
}

# HMAC-SHA256 (base64) of standard input.
hmac() {
  inner=$({
    pad 54
    cat
  } | sha256)
  outer=$({
    pad 92
    bytes "$inner"
  } | sha256)
  bytes "$outer" | base64 | tr -d '\n'
}

# A JSON string. What RFC 8785 would write with a number is refused, but for a line break and a tab.
string() {
  case $1 in
    *[[:cntrl:]]*)
      plain=$(printf '%s.' "$1" | tr -d '\n\t')
      case $plain in *[[:cntrl:]]*) fail 'an argument has a control character; this client cannot send it' ;; esac
      ;;
  esac
  printf '"'
  printf '%s.' "$1" | awk '
    { gsub(/[\\"]/, "\\\\&"); gsub(/\t/, "\\t"); all = all sep $0; sep = "\\n" }
    END { printf "%s", substr(all, 1, length(all) - 1) }
  '
  printf '"'
}

list() {
  printf '['
  comma=
  for one in "$@"; do
    printf '%s' "$comma"
    string "$one" || exit 125
    comma=,
  done
  printf ']'
}

# Lines of `name: value` in the order of their names, from standard input: as one JSON object.
object() {
  sed 's/^\([a-z_]*\): /"\1":/' | awk '{ printf "%s%s", (NR > 1 ? "," : "{"), $0 } END { printf "}" }'
}

# Signs what comes, and puts it into its place under another name first.
put() {
  body=$(cat)
  mac=$(printf '%s\n' "$body" | object | hmac)
  printf '%s\nhmac: "%s"\n' "$body" "$mac" >"$shared/$1/.$id.tmp" || fail "the shared folder cannot be written"
  sync "$shared/$1/.$id.tmp" 2>/dev/null || sync
  mv "$shared/$1/.$id.tmp" "$shared/$1/$id.yaml" || fail "the shared folder cannot be written"
}

# The value of a field of the answer, as JSON.
field() {
  printf '%s\n' "$answer" | sed -n "s/^$1: //p"
}

# A JSON string as its text, on standard output.
text() {
  printf '%s' "$1" | awk '
    BEGIN { for (n = 0; n < 32; n++) code[sprintf("%04x", n)] = sprintf("%03o", n) }
    {
      s = substr($0, 2, length($0) - 2)
      while ((at = index(s, "\\")) > 0) {
        out(substr(s, 1, at - 1))
        c = substr(s, at + 1, 1)
        if (c == "u") { printf "\\0%s", code[substr(s, at + 2, 4)]; s = substr(s, at + 6); continue }
        if (c == "\\") printf "\\\\"; else if (c == "\"" || c == "/") printf "%s", c; else printf "\\%s", c
        s = substr(s, at + 2)
      }
      out(s)
    }
    function out(part) { printf "%s", part }
  ' | { IFS= read -r escaped || :; printf '%b' "$escaped"; }
}

# ---

[ $# -gt 0 ] || fail 'say what the host is to do: TOOL ARGS…, run -- PROGRAM ARGS…, or pause'

shared=${INTERLOCK_SHARED:-}
if [ -z "$shared" ]; then
  shared=$PWD
  while [ ! -d "$shared/.interlock/requests" ]; do
    [ "$shared" != / ] || fail 'no shared folder here or above; say where it is: INTERLOCK_SHARED=/path'
    shared=$(dirname "$shared")
  done
fi
root=$(cd -P "$shared" && pwd -P) || fail 'the shared folder is not there'
here=$(pwd -P)
case $here in
  "$root") below=. ;;
  "$root"/*) below=${here#"$root"/} ;;
  *) below=. ;;
esac
shared=$root/.interlock

file=${INTERLOCK_KEY_FILE:-}
if [ -z "$file" ]; then
  found=0
  for one in "$HOME"/.interlock/rpc/*.key; do
    file=$one
    found=$((found + 1))
  done
  [ "$found" -eq 1 ] || fail 'there are several keys; say which: INTERLOCK_KEY_FILE=FILE'
fi
[ -f "$file" ] || fail 'there is no key of an agent; a person delivers one, on the host'
principal=$(basename "$file" .key)
key=$(tr '_-' '/+' <"$file" | tr -d '\n' | sed 's/$/=/' | base64 -d 2>/dev/null | od -An -v -tx1 | tr -d ' \n')
[ ${#key} -eq 64 ] || fail "the file $file does not hold a key"

random() {
  od -An -v -N "$1" -tx1 /dev/urandom | tr -d ' \n'
}
id=$(random 16 | sed 's/\(........\)\(....\).\(...\).\(...\)\(............\)/\1-\2-4\3-8\4-\5/')
nonce=$(od -An -N 8 -tu8 /dev/urandom | tr -d ' \n')
now=$(date -u +%Y-%m-%dT%H:%M:%SZ)
wait=${INTERLOCK_WAIT:-300}

what=$1
shift
words=
if [ "$what" = run ]; then
  [ "${1:-}" = -- ] || fail 'say the program behind "--"'
  shift
fi
[ "$what" = pause ] && set -- "$*"
words=$(list "$@") || exit 125
place=$(string "$below") || exit 125
tool=$(string "$what") || exit 125
{
  case $what in
    run) printf 'argv: %s\n' "$words" ;;
    pause) ;;
    *) printf 'args: %s\n' "$words" ;;
  esac
  printf 'created_at: "%s"\n' "$now"
  [ "$what" = pause ] || printf 'cwd: %s\n' "$place"
  printf 'id: "%s"\nnonce: "%s"\nprincipal: "%s"\n' "$id" "$nonce" "$principal"
  if [ "$what" = pause ] && [ -n "$1" ]; then printf 'reason: %s\n' "$(string "$1")"; fi
  [ "$what" = run ] || printf 'subcommand: %s\n' "$tool"
  [ "$what" = pause ] || [ -z "${INTERLOCK_TIMEOUT:-}" ] || printf 'timeout_sec: %d\n' "$INTERLOCK_TIMEOUT"
} | put requests || exit 125

give_up() {
  printf 'created_at: "%s"\nid: "%s"\nnonce: "%s"\nprincipal: "%s"\nteardown: true\n' \
    "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$id" "$nonce" "$principal" | put teardowns
  rm -f "$shared/requests/$id.yaml"
}
trap 'give_up; exit 130' INT
trap 'give_up; exit 143' TERM

response=$shared/responses/$id.yaml
waited=0
while :; do
  if [ -f "$response" ] && [ ! -L "$response" ]; then
    answer=$(cat "$response")
    given=$(field hmac)
    right=$(printf '%s\n' "$answer" | sed '/^hmac: /d' | object | hmac)
    [ "$given" = "\"$right\"" ] && [ "$(field id)" = "\"$id\"" ] && [ "$(field nonce)" = "\"$nonce\"" ] && break
    if [ "$given" = null ] && [ "$(field ok)" = false ]; then
      printf 'interlock: the answer is not signed\n' >&2
      break
    fi
  fi
  if [ "$waited" -ge "$((wait * 5))" ]; then
    give_up
    fail "no answer came within $wait s"
  fi
  # Whoever is started by a change of the folder may have missed this one.
  if [ "$waited" -gt 0 ] && [ $((waited % 25)) -eq 0 ]; then : >"$shared/requests/.$id.nudge"; rm -f "$shared/requests/.$id.nudge"; fi
  sleep 0.2 2>/dev/null || { sleep 1; waited=$((waited + 4)); }
  waited=$((waited + 1))
done

if [ "$(field ok)" = true ]; then
  text "$(field stdout)"
  text "$(field stderr)" >&2
  code=$(field exit_code)
  [ "$code" = null ] && exit 137
  exit "$code"
fi
refusal=$(field refusal)
code=$(printf '%s' "$refusal" | sed 's/^{"code":"\([a-z-]*\)".*/\1/')
hint=$(printf '%s' "$refusal" | sed 's/.*,"hint":\(".*"\),"message":.*/\1/')
message=$(printf '%s' "$refusal" | sed 's/.*,"message":\(".*"\)}$/\1/')
printf 'interlock: %s: ' "$code" >&2
text "$message" >&2
printf '\n  ' >&2
text "$hint" >&2
printf '\n' >&2
[ "$code" = command-timeout ] && exit 124
exit 126
