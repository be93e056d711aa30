/** Words of Python that a text may use which only computes, reads and prints. */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Statements and operators. Classes, coroutines and patterns are not among them. */
export const statements = words(`
  False None True and as assert break continue def del elif else except finally for from global if
  import in is lambda nonlocal not or pass raise return try while with yield
`);

/**
 * Everything that Python names by itself, in any version: of these only the ones in `builtins` may be
 * used. A name that is none of them, and that nothing in the code makes, is an error when it runs.
 */
export const named = words(`
  ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError
  BrokenPipeError BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError
  ConnectionRefusedError ConnectionResetError DeprecationWarning EOFError Ellipsis EncodingWarning
  EnvironmentError Exception ExceptionGroup FileExistsError FileNotFoundError FloatingPointError
  FutureWarning GeneratorExit IOError ImportError ImportWarning IndentationError IndexError
  InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError
  ModuleNotFoundError NameError NotADirectoryError NotImplemented NotImplementedError OSError
  OverflowError PendingDeprecationWarning PermissionError ProcessLookupError PythonFinalizationError
  RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning StandardError StopAsyncIteration
  StopIteration SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError TypeError
  UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError
  UnicodeWarning UserWarning ValueError Warning WindowsError ZeroDivisionError
  abs aiter all anext any apply ascii basestring bin bool breakpoint buffer bytearray bytes callable chr
  classmethod cmp coerce compile complex copyright credits delattr dict dir divmod enumerate eval exec
  execfile exit file filter float format frozenset getattr globals hasattr hash help hex id input int
  intern isinstance issubclass iter len license list locals long map max memoryview min next object oct
  open ord pow print property quit range raw_input reduce reload repr reversed round set setattr slice
  sorted staticmethod str sum super tuple type unichr unicode vars xrange zip
  async await class case
`);

/** Those of them that compute, print or end. `open` is looked at by itself. */
export const builtins = words(`
  ArithmeticError AssertionError AttributeError Exception FileNotFoundError IOError IndexError KeyError
  LookupError NameError NotImplementedError OSError OverflowError PermissionError RuntimeError
  StopIteration SystemExit TypeError UnicodeDecodeError UnicodeError ValueError ZeroDivisionError
  abs all any ascii bin bool bytearray bytes chr complex dict divmod enumerate exit filter float
  frozenset hash hex id int isinstance iter len list long map max min next oct open ord pow print quit
  range repr reversed round set slice sorted str sum tuple unicode xrange zip
`);

/** What may be taken of a module; of others nothing. A name with a dot is a module again. */
export const modules: Readonly<Record<string, ReadonlySet<string>>> = {
  __future__: words('annotations print_function division absolute_import unicode_literals'),
  ast: words(
    'literal_eval parse walk dump unparse get_docstring iter_child_nodes AST FunctionDef AsyncFunctionDef ClassDef Import ImportFrom Call Name Attribute Assign Constant Module',
  ),
  bisect: words('bisect bisect_left bisect_right insort'),
  calendar: words('monthrange isleap month_name day_name'),
  collections: words('Counter defaultdict OrderedDict deque namedtuple ChainMap'),
  csv: words(
    'reader DictReader writer DictWriter QUOTE_ALL QUOTE_MINIMAL QUOTE_NONE QUOTE_NONNUMERIC Sniffer field_size_limit',
  ),
  datetime: words('datetime date time timedelta timezone UTC'),
  decimal: words('Decimal ROUND_HALF_UP ROUND_HALF_EVEN ROUND_DOWN'),
  difflib: words('unified_diff ndiff SequenceMatcher get_close_matches context_diff'),
  fnmatch: words('fnmatch filter'),
  fractions: words('Fraction'),
  functools: words('reduce partial lru_cache cmp_to_key'),
  glob: words('glob iglob'),
  hashlib: words('md5 sha1 sha224 sha256 sha384 sha512 blake2b'),
  heapq: words('nlargest nsmallest heappush heappop heapify merge'),
  html: words('escape unescape'),
  io: words('StringIO BytesIO'),
  ipaddress: words('ip_address ip_network ip_interface IPv4Address IPv4Network IPv6Network'),
  itertools: words(
    'chain groupby islice product permutations combinations zip_longest count cycle repeat accumulate takewhile dropwhile starmap tee pairwise batched',
  ),
  json: words('load loads dump dumps JSONDecodeError'),
  keyword: words('kwlist iskeyword'),
  math: words(
    'pi e inf nan sqrt floor ceil log log2 log10 log1p exp pow sin cos tan asin acos atan atan2 hypot gcd lcm factorial isclose isnan isinf fabs fsum prod comb perm trunc degrees radians dist isqrt',
  ),
  os: words('getcwd listdir walk sep linesep cpu_count getpid os.path'),
  'os.path': words(
    'join basename dirname exists isfile isdir splitext relpath abspath getsize getmtime normpath sep split islink expanduser',
  ),
  pathlib: words('Path PurePath PurePosixPath'),
  pprint: words('pprint pformat'),
  random: words('random randint choice choices sample seed shuffle uniform gauss Random'),
  re: words(
    'compile match search findall finditer sub subn split fullmatch escape IGNORECASE MULTILINE DOTALL VERBOSE ASCII I M S X A',
  ),
  statistics: words('mean median mode stdev pstdev variance pvariance quantiles fmean'),
  string: words(
    'ascii_letters ascii_lowercase ascii_uppercase digits hexdigits punctuation whitespace',
  ),
  struct: words('unpack unpack_from calcsize pack iter_unpack'),
  sys: words(
    'argv stdin stdout stderr exit version version_info platform executable maxsize byteorder getsizeof getrecursionlimit setrecursionlimit',
  ),
  textwrap: words('dedent indent wrap fill shorten'),
  time: words('time perf_counter monotonic sleep strftime gmtime localtime strptime'),
  tomllib: words('load loads TOMLDecodeError'),
  unicodedata: words('name category normalize lookup'),
  urllib: words('urllib.parse'),
  'urllib.parse': words(
    'urlparse urlsplit parse_qs parse_qsl quote unquote urlencode urljoin quote_plus',
  ),
  'xml.etree.ElementTree': words('parse fromstring tostring Element'),
  zlib: words('crc32 adler32'),
};

/**
 * What may be taken of any other value: of texts, numbers, lists, tables, times, matches, paths and
 * files. None of these starts, loads, deletes or sends anything, whichever of them the value is.
 */
export const attributes = words(`
  capitalize casefold center count decode encode endswith expandtabs find format hex index isalnum isalpha
  isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper join ljust
  lower lstrip partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip
  split splitlines startswith strip swapcase title upper zfill
  bit_length conjugate imag is_integer real numerator denominator quantize to_bytes from_bytes fromhex
  append add clear copy difference discard extend get insert intersection isdisjoint issubset issuperset
  items keys pop popitem popleft appendleft remove reverse rotate setdefault sort symmetric_difference
  union update values most_common elements subtract total fromkeys
  end endpos expand findall finditer flags fullmatch group groupdict groups lastgroup lastindex match
  pattern pos search span start string sub subn groupindex
  astimezone combine ctime date day days fold fromisoformat fromtimestamp hour isocalendar isoformat
  isoweekday max microsecond microseconds min minute month now second seconds strftime strptime time
  timestamp timetuple today toordinal total_seconds tzinfo utc utcfromtimestamp utcnow utcoffset weekday
  year
  as_posix exists glob is_absolute is_dir is_file is_relative_to is_symlink iterdir name parent parents
  parts relative_to rglob stat stem suffix suffixes with_name with_suffix with_stem joinpath absolute
  st_size st_mtime st_mode st_ctime
  read_text read_bytes write_text write_bytes
  close closed encoding fileno flush isatty lineno mode newlines read readable readline readlines readinto
  seek seekable tell writable write writelines buffer getvalue
  dialect fieldnames line_num writeheader writerow writerows
  digest hexdigest block_size digest_size
  netloc path query fragment scheme hostname port params
  ratio get_opcodes get_matching_blocks quick_ratio
  body id names module level targets attr func decorator_list col_offset end_lineno
  attrib findtext getroot iter iterfind itertext tag tail text
  num_addresses subnets supernet hosts network_address broadcast_address netmask prefixlen overlaps
  args errno strerror filename msg reason colno
  major micro releaselevel serial
`);

/** Modules that come with Python; one of the project by such a name is imported in its place. */
const standard = words(`
  abc aifc antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii
  bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys
  compileall compression concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes curses
  dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno
  faulthandler fcntl filecmp fileinput fnmatch formatter fractions ftplib functools gc genericpath getopt
  getpass gettext glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib imghdr imp importlib
  inspect io ipaddress itertools json keyword lib2to3 linecache locale logging lzma mailbox mailcap
  marshal math mimetypes mmap modulefinder multiprocessing netrc nis nntplib nt ntpath nturl2path numbers
  opcode operator optparse os ossaudiodev pathlib pdb pickle pickletools pipes pkgutil platform plistlib
  poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue
  quopri random re readline reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex
  shutil signal site sitecustomize smtpd smtplib sndhdr socket socketserver spwd sqlite3 sre_compile
  sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau symbol symtable sys
  sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap this thread threading time timeit
  tkinter token tokenize tomllib trace traceback tracemalloc tty turtle types typing unicodedata unittest
  urllib usercustomize uu uuid venv warnings wave weakref webbrowser wsgiref xdrlib xml xmlrpc zipapp zipfile
  zipimport zlib zoneinfo
`);

/**
 * Whether a file or folder of the folder where Python is started would be imported in the place of a
 * module that comes with it. `isPackage` says whether a folder holds one.
 */
export function standsForModule(
  name: string,
  kind: 'file' | 'folder' | 'link',
  isPackage: (name: string) => boolean,
): boolean {
  const stem = /^(\w+)\.(?:py|pyc|pyd|so|(?:\w+[-.])*so)$|^(\w+)\.[\w-]+\.(?:so|pyd)$/.exec(name);
  const found =
    kind === 'folder' ? name : (stem?.[1] ?? stem?.[2] ?? (kind === 'link' ? name : ''));
  if (!standard.has(found) && !/^_[a-z]/.test(found)) return false;
  return kind === 'folder' ? isPackage(name) : true;
}
