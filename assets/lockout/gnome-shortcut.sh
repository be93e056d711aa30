#!/usr/bin/env sh
# Binds a key of GNOME to a lockout. Run it once; a second time changes nothing, or the key.
#   gnome-shortcut.sh [KEY]        for example '<Control><Alt><Shift>l', which it is without one
set -eu
key=${1:-'<Control><Alt><Shift>l'}
program=$(command -v interlock) || {
  echo 'interlock is not on the PATH' >&2
  exit 1
}
media=org.gnome.settings-daemon.plugins.media-keys
place=/org/gnome/settings-daemon/plugins/media-keys/custom-keybindings/interlock/

bound=$(gsettings get "$media" custom-keybindings)
case $bound in
  *"'$place'"*) ;;
  '@as []' | '[]') gsettings set "$media" custom-keybindings "['$place']" ;;
  *) gsettings set "$media" custom-keybindings "${bound%]}, '$place']" ;;
esac
gsettings set "$media.custom-keybinding:$place" name 'Interlock: lock out now'
gsettings set "$media.custom-keybinding:$place" command "$program lockout --reason hotkey"
gsettings set "$media.custom-keybinding:$place" binding "$key"
echo "$key locks everything."
