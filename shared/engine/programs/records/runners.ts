import type { ProgramRecord } from '../types.ts';
import { byLine, packager, told } from './findings.ts';
import { fixed } from './shapes.ts';

const gone = 'Deletes what a service keeps.';

/** Programs that are not looked through, by what they have in common; `why` follows the name. */
const groups: readonly (readonly [
  level: 'pinned' | 'never',
  why: string,
  names: string,
  more?: Partial<ProgramRecord>,
])[] = [
  ['pinned', 'runs commands and hooks that its settings or arguments name', 'god air rush'],
  [
    'pinned',
    'runs a command that stands in its arguments',
    `abduco bear chronic consolehelper cpulimit daemon dtach dotenvx envchain enroot faketime
aa-exec agetty aoss arch-nspawn cdist check_by_ssh choom conspy grc ksu logsave multitime openvt pexec
plymouth runscript scrot heaptrack hwatch ifne intercept-build lckdo mispipe mold nvm onchange chokidar pee pixi record
retry rr scan-build setlock softlimit chpst tcpserver svlogd timelimit torify trace-cmd trickle
tsocks tsp viddy watchman with-contenv zrun reflex sccache distcc icecc gosu su-exec tini
dumb-init catchsegv memusage sprof setuidgid runcon nsys ncu apptainer singularity mamba
micromamba volta corepack fnm nodenv jenv goenv rvm chruby-exec sdk flatpak snap
proot-distro toolbox distrobox lxc lxc-execute lxc-attach incus multipass limactl colima lima
orb wsl qemu-x86_64 qemu-aarch64 qemu-user wine wine64 box64 box86 systemd-inhibit systemd-cat
gamemoderun mangohud optirun primusrun vglrun x-terminal-emulator xterm gnome-terminal konsole
kitty alacritty wezterm foot urxvt rxvt st startx xinit dbus-update-activation-environment
sphinx-autobuild nbqa gtk-launch kde-open gio exo-open kioclient run-mailcap see edit print run-one run-this-one`,
  ],
  [
    'pinned',
    'runs commands on other machines',
    `bconsole borg ctr lxd mosh-server ncftp psftp plink pterm restic smbclient sshuttle tmate virsh
clush dsh fabric fab hcloud parallel-ssh pdsh pssh pscp prsync rsh
rlogin rexec salt salt-call salt-ssh chef-client chef-solo puppet railway tsh et ansible-pull
ansible-console ansible-test mina nomad consul
boundary teleport winrs psexec k3s k9s minikube kind odo telepresence okteto`,
  ],
  [
    'pinned',
    'runs code of its own language that its arguments or files hold',
    `asterisk bmake pmake bsdmake byebug cobc crash csvtool eqn ginsh jrunscript jtag msfconsole msfvenom pdb
pic perlbug pry scanmem slsh sqlmap troff nroff volatility abcl amm asy bb boa bpftrace bqn brainfuck ccl chez chezscheme chibi-scheme clisp coffee coqc
csi csharp cue dtrace ecl fennel fift fsi fsharpi gap genie gosh gprolog gsi hhvm hy io iverilog
ivy janet jbang joker kawa kotlinc-jvm lake lean lfe lisp livescript lsc love m2 magma mercury
mit-scheme mlton mzscheme neko nickel ocamlfind ocamlrun ol php-cgi phpdbg pike planck poly
polyc q qjs qml rebol rexx regina scala-cli scheme scilab sclang sforth smlnj sml sp
spidermonkey js stap starlark swipl tcc tcl tinyscheme txr umka vvp wasmer wasm3 wasm-interp
wren xsb yap zx groovysh ipython3 papermill marimo haxe hl elisp yosys ghdl nvc
verilator vsim xcelium godot unity freecad openscad inkscape scribus vlc mpv mplayer lilypond mf
mpost context texlua tectonic luatex xetex pdftex etex bibtex8 arara asciidoctor asciidoc
rst2html yt-dlp youtube-dl streamlink gallery-dl`,
  ],
  [
    'pinned',
    'runs commands and hooks that its settings name',
    `cowsay cowthink dnsmasq rsyslogd varnishd varnishncsa zic easyrsa autoconf autoheader autom4te autoreconf xdg-user-dir knife fail2ban-client needrestart vigr vipw wireshark tshark dstat tdbtool fastfetch neofetch
minicom rtorrent tasksh zathura acme.sh anacron apachectl apache2 apache2ctl atop caddy certbot dehydrated dhclient dhcpcd fcron
fetchmail getmail haproxy httpd isync lego lighttpd logrotate mbsync mkinitcpio modd monit
nginx offlineimap openvpn php-fpm postgres postmaster pg_ctl pppd procmail realize redis-server
runit runsv runsvdir s6-svscan s6-supervise stunnel supervisord supervisorctl traefik udevadm
wg-quick xinetd inetd wpa_supplicant networkctl nmcli ifup ifdown resolvconf pw-cli mailcap
newsboat irssi weechat tmuxinator byobu zellij smug teamocil ranger lf nnn vifm yazi xplr
broot w3m lynx links elinks surf qutebrowser luakit chromium chrome google-chrome firefox brave
ug pinfo sift capnp muon openapi-generator openapi-generator-cli ncmpcpp cmus mpd lesspipe vipe vidir keybase pinentry ykman`,
  ],
  [
    'pinned',
    'runs the scripts that come with the packages it installs, or changes the system',
    `microdnf rpmbuild rpm-ostree zypper pacman paru yay makepkg emerge ebuild
xbps-install port pkg pkg_add pkgin opkg alien checkinstall dpkg-reconfigure dpkg-buildpackage
debuild apt-key add-apt-repository installer softwareupdate mas
winget choco scoop service rc-service rc-update initctl update-rc.d chkconfig loginctl modprobe
insmod rmmod kexec mount umount fusermount losetup firewall-cmd
sysctl swapon swapoff debugfs xfs_io kmod depmod semanage chsh chfn groupadd dscl defaults nvram
codesign tccutil scutil networksetup pmset`,
  ],
  [
    'pinned',
    'runs the scripts that come with the packages it installs, or changes the system',
    `rpm debootstrap update-alternatives stow`,
    { links: 'can' },
  ],
  [
    'pinned',
    'runs code in the expression that it is given',
    `rename prename perl-rename file-rename rename.pl mmv jsonnet rhai gomplate jinja2 j2 chezmoi`,
  ],
  [
    'pinned',
    'runs commands on other machines',
    'heroku',
    {
      elsewhere: { looks: /^(?:logs|ps|apps|info|status|releases)$/ },
      finds: byLine([
        [/^pg:(?:reset|pull|push)\b/, 'data-loss', 'Replaces a whole database.'],
        [/\b(?:apps:destroy|destroy|delete|remove)\b/, 'data-loss', gone],
        [
          /^(?:auth:token|config)\b/,
          'credential-path',
          'Prints settings that usually hold secrets.',
        ],
      ]),
    },
  ],
  [
    'pinned',
    'runs commands on other machines',
    'doctl flyctl fly',
    {
      elsewhere: { looks: /^(?:logs|status|apps|info)$/ },
      finds: byLine([[/\b(?:delete|destroy|remove)\b/, 'data-loss', gone]]),
    },
  ],
  [
    'pinned',
    'runs commands on other machines',
    'cap',
    { elsewhere: { looks: /^(?:logs|status|apps|info)$/ } },
  ],
  [
    'pinned',
    'runs the scripts that come with the packages it installs, or changes the system',
    'dnf yum apk',
    { finds: packager(/^(?:install|upgrade|update|remove|add|del)\b/) },
  ],
  [
    'pinned',
    'copies to and from stores',
    'mc s3cmd',
    {
      finds: byLine([
        [/^(?:cp|mv|mirror|put|sync) /, 'data-leaving', 'Copies files to or from a store.'],
      ]),
    },
  ],
  [
    'pinned',
    'runs commands and hooks that its settings name',
    'msmtp',
    { finds: told('data-leaving', 'Sends mail.') },
  ],
  ['never', 'runs programs and commands', `gdb lldb`, { takesCode: true }],
  ['never', 'runs commands out of the reach of a lockout', `tmux screen`],
  ['pinned', 'starts an application', `open xdg-open`],
  [
    'pinned',
    'has Git run programs later',
    'husky lefthook simple-git-hooks overcommit captainhook nbstripout nbdime',
  ],
  [
    'pinned',
    'runs the hooks of the template that its arguments name',
    'copier cookiecutter cruft yo plop hygen',
  ],
  [
    'pinned',
    'is an agent, which decides for itself what it runs',
    `aider amp claude codex copilot crush cursor-agent droid forge gemini goose kilo opencode openclaw openhands qwen`,
  ],
  ['pinned', 'runs programs', `mise gpg-connect-agent`],
  [
    'pinned',
    'runs programs',
    `nix`,
    { environment: { NIX_PATH: 'decides from where nix takes code' } },
  ],
  [
    'pinned',
    'runs programs',
    `conda`,
    { environment: { CONDA_EXE: 'names a program that conda starts' } },
  ],
  [
    'pinned',
    'runs programs',
    `asdf`,
    { environment: { ASDF_DATA_DIR: 'decides which programs asdf starts' } },
  ],
  [
    'pinned',
    'runs a command that stands in its arguments',
    `ccache`,
    { environment: { 'CCACHE_*': 'holds settings of ccache, which can name programs' } },
  ],
  [
    'pinned',
    'runs a command that stands in its arguments',
    `pyenv`,
    { environment: { 'PYENV_*': 'decides which programs pyenv starts' } },
  ],
  [
    'pinned',
    'runs a command that stands in its arguments',
    `rbenv`,
    { environment: { 'RBENV_*': 'decides which programs rbenv starts' } },
  ],
  [
    'pinned',
    'runs code of its own language that its arguments or files hold',
    `mono`,
    { environment: { 'MONO_*': 'decides which code mono loads' } },
  ],
  ['pinned', 'runs commands', `nix-shell`],
  [
    'pinned',
    'runs commands from its settings',
    `sendmail`,
    { finds: told('data-leaving', 'Sends mail.') },
  ],
  [
    'never',
    'may do more than its name says: an editor runs commands and code',
    `vi vim vim.basic vim.tiny vim.nox vim.gtk3 nvim view rview vimtutor jed kak vimdiff rvim`,
    {
      environment: {
        VIMINIT: 'holds commands that vim runs',
        EXINIT: 'holds commands that vi runs',
        GVIMINIT: 'holds commands that vim runs',
        MYVIMRC: 'names commands that vim runs',
        VIM: 'decides from where vim loads code',
        VIMRUNTIME: 'decides from where vim loads code',
      },
      takesCode: true,
      versions: true,
    },
  ],
  ['never', 'may do more than its name says: an editor runs commands', `joe hx nano pico micro`],
  ['never', 'runs the commands behind its keys', `tig lazygit gitui`],
  ['pinned', 'starts a program', `gpg-agent gpgconf gpg-zip mysqlslap`],
  ['pinned', 'runs the commands in its options and lists', `mksquashfs`],
  ['never', 'runs what comes as its input', `csvpy`],
  [
    'pinned',
    'may do more than its name says: documents of TeX write files and may run programs',
    `tex latex pdflatex xelatex`,
  ],
  ['pinned', 'may do more than its name says: documents of TeX hold code', `lualatex`],
  ['pinned', 'runs code from its settings', `latexmk`],
  ['pinned', 'may do more than its name says: a document is a program that gs runs', `gs`],
  ['pinned', 'runs code from its options', `exiftool gimp blender`],
  ['pinned', 'keeps a script running', `pm2 forever supervisor`],
  ['pinned', 'may do more than its name says: documents hold macros', `libreoffice soffice`],
  ['pinned', 'may start the program that it looks at', `ldd`],
  ['pinned', 'changes which code a program loads', `patchelf`],
  ['pinned', 'is git with aliases', `hub`],
  [
    'pinned',
    'may do more than its name says: an editor runs commands and code',
    `gvim emacs emacsclient`,
    {
      environment: { EMACSLOADPATH: 'decides from where emacs loads code' },
      takesCode: true,
      runs: 'commands',
      versions: true,
    },
  ],
  [
    'pinned',
    'may do more than its name says: an editor runs commands and loads extensions',
    `code`,
  ],
  [
    'pinned',
    'runs the commands in its options',
    `fzf sk`,
    {
      environment: {
        FZF_DEFAULT_COMMAND: 'holds a command that fzf runs',
        FZF_DEFAULT_OPTS: 'holds options of fzf, which can hold commands',
        FZF_DEFAULT_OPTS_FILE: 'names options of fzf, which can hold commands',
        SKIM_DEFAULT_COMMAND: 'holds a command that sk runs',
      },
    },
  ],
  ['pinned', 'works the keyboard and runs commands', `xdotool`],
  ['pinned', 'can make services start programs', `busctl gdbus dbus-send`],
  ['pinned', 'runs every program in a directory', `run-parts`],
  [
    'never',
    'may do more than its name says: the shell of Windows reads a command line in a way of its own',
    `cmd cmd.exe powershell powershell.exe`,
    { takesCode: true },
  ],
  [
    'never',
    'may do more than its name says: the script host of Windows runs code',
    `wscript cscript mshta`,
  ],
];

export const runnerPrograms: readonly ProgramRecord[] = groups.flatMap(
  ([level, why, names, more]) => fixed(level, why, names, more),
);
