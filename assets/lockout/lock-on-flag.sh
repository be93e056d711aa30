#!/usr/bin/env sh
# Locks when a file appears: the last resort for a mail rule, a sync folder or a shared drive.
#   lock-on-flag.sh FLAG [SECONDS]
# Looks every SECONDS (default 2). When FLAG exists it locks; when that worked it renames FLAG to
# FLAG.done, so that the next flag counts again; else it keeps trying. Without systemd or launchd;
# with them, use interlock-flag.path or app.interlock.flag.plist, which do not poll.
set -u
flag=${1:?usage: lock-on-flag.sh FLAG [SECONDS]}
seconds=${2:-2}

while :; do
  if [ -e "$flag" ] || [ -L "$flag" ]; then
    if interlock lockout --reason "flag file"; then
      mv -f -- "$flag" "$flag.done" || exit 1
    fi
  fi
  sleep "$seconds"
done
