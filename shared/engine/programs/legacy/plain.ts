/**
 * Programs that are what their name says and start nothing that their arguments name, beside those
 * that only read. What they write is looked at for all programs alike.
 */
const groups: readonly (readonly [why: string, names: string])[] = [
  [
    'they make, move and remove files',
    `chgrp chmod chown cp dd install link ln mkdir mkfifo mknod mktemp mv rename.ul rm rmdir rsync shred sponge
     symlink sync tee touch truncate unlink ditto fallocate setfacl getfacl chattr lsattr xattr trash`,
  ],
  [
    'they turn text or bytes into others',
    `base32 base64 basenc bc bzip2 bzcat cal col colrm column csplit dos2unix unix2dos expand fmt
     gunzip gzip iconv join look lz4 lz4cat lzma nkf numfmt pathchk pr ptx recode shuf sum tsort
     unexpand unix2mac unzstd uudecode uuencode xz xzcat unxz zcat zstd zstdcat brotli bzgrep zgrep xzgrep
     pigz unpigz pbzip2 uniq tac rev jo gron fx xsv csvcut csvlook csvgrep csvjson miller mlr dasel`,
  ],
  [
    'they look at files',
    `b2sum cksum exa lsd eza file ffprobe identify lsar mediainfo md5 md5sum objdump readelf
     sha224sum sha384sum shasum size strings tree xxd hexyl otool lipo dsymutil c++filt addr2line ncdu
     dust duf gdu cloc scc tokei loc zipinfo pdfinfo pdftotext exiv2 xmllint plutil mdls mdfind`,
  ],
  [
    'they look at this machine',
    `arch cpuid dmesg free getconf getent groups hostid hostnamectl htop top btop iostat journalctl locale
     logname lsblk lscpu lsmem lsmod lsof lspci lsusb mpstat netstat nvidia-smi pgrep pidof pmap printenv
     sar ss sw_vers system_profiler timedatectl tput tty ulimit users vmstat w who last lastlog sensors
     fuser findmnt pstree procs uptime vm_stat xcode-select`,
  ],
  ['they end programs', 'kill killall pkill skill xkill'],
  [
    'they ask other machines and print the answer',
    'dig drill host nslookup ping ping6 traceroute tracepath mtr whois arping http https xh httpie grpcurl',
  ],
  [
    'they check or lay out source text, and run none of it',
    `actionlint astyle buf clang-format codespell dprint gofmt gofumpt goimports golint hadolint
     ktfmt markdownlint markdownlint-cli2 misspell rustfmt shellcheck shfmt staticcheck swiftformat swiftlint
     taplo tflint typos uncrustify xo yamlfmt yamllint google-java-format black isort ruff
     jsonlint stylua nixfmt alejandra buildifier cspell write-good proselint licensecheck`,
  ],
  [
    'they turn pictures and documents into others',
    `dot neato cwebp dwebp gifsicle jpegoptim jpegtran optipng oxipng pngquant pngcrush qpdf pdftoppm
     pdfunite pdfseparate rsvg-convert svgo typst xmlstarlet xsltproc wkhtmltoimage lame flac opusenc`,
  ],
  [
    'they answer, wait or print',
    'clear false fortune cowsay figlet mesg pbcopy pbpaste say sleep true usleep xclip xsel yes ',
  ],
];

export const plainPrograms: ReadonlySet<string> = new Set(
  groups.flatMap(([, names]) => names.trim().split(/\s+/)),
);
