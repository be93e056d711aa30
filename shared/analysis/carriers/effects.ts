/** Programs that only read and print, whatever files they are given; none of them writes one. */
export const readers: ReadonlySet<string> = new Set(
  `basename cat cmp cksum column comm cut date df diff dirname du echo egrep expr fgrep fold
  grep head hexdump hostname id jq ls md5sum nl nproc od paste printf ps pwd readlink realpath rev
  seq sha1sum sha256sum sha512sum sleep stat strings tac tail test tr true false uname uptime
  wc which whoami`.split(/\s+/),
);

/** Programs that put symbolic links in place of files when they are told to. */
export const linkMakers: ReadonlySet<string> = new Set(
  `ln cp mv install tar bsdtar unzip 7z 7za cpio rsync git hg svn patch busybox toybox stow pax ar
  unsquashfs debootstrap dpkg rpm pip pip3 npm pnpm yarn bun update-alternatives symlink`.split(
    /\s+/,
  ),
);
