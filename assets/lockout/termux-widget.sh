#!/usr/bin/env sh
# One tap on an Android phone locks everything on your machine. Needs Termux, Termux:Widget and an
# SSH key that may log in. Save as ~/.shortcuts/Interlock and set HOST.
#
# On the machine, bind that key to this one command, so that a lost phone can lock and do nothing
# else. In ~/.ssh/authorized_keys, before the key:
#   restrict,command="interlock lockout --reason phone"
HOST=${INTERLOCK_HOST:-me@my-machine.example}

say() {
  if command -v termux-toast >/dev/null; then termux-toast "$@"; fi
}

if ssh -o BatchMode=yes -o ConnectTimeout=8 "$HOST" interlock lockout --reason phone; then
  say 'Interlock: locked'
else
  say -b red 'Interlock: NOT locked, could not reach it'
  exit 1
fi
