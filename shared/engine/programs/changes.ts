/** Programs that only read and print, whatever files they are given; none of them writes one. */
const readers: ReadonlySet<string> = new Set(
  `basename cat cmp cksum column comm cut date df diff dirname du echo egrep expr fgrep fold
  grep head hexdump hostname id jq ls md5sum nl nproc od paste printf ps pwd readlink realpath rev
  seq sha1sum sha256sum sha512sum sleep stat strings tac tail test tr true false uname uptime
  wc which whoami`.split(/\s+/),
);

/** They look at the files that they are given, run them, or take them away, but write none of them. */
export const lookers: ReadonlySet<string> = new Set([
  ...readers,
  ...`rg ag ack fd fdfind find gfind awk gawk mawk nawk less more bat batcat eza exa rm rmdir unlink
  shellcheck yamllint hadolint xmllint lsof file nm objdump readelf size ldd cloc tokei wc join base64
  base32 b2sum cksum shasum sum test [ bash sh dash zsh ksh fish node python ruby perl php lua ssh env
  pgrep pkill kill tailspin hexyl pv zcat bzcat xzcat zgrep bzgrep xzgrep`.split(/\s+/),
]);

/** Programs that put symbolic links in place of files when they are told to. */
export const linkMakers: ReadonlySet<string> = new Set(
  `ln cp mv install tar bsdtar unzip 7z 7za cpio rsync git hg svn patch busybox toybox stow pax ar
  unsquashfs debootstrap dpkg rpm pip pip3 npm pnpm yarn bun update-alternatives symlink`.split(
    /\s+/,
  ),
);
