/**
 * What two boxes run to take over what a command left in its layer over a history. The first one
 * reads: it sees the layer, and nothing that it could change. The second one writes: it sees the
 * person's history, and of the layer only the pack and the lists that the first one made. In both,
 * only the system's own programs run, and Git by settings of ours or of the person's.
 *
 * OWN is empty or `worktrees/NAME/`: where the work tree's own HEAD and index lie.
 */

/** Files that say that Git is in the middle of something. */
export const operations = [
  'MERGE_HEAD',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'BISECT_START',
  'rebase-merge',
  'rebase-apply',
] as const;

/** Below this, objects are kept one by one; more come as a pack. Git's own number for a push. */
const fewObjects = 100;

/**
 * `/repo` is the history as the command saw it, `/base` as the person's is now, `/in` the objects
 * that the command made; answers in `/out`. Settings come from nowhere but here.
 */
export const lookScript = `
set -u
cd /out || exit 9
plain() { [ -f "$1" ] && [ ! -L "$1" ]; }
mkdir -p inside/objects/info outside/objects/info || exit 9
view() {
  printf '[core]\\nrepositoryformatversion = 1\\nbare = false\\n%s' "$FORMAT" > "$1/config"
  printf 'ref: refs/heads/none\\n' > "$1/HEAD"
  printf '%s/objects\\n' "$2" > "$1/objects/info/alternates"
  if [ -d "$2/refs" ]; then ln -s "$2/refs" "$2/packed-refs" "$2/shallow" "$1/"
  else mkdir "$1/refs" && ln -s "$2/packed-refs" "$2/shallow" "$1/"; fi
}
export GIT_WORK_TREE=/tmp
look() {
  view "$1" "$2" || return 9
  GIT_DIR=/out/$1 git for-each-ref --format='%(refname) %(objectname) %(symref)' refs/heads refs/tags refs/stash > $1.refs || return 8
  plain "$2/\${OWN}HEAD" && head -c 4096 "$2/\${OWN}HEAD" > $1.head
  plain "$2/logs/refs/stash" && tail -n 1000 "$2/logs/refs/stash" > $1.stash
  : > $1.index
  if plain "$2/\${OWN}index"; then
    GIT_DIR=/out/$1 GIT_INDEX_FILE="$2/\${OWN}index" git ls-files --stage -z > $1.index || rm -f $1.index
  fi
}
# Neither needs the other.
look inside /repo & inside=$!
look outside /base || exit 8
if [ -e /index-was ]; then
  GIT_DIR=/out/outside GIT_INDEX_FILE=/index-was git ls-files --stage -z > was.index || exit 8
fi
wait $inside || exit 8
for name in ${operations.join(' ')}; do
  if [ -e "/repo/$OWN$name" ] && [ ! -e "/base/$OWN$name" ]; then echo "$name" >> begun; fi
  if [ ! -e "/repo/$OWN$name" ] && [ -e "/base/$OWN$name" ]; then echo "$name" >> done; fi
done
# Git lists names in the order that "comm" wants.
comm -23 inside.refs outside.refs > changed
while read -r name oid rest; do
  plain "/repo/logs/$name" || continue
  echo "= $name"
  tail -n 500 "/repo/logs/$name" | cut -d' ' -f1,2
done < changed > known
if [ -d /in ]; then
  GIT_DIR=/out/inside GIT_OBJECT_DIRECTORY=/in git cat-file --batch-all-objects --unordered --batch-check='%(objectname)' \\
    | cut -d' ' -f1 | GIT_DIR=/out/outside git cat-file --batch-check='%(objectname)' \\
    | sed -n 's/ missing$//p' > new || exit 8
  if [ -s new ]; then
    GIT_DIR=/out/inside git pack-objects -q --window=0 --stdout < new > pack 2> refused || exit 3
  fi
fi
while read -r name oid rest; do printf '%s\\n' "$oid"; done < changed > tips
word=
if plain inside.head; then read -r word rest < inside.head || :; fi
[ -z "$word" ] || [ "$word" = ref: ] || grep -xE '[0-9a-f]{40,64}' inside.head >> tips
if [ -s tips ]; then
  sed 's/^[^ ]* \\([^ ]*\\) .*/^\\1/' outside.refs >> tips
  GIT_DIR=/out/inside git log --stdin --format= --raw -r -c --root --no-renames --no-abbrev < tips > raw || exit 8
  grep -E '^:+([0-7]{6} )+160000 [0-9a-f]{40}' raw | cut -f2- > gitlinks
fi
exit 0
`;

/**
 * `/host` is the person's history, `/out` what the first box made, `/plan` what the runner decided;
 * says what it did in `/said`. Each step is Git's own, by its own locks, and fails alone.
 */
export const installScript = `
set -u
say() { printf '%s\\n' "$*" >> /said/done; }
keep() { g update-ref "refs/interlock/$RUN/\${1#refs/}" "$2" && say "\${3:-kept} $1 refs/interlock/$RUN/\${1#refs/}"; }
g() { git -c core.hooksPath=/dev/null -c core.fsmonitor=false -c gc.auto=0 "$@"; }
own=/host/$OWN
if [ ! -e /host/HEAD ] && [ -z "$OWN" ]; then
  mkdir -p /host/objects/info /host/objects/pack /host/refs/heads /host/refs/tags
  printf '[core]\\n\\trepositoryformatversion = 0\\n\\tfilemode = true\\n\\tbare = false\\n\\tlogallrefupdates = true\\n' > /host/config
  printf 'ref: refs/heads/interlock-none\\n' > /host/HEAD
fi
export GIT_DIR="\${own%/}" GIT_WORK_TREE=/tmp
if [ -s /out/pack ]; then
  # What does not hold together is to leave nothing behind, as in a push.
  arriving=/host/objects/tmp_objdir-interlock
  [ ! -e "$arriving" ] || rm -rf "$arriving"
  mkdir -p "$arriving/pack" || exit 8
  export GIT_ALTERNATE_OBJECT_DIRECTORIES=/host/objects
  if [ "$(wc -l < /out/new)" -lt ${fewObjects} ]; then
    GIT_OBJECT_DIRECTORY=$arriving g unpack-objects -q --strict < /out/pack > /said/refused 2>&1
  else
    GIT_OBJECT_DIRECTORY=$arriving g index-pack --stdin --strict --fix-thin < /out/pack > /said/refused 2>&1
  fi || { rm -rf "$arriving"; exit 3; }
  unset GIT_ALTERNATE_OBJECT_DIRECTORIES
  for pack in "$arriving"/pack/*.pack; do [ ! -e "$pack" ] || cp -ln "$pack" /host/objects/pack/; done
  cp -rln "$arriving/." /host/objects/
  rm -rf "$arriving"
  if g cat-file --batch-check='%(objectname)' < /out/new | grep -q ' missing$'; then exit 8; fi
fi
while read -r name new old known; do
  if [ "$old" = - ]; then old=$ZERO
  elif [ "$known" = kept ]; then keep "$name" "$new"; continue
  elif [ "$known" != known ] && ! g merge-base --is-ancestor "$old" "$new" 2>/dev/null; then
    g merge-base --is-ancestor "$new" "$old" 2>/dev/null || keep "$name" "$new"
    continue
  fi
  if printf 'update %s %s %s\\n' "$name" "$new" "$old" | g update-ref --no-deref -m "interlock: from the sandbox" --stdin 2>/dev/null
  then say "taken $name $new"; else keep "$name" "$new"; fi
done < /plan/refs
while read -r name old; do
  printf 'delete %s %s\\n' "$name" "$old" | g update-ref --no-deref --stdin 2>/dev/null || continue
  say "removed $name $old"
  held=$(g for-each-ref --count=1 --contains "$old" refs/heads refs/tags refs/remotes 2>/dev/null)
  [ -n "$held" ] || keep "$name" "$old" saved
done < /plan/gone
while read -r oid; do keep "refs/stash-$oid" "$oid" saved; done < /plan/dropped
if [ -s /plan/dropped ]; then g update-ref -d refs/stash; fi
while read -r oid words; do
  g update-ref --create-reflog -m "$words" refs/stash "$oid" && say "stashed $oid"
done < /plan/stash
current=
read -r current < /plan/current || :
if [ -n "$current" ] && [ -e /said/done ]; then
  while read -r word name rest; do
    [ "$word $name" != "kept $current" ] || exit 0
  done < /said/done
fi
if [ -e /plan/head ] && { [ ! -e /plan/head-was ] || cmp -s "$own/HEAD" /plan/head-was; }; then
  head=$(cat /plan/head)
  case $head in
    'ref: '*) g symbolic-ref -m "interlock: from the sandbox" HEAD "\${head#ref: }" && say "head $head" ;;
    *) g update-ref --no-deref -m "interlock: from the sandbox" HEAD "$head" && say "head $head" ;;
  esac
fi
while read -r name; do rm -rf "\${own%/}/$name"; done < /plan/done
[ -e /plan/index ] || exit 0
if g cat-file --batch-check='%(objecttype)' < /plan/blobs | grep -qv '^blob$'; then say "index-refused"; exit 0; fi
held=no
for try in 1 2 3 4 5 6 7 8 9 10; do
  if (set -C; : > "$own/index.lock") 2>/dev/null; then held=yes; break; fi
  sleep 0.1
done
if [ $held = no ]; then say "index-busy"; exit 0; fi
[ ! -e "$own/index" ] || cp "$own/index" /tmp/index
export GIT_INDEX_FILE=/tmp/index
if g ls-files --stage -z | cmp -s - /plan/index-was && g update-index -z --index-info < /plan/index \\
  && cp /tmp/index "$own/index.lock" && mv "$own/index.lock" "$own/index"
then say "index"; else rm -f "$own/index.lock"; say "index-changed"; fi
exit 0
`;
