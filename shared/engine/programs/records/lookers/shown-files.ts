import { doubt, inert, parsed, reads, readsTree, writes } from '../../forms.ts';
import { clap, getopt, pflag, wholeNames } from '../../syntax.ts';
import type { Options, ProgramRecord } from '../../types.ts';
import { atNames } from '../shapes.ts';
import { only } from './looker.ts';
import { shows, type Shown } from './shown.ts';

/** Programs that list files, or show or find what is in them. */

/** A film or sound of this machine that names no other files, and no format that reads some. */
const medium = parsed((value, word) => ({
  effects: [{ kind: 'path', use: 'reads', path: value, word }],
  doubts:
    /^[a-z][a-z0-9+]*[:,]/i.test(value) || /\.(?:m3u8?|ffconcat|sdp|pls|xspf|mpd|txt)$/i.test(value)
      ? [doubt('ffprobe opens addresses, or files that others name', word)]
      : [],
}));

const grepping = `-A|--after-context= -B|--before-context= -C|--context= -c|--count -E|--extended-regexp
  -F|--fixed-strings -G|--basic-regexp -P|--perl-regexp -H|--with-filename -h|--no-filename -i|--ignore-case
  -L|--files-without-match -l|--files-with-matches -m|--max-count= -n|--line-number -o|--only-matching -q|--quiet
  -s|--no-messages -v|--invert-match -w|--word-regexp -x|--line-regexp -y -a|--text -b|--byte-offset -T -Z|--null
  --color[] --colour[] -e|--regexp= --help -V|--version`;

const filed: Options = { '-f --file': reads };

const shown: Readonly<Record<string, Shown>> = {
  'exa eza': {
    does: 'Lists files.',
    syntax: clap,
    options: `-1|--oneline -G|--grid -l|--long -R|--recurse -T|--tree -x|--across -F|--classify -X|--dereference -a|--all
      -A|--almost-all -d|--list-dirs|--treat-dirs-as-files -L|--level= -r|--reverse -s|--sort= -I|--ignore-glob=
      -D|--only-dirs -f|--only-files -b|--binary -B|--bytes -g|--group -h|--header -H|--links -i|--inode -m|--modified
      -M|--mounts -n|--numeric -O|--flags -S|--blocksize -t|--time= -u|--accessed -U|--created --changed -Z|--context
      -@|--extended -o|--octal-permissions -w|--width= --color= --colour= --color-scale[] --colour-scale[]
      --color-scale-mode= --icons[] --no-icons --no-quotes --hyperlink --follow-symlinks --group-directories-first
      --group-directories-last --git --no-git --git-ignore --git-repos --git-repos-no-status --time-style=
      --no-permissions --no-filesize --no-user --no-time --total-size --no-symlinks --show-symlinks --smart-group
      --absolute[] -? --help -v|--version`,
    operands: reads,
  },
  lsd: {
    does: 'Lists files.',
    syntax: clap,
    options: `-a|--all -A|--almost-all --color= --icon= --icon-theme= -F|--classify -l|--long -1|--oneline -R|--recursive
      -h|--human-readable --tree --depth= -d|--directory-only --permission= --size= --total-size --date= -t|--timesort
      -S|--sizesort -X|--extensionsort -G|--gitsort -v|--versionsort --sort= -U|--no-sort -r|--reverse --group-dirs=
      --group-directories-first --blocks= --classic --no-symlink -I|--ignore-glob= -i|--inode -g|--git -L|--dereference
      -Z|--context --hyperlink= --header --truncate-owner-after= --ignore-config --help -V|--version`,
    operands: reads,
  },
  ffprobe: {
    does: 'Shows what a film or sound is made of.',
    syntax: wholeNames,
    options: `-v= -loglevel= -hide_banner -show_format -show_streams -show_packets -show_frames -show_entries=
      -show_chapters -show_programs -show_stream_groups -show_error -show_data -show_data_hash= -show_private_data
      -private -noprivate -show_versions -show_program_version -show_library_versions -show_pixel_formats
      -show_optional_fields= -show_log= -count_frames -count_packets -read_intervals= -select_streams= -of=
      -print_format= -output_format= -pretty -unit -prefix -byte_binary_prefix -sexagesimal -sections -bitexact -L -h
      -help -version -formats -codecs -decoders -encoders -protocols -filters -pix_fmts -threads= -analyzeduration=
      -probesize=`,
    roles: {
      '-i': medium,
      '-f': only(
        /^(?:mp[34]|m4a|mov|matroska|webm|avi|wav|flac|ogg|mpegts|flv|aac|h26[45])$/,
        'a format of ffprobe can read other files',
      ),
    },
    operands: medium,
  },
  md5: {
    does: 'Prints sums of files.',
    syntax: getopt,
    options: '-p -q -r -t -x -s= -c=',
    operands: reads,
  },
  shasum: {
    does: 'Prints or checks sums of files.',
    options: `-a|--algorithm= -b|--binary -c|--check -U|--UNIVERSAL -0|--01 -t|--text -p|--portable -s|--status -w|--warn
      -q|--quiet --strict --ignore-missing --tag -h|--help -v|--version`,
    operands: reads,
  },
  pdfinfo: {
    does: 'Shows what a document says of itself.',
    syntax: wholeNames,
    options: `-f= -l= -box -meta -custom -js -struct -struct-text -url -isodates -rawdates -dests -enc= -listenc -opw= -upw= -v
      -h -help --help -?`,
    operands: reads,
  },
  mdls: {
    does: 'Shows what is known of files.',
    syntax: wholeNames,
    options: '-name= -raw -nullMarker=',
    roles: { '-plist': writes },
    operands: reads,
  },
  mdfind: {
    does: 'Finds files.',
    syntax: wholeNames,
    options: '-name= -live -count -0 -s= -literal -interpret -attr= -reprint',
    roles: { '-onlyin': readsTree },
    operands: inert,
  },
  dust: {
    does: 'Shows how much space files take.',
    syntax: clap,
    options: `-d|--depth= -n|--number-of-lines= -T|--threads= -s|--apparent-size -r|--reverse -c|--no-colors -C|--force-colors
      -b|--no-percent-bars -B|--bars-on-right -z|--min-size= -R|--screen-reader --skip-total -f|--filecount -i|--ignore-hidden
      -v|--invert-filter= -e|--filter= -t|--file-types -w|--terminal-width= -P|--no-progress -D|--only-dir -F|--only-file
      -o|--output-format= -S|--stack-size= -j|--output-json -x|--limit-filesystem -L|--dereference-links -p|--full-paths
      -h|--help -V|--version`,
    roles: { '-X --ignore-directory': inert },
    operands: readsTree,
  },
  duf: {
    does: 'Shows free space.',
    syntax: pflag,
    options: `--all --hide= --hide-fs= --hide-mp= --inodes --json --only= --only-fs= --only-mp= --output= --sort= --style=
      --theme= --width= --warnings --version --help`,
    operands: reads,
  },
  gdu: {
    does: 'Shows how much space files take.',
    syntax: pflag,
    options: `-n|--non-interactive -p|--no-progress -s|--summarize -a|--show-apparent-size -d|--show-disks -c|--no-color
      -H|--no-hidden -L|--follow-symlinks -x|--no-cross -A|--show-annexed-size -C|--show-item-count -t|--top= -m|--max-cores=
      -i|--ignore-dirs= -I|--ignore-dirs-pattern= --si -k|--show-in-kib -u|--no-unicode -v|--version -h|--help --no-mouse
      --no-prefix --const-gc -g|--const-gc`,
    roles: { '-o --output-file -l --log-file': writes, '-f --input-file -X --ignore-from': reads },
    operands: readsTree,
  },
  loc: {
    does: 'Counts lines of code.',
    syntax: clap,
    options: '-u --files --exclude= --include= --sort= -h|--help -V|--version',
    operands: readsTree,
  },
  hexyl: {
    does: 'Prints bytes of files.',
    syntax: clap,
    options: `-n|--length= -c|--bytes= -s|--skip= --block-size= -v|--no-squeezing --color= --border= -p|--plain
      --no-characters -C|--characters --character-table= -P|--no-position -o|--display-offset= --panels= -g|--group-size=
      --endianness= -b|--base= --terminal-width= -h|--help -V|--version`,
    operands: reads,
  },
  look: {
    does: 'Finds lines that begin with a word.',
    options:
      '-a|--alternative -d|--alphanum -f|--ignore-case -t|--terminate= -h|--help -V|--version',
    operands: reads,
  },
  sum: { does: 'Prints sums of files.', options: '-r -s|--sysv', operands: reads },
  basenc: {
    does: 'Encodes or decodes.',
    options: `--base64 --base64url --base58 --base32 --base32hex --base16 --base2msbf --base2lsbf --z85 -d|--decode
      -i|--ignore-garbage -w|--wrap=`,
    operands: reads,
  },
  zgrep: { does: 'Searches packed files.', options: grepping, roles: filed, operands: reads },
  bzgrep: { does: 'Searches packed files.', options: grepping, roles: filed, operands: reads },
  xzgrep: { does: 'Searches packed files.', options: grepping, roles: filed, operands: reads },
  cal: {
    does: 'Shows a calendar.',
    options: `-1|--one -3|--three -n|--months= -S|--span -s|--sunday -m|--monday -j|--julian -y|--year -Y|--twelve -w|--week[]
      -v|--vertical -c|--columns= --color[] --reform= --iso -A= -B= -C -M -N -b -d= -e -H= -J -p -h|--help -V|--version`,
    operands: inert,
  },
  whereis: {
    does: 'Finds programs and their manuals.',
    syntax: getopt,
    options: '-b -m -s -u -g -l -f -B -M -S -h --help -V --version',
    operands: reads,
  },
  'apropos whatis': {
    does: 'Finds manuals.',
    options: `-a|--and -d|--debug -e|--exact -l|--long -r|--regex -w|--wildcard -s|--sections|--section= -L|--locale=
      -v|--verbose -?|--help --usage -V|--version`,
    operands: inert,
  },
  clear: { does: 'Clears the terminal.', syntax: getopt, options: '-x -T= -V' },
  mesg: { does: 'Says who may write to the terminal.', options: '-v|--verbose', operands: inert },
  say: {
    does: 'Reads a text aloud.',
    options:
      '-v|--voice= -r|--rate= -i|--interactive[] --progress --quality= --channels= --bit-rate= --file-format= --data-format= -a|--audio-device=',
    roles: { '-o --output-file': writes, '-f --input-file': reads },
    operands: inert,
  },
  zcat: {
    does: 'Prints packed files.',
    options: `-f|--force -l|--list -q|--quiet -t|--test -v|--verbose -d|--decompress -c|--stdout -k|--keep -n|--no-name
      -a|--ascii -r|--recursive -h|--help -V|--version -L|--license`,
    operands: reads,
  },
  bzcat: {
    does: 'Prints packed files.',
    options:
      '-d|--decompress -f|--force -k|--keep -q|--quiet -s|--small -t|--test -v|--verbose -c|--stdout -h|--help -V|--version -L|--license',
    operands: reads,
  },
  lz4cat: {
    does: 'Prints packed files.',
    syntax: getopt,
    options: '-d -f -k -q -v -c -t -h -V --help --version',
    operands: reads,
  },
  zipinfo: {
    does: 'Lists archives.',
    syntax: getopt,
    options: '-1 -2 -s -m -l -v -h -M -t -T -U -z -C -Z -x',
    operands: reads,
  },
  lsar: {
    does: 'Lists archives.',
    syntax: wholeNames,
    options: `-l|-long -L|-verylong -t|-test -p|-password= -e|-encoding= -E|-password-encoding= -pe|-print-encodings
      -i|-indexes -j|-json -ja|-json-ascii -nr|-no-recursion -h|-help -v|-version --help`,
    operands: reads,
  },
  'which which.debianutils': {
    does: 'Finds programs by name.',
    options: `-a|--all -s -i|--read-alias --skip-alias --read-functions --skip-functions --skip-dot --skip-tilde --show-dot
      --show-tilde --tty-only -v|-V`,
    operands: reads,
  },
};

export const shownFilePrograms: readonly ProgramRecord[] = shows(shown).map((record) =>
  record.names[0] === 'which' ? atNames(record) : record,
);
