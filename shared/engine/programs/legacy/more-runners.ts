import type { Runner } from './runners.ts';

/** Further programs that run what they are given, by what they have in common. */
const groups: readonly (readonly [level: Runner['level'], why: string, names: string])[] = [
  [
    'pinned',
    'runs a command that stands in its arguments',
    `abduco bear chronic consolehelper cpulimit daemon dtach dotenvx envchain enroot      faketime heaptrack hwatch ifne intercept-build lckdo mispipe mold nvm onchange
     chokidar pee pixi record retry rr rush scan-build setlock softlimit chpst tcpserver svlogd timelimit
     torify trace-cmd trickle tsocks tsp viddy watchman with-contenv zrun reflex      ccache sccache distcc icecc gosu su-exec tini dumb-init catchsegv memusage sprof setuidgid
     runcon nsys ncu apptainer singularity mamba micromamba volta corepack fnm rbenv pyenv nodenv
     jenv goenv rvm chruby-exec sdk flatpak snap proot-distro toolbox distrobox lxc lxc-execute lxc-attach incus
     multipass limactl colima lima orb wsl qemu-x86_64 qemu-aarch64 qemu-user wine wine64 box64 box86 systemd-inhibit
     systemd-cat gamemoderun mangohud optirun primusrun vglrun x-terminal-emulator xterm
     gnome-terminal konsole kitty alacritty wezterm foot urxvt rxvt st startx xinit dbus-update-activation-environment
     gtk-launch kde-open gio exo-open kioclient run-mailcap see edit print run-one run-this-one`,
  ],
  [
    'pinned',
    'runs commands on other machines',
    `clush dsh fabric fab heroku doctl hcloud flyctl fly parallel-ssh pdsh pssh pscp prsync rsh rlogin rexec
     salt salt-call salt-ssh chef-client chef-solo puppet railway tsh et ansible-pull ansible-console ansible-galaxy
     ansible-vault ansible-inventory ansible-doc ansible-test cap mina nomad consul boundary teleport winrs psexec
     k3s k9s minikube kind oc odo telepresence okteto`,
  ],
  [
    'pinned',
    'runs code of its own language that its arguments or files hold',
    `abcl amm asy bb boa boot bpftrace bqn brainfuck ccl chez chezscheme chibi-scheme clisp coffee coqc csi csharp
     cue dtrace ecl fennel fift fsi fsharpi gap genie gosh gprolog gsi hhvm hy io iverilog ivy
     janet jbang joker kawa kotlinc-jvm lake lean lein lfe lisp livescript lsc love m2 magma mercury
     mit-scheme mlton mono mzscheme neko nickel nim ocamlfind ocamlrun      ol php-cgi phpdbg pike planck poly polyc q qjs qml rebol      rexx regina scala-cli scheme scilab sclang sforth smlnj sml sp spidermonkey js stap starlark
     swipl tcc tcl tinyscheme txr umka vvp wasmer wasm3 wasm-interp wren xsb
     yap zx groovysh duckdb clickhouse clickhouse-client clickhouse-local sqlplus sqlcmd usql mongosh mongo
     spark-submit spark-shell pyspark beeline hive hadoop jupyter ipython3 papermill marimo      haxe hl elisp yosys ghdl nvc verilator vsim xcelium godot unity freecad openscad inkscape scribus
     vlc mpv mplayer lilypond mf mpost context texlua tectonic luatex xetex pdftex etex bibtex8 arara      asciidoctor asciidoc quarto rst2html yt-dlp youtube-dl streamlink gallery-dl`,
  ],
  [
    'pinned',
    'runs commands and hooks that its settings name',
    `acme.sh air anacron apachectl apache2 apache2ctl atop caddy certbot dehydrated dhclient dhcpcd fcron
     fetchmail getmail god haproxy httpd incrontab isync lego lighttpd logrotate mbsync mkinitcpio modd monit msmtp
     nginx offlineimap openvpn php-fpm postgres postmaster pg_ctl pppd procmail realize redis-server runit runsv
     runsvdir s6-svscan s6-supervise stunnel supervisord supervisorctl traefik udevadm
     vault wg-quick xinetd inetd wpa_supplicant networkctl nmcli ifup ifdown resolvconf pw-cli      mailcap newsboat irssi weechat tmuxinator byobu zellij smug teamocil ranger lf nnn mc vifm yazi xplr
     broot w3m lynx links elinks surf qutebrowser luakit chromium chrome google-chrome firefox brave
     ncmpcpp cmus mpd lesspipe vipe vidir sops pass gopass keybase pinentry ykman`,
  ],
  [
    'pinned',
    'runs the scripts that come with the packages it installs, or changes the system',
    `dnf yum microdnf rpm rpmbuild rpm-ostree zypper pacman paru yay makepkg apk emerge ebuild xbps-install port
     pkg pkg_add pkgin opkg alien checkinstall dpkg-reconfigure dpkg-buildpackage debuild debootstrap apt-key
     add-apt-repository update-alternatives installer softwareupdate mas winget choco scoop service rc-service
     rc-update initctl update-rc.d chkconfig loginctl modprobe insmod rmmod kexec mount umount fusermount losetup
     iptables ip6tables nft ufw firewall-cmd sysctl swapon swapoff debugfs xfs_io kmod depmod setenforce
     semanage visudo chsh chfn usermod useradd userdel groupadd passwd dscl defaults nvram csrutil spctl codesign
     security tccutil scutil networksetup pmset`,
  ],
  [
    'pinned',
    'runs code in the expression that it is given',
    'rename prename perl-rename file-rename rename.pl mmv jsonnet rhai gomplate jinja2 j2 chezmoi',
  ],
];

const table = groups.flatMap(([level, why, names]) =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => [name, { level, why: `${name} ${why}` }] as const),
);

export const moreRunners: Readonly<Record<string, Runner>> = Object.fromEntries(table);
