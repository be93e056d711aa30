/**
 * Where programs take a secret on their command line that no grammar says of them: programs without
 * a record, and subcommands that a record reads loosely. For what is kept of a command, never for
 * what is decided about it.
 */
export interface SecretPlace {
  /** Base names of programs. */
  readonly programs: string;
  /** Words that stand among the operands before the secret, in this order. */
  readonly command?: string;
  /** Options whose value is one: a letter takes it glued or as the next word, a long name also behind `=`. */
  readonly options?: string;
  /** Letters that take it in the same word only. */
  readonly glued?: string;
  /** The operand that is one, counted from the end of `command`; -1 is the last. */
  readonly operand?: number;
  /** Flags without which `operand` is something else. */
  readonly when?: RegExp;
  /** Every `name=value` behind `command` sets one. */
  readonly pairs?: true;
  /** Part of a value that says nothing: `pass:` of openssl, the user of `user:password`. */
  readonly keep?: RegExp;
  /** Takes it from its input with one of these words, or always. */
  readonly input?: RegExp;
}

const user = /^[^:]*:/;

export const secretPlaces: readonly SecretPlace[] = [
  // Databases.
  {
    programs: `mysql mysqldump mysqladmin mysqlimport mysqlshow mysqlcheck mysqlsh mysqlbinlog mariadb mariadb-dump mariadb-admin mariadb-import mycli xtrabackup`,
    glued: '-p',
  },
  { programs: 'mysqladmin mariadb-admin', command: 'password', operand: 0 },
  {
    programs: 'redis-cli valkey-cli keydb-cli redis-benchmark',
    options: '-a --pass -u',
    input: /^-x$/,
  },
  { programs: 'redis-cli valkey-cli', command: 'auth', operand: -1 },
  { programs: 'redis-cli valkey-cli', command: 'AUTH', operand: -1 },
  { programs: 'redis-cli valkey-cli', command: 'requirepass', operand: 0 },
  {
    programs: 'mongo mongosh mongodump mongorestore mongoexport mongoimport mongostat mongotop',
    options: '-p --password',
  },
  { programs: 'sqlcmd bcp osql isql tsql', options: '-P', glued: '-P' },
  {
    programs: 'clickhouse-client cqlsh influx cockroach snowsql vsql',
    options: '-p --password --token -t',
    when: /^(?!.*--version)/,
  },
  { programs: 'cqlsh nodetool', options: '-p -pw' },
  { programs: 'rabbitmqctl', command: 'add_user', operand: 1 },
  { programs: 'rabbitmqctl', command: 'change_password', operand: 1 },
  { programs: 'rabbitmqctl', command: 'authenticate_user', operand: 1 },
  { programs: 'sqlplus rman expdp impdp', operand: 0, keep: /^[^/]*\// },
  // Directories, mail, files of other machines.
  {
    programs:
      'ldapsearch ldapadd ldapmodify ldapdelete ldappasswd ldapwhoami ldapmodrdn ldapcompare ldapexop',
    options: '-w',
  },
  { programs: 'ldappasswd', options: '-s -a' },
  { programs: 'slappasswd', options: '-s' },
  {
    programs: 'smbclient smbget smbmap rpcclient net mount.cifs winexe',
    options: '-U --user',
    keep: /^[^%]*%/,
  },
  { programs: 'xfreerdp rdesktop wlfreerdp', options: '-p /p', keep: /^:/ },
  { programs: 'lftp lftpget ncftp', options: '-u -p', keep: /^[^,]*,/ },
  { programs: 'swaks', options: '-ap --auth-password' },
  { programs: 'sendemail curlftpfs', options: '-xp' },
  { programs: 'ipmitool', options: '-P' },
  { programs: 'snmpget snmpwalk snmpset snmpbulkwalk', options: '-c -A -X' },
  { programs: 'plink pscp psftp putty kitty', options: '-pw' },
  { programs: 'sshpass', options: '-p' },
  { programs: 'kinit', input: /./ },
  // Keys and archives.
  { programs: 'openssl', options: '-passin -passout -pass -passwd', keep: /^pass:/ },
  { programs: 'openssl', options: '-k -K -hmac -macopt -psk -srppass', keep: /^(?:hexkey|key):/ },
  { programs: 'openssl', command: 'passwd', operand: -1 },
  { programs: 'gpg gpg2', input: /^--passphrase-fd(?:=0)?$/ },
  { programs: 'ssh-keygen', options: '-N -P' },
  { programs: 'ssh-add', input: /^-$/ },
  {
    programs: 'keytool jarsigner apksigner',
    options:
      '-storepass -keypass -srcstorepass -deststorepass -srckeypass -destkeypass --ks-pass --key-pass',
    keep: /^pass:/,
  },
  { programs: '7z 7za 7zr 7zz rar unrar', glued: '-p -hp' },
  { programs: 'zip unzip zipcloak', options: '-P' },
  { programs: 'qpdf', command: '', options: '--password --encrypt' },
  { programs: 'pdftk', command: 'user_pw', operand: 0 },
  { programs: 'pdftk', command: 'owner_pw', operand: 0 },
  { programs: 'age rage', input: /^--?p(?:assphrase)?$/ },
  { programs: 'cryptsetup', input: /^(?:-|--key-file=-|-d-)$/ },
  { programs: 'borg restic rclone', command: 'obscure', operand: 0 },
  { programs: 'htpasswd', operand: -1, when: /(?:^|\s)-[a-zA-Z0-9]*b/ },
  { programs: 'htpasswd', input: /^-[a-zA-Z]*i/ },
  { programs: 'oathtool', operand: 0 },
  { programs: 'htdigest mkpasswd', options: '-P', operand: 0 },
  { programs: 'chpasswd smbpasswd passwd', input: /./ },
  { programs: 'useradd usermod', options: '-p --password' },
  { programs: 'sudo', input: /^(?:-[a-zA-Z]*S|--stdin)$/ },
  { programs: 'security', options: '-w -p -P' },
  { programs: 'secret-tool pass', input: /^(?:store|insert)$/ },
  { programs: 'wpa_passphrase', operand: 1 },
  { programs: 'nmcli', command: 'password', operand: 0 },
  { programs: 'nmcli', command: 'wifi-sec.psk', operand: 0 },
  { programs: 'iwconfig', command: 'key', operand: 0 },
  { programs: 'iwctl', options: '--passphrase -P' },
  { programs: 'vncpasswd x11vnc', options: '-passwd', input: /^-f$/ },
  { programs: 'openvpn openconnect', input: /^--passwd-on-stdin$/ },
  // The web.
  { programs: 'curl', options: '-u --user -U --proxy-user', keep: user },
  { programs: 'curl', options: '-b --cookie', keep: /^[^=]*(?:=|$)/ },
  {
    programs: 'curl',
    options: '--oauth2-bearer --pass --proxy-pass --tlspassword --proxy-tlspassword',
  },
  {
    programs: 'wget wget2 aria2c',
    options:
      '--password --http-password --http-passwd --ftp-password --proxy-password --ftp-passwd --rpc-secret',
  },
  {
    programs: 'http https xh xhs httpie hey wrk ab bombardier vegeta',
    options: '-a --auth -A -P',
    keep: user,
    when: /^(?!.*\s-a\s*basic\s)/,
  },
  { programs: 'websocat wscat grpcurl', options: '--basic-auth --auth', keep: user },
  { programs: 'svn svnadmin hg cvs', options: '--password' },
  // Clouds and clusters.
  { programs: 'vault bao', command: 'login', operand: 0, pairs: true, input: /^-$/ },
  { programs: 'vault bao', command: 'unseal', operand: 0 },
  { programs: 'vault bao', command: 'unwrap', operand: 0 },
  { programs: 'vault bao', command: 'revoke', operand: 0 },
  { programs: 'vault bao', command: 'kv put', pairs: true },
  { programs: 'vault bao', command: 'kv patch', pairs: true },
  {
    programs: 'vault bao',
    command: 'write',
    pairs: true,
    when: /\b(?:auth|secret|database|login|config)\b/,
  },
  { programs: 'consul nomad', options: '-token --token -secret-id' },
  {
    programs: 'docker podman nerdctl skopeo buildah oras crane helm oc registry regctl',
    command: 'login',
    options: '-p --password -t',
    input: /^--password-stdin$/,
  },
  { programs: 'docker podman', command: 'secret create', input: /./ },
  { programs: 'crane', command: 'auth login', options: '-p', input: /^--password-stdin$/ },
  {
    programs: 'helm',
    command: 'registry login',
    options: '-p --password',
    input: /^--password-stdin$/,
  },
  { programs: 'helm', command: 'repo add', options: '--password' },
  { programs: 'oc', command: 'login', options: '-p --password --token' },
  { programs: 'skopeo podman buildah', options: '--creds --src-creds --dest-creds', keep: user },
  { programs: 'ctr crictl', options: '-u --user --creds --auth', keep: user },
  { programs: 'kubectl k3s oc microk8s.kubectl', options: '--from-literal', keep: /^[^=]*=/ },
  { programs: 'kubectl oc', options: '--docker-password --token --password' },
  { programs: 'kubeseal', input: /^--raw$/ },
  { programs: 'argocd', options: '--password --auth-token --new-password --current-password' },
  {
    programs: 'az',
    options:
      '--account-key --sas-token --connection-string --password -p --admin-password --client-secret --secret',
    when: /\b(?:login|account|storage|keyvault|vm|sql|ad|acr|sp|webapp|container|servicebus|eventhubs|batch|cosmosdb)\b/,
  },
  { programs: 'az', command: 'keyvault secret set', options: '--value' },
  { programs: 'az', command: 'appsettings set', pairs: true },
  {
    programs: 'aws',
    options:
      '--secret-string --secret-binary --master-user-password --password --new-password --old-password --session-token --secret-access-key --auth-token',
  },
  { programs: 'aws', command: 'ssm put-parameter', options: '--value' },
  {
    programs: 'aws',
    command: 'configure set',
    operand: 1,
    when: /set\s.*(?:secret|token|key|password)/,
  },
  { programs: 'gcloud', command: 'secrets', input: /^--data-file=-$|^-$/ },
  { programs: 'gcloud', options: '--password --root-password --access-token --key-string' },
  { programs: 'doctl', command: 'auth init', options: '-t --access-token' },
  {
    programs: 'doctl hcloud linode-cli vultr-cli scw ibmcloud',
    options: '--access-token --token --apikey -t',
    when: /\b(?:auth|login|init|context)\b/,
  },
  { programs: 'heroku', command: 'config:set', pairs: true },
  { programs: 'heroku', command: 'config:add', pairs: true },
  { programs: 'dokku', command: 'config:set', pairs: true },
  { programs: 'fly flyctl', command: 'secrets set', pairs: true, input: /^import$/ },
  { programs: 'fly flyctl', options: '-t --access-token' },
  { programs: 'doppler', command: 'secrets set', pairs: true, operand: 1 },
  { programs: 'doppler', options: '-t --token' },
  { programs: 'infisical', command: 'secrets set', pairs: true },
  { programs: 'railway', command: 'variables', pairs: true },
  { programs: 'supabase', command: 'secrets set', pairs: true },
  { programs: 'eas', command: 'secret:create', options: '--value' },
  { programs: 'netlify', command: 'env:set', operand: 1 },
  { programs: 'convex', command: 'env set', operand: 1 },
  { programs: 'wrangler', command: 'secret put', input: /./ },
  { programs: 'vercel', command: 'env add', input: /./ },
  { programs: 'vercel netlify', options: '-t --token --auth -a' },
  { programs: 'gh', command: 'secret set', options: '-b --body', input: /./ },
  { programs: 'gh', command: 'auth login', input: /^--with-token$/ },
  { programs: 'glab', command: 'variable set', operand: 1, options: '-v --value', input: /./ },
  { programs: 'glab', command: 'auth login', options: '-t --token', input: /^--stdin$/ },
  { programs: 'circleci', command: 'setup', options: '--token' },
  { programs: 'travis', command: 'encrypt', operand: 0, pairs: true },
  { programs: 'travis', options: '--github-token -g --pro-token' },
  { programs: 'jenkins-cli java', options: '-auth', keep: user },
  { programs: 'sops', command: 'set', operand: 2 },
  { programs: 'ansible-vault', command: 'encrypt_string', operand: 0 },
  { programs: 'ansible ansible-playbook', options: '--become-password --connection-password' },
  { programs: 'bw', command: 'login', operand: 1 },
  { programs: 'bw', command: 'unlock', operand: 0 },
  { programs: 'bw', options: '--session --code' },
  { programs: 'op', command: 'signin', operand: 2 },
  { programs: 'op', options: '--session' },
  { programs: 'lpass keepassxc-cli', input: /./ },
  { programs: 'tailscale', options: '--authkey --auth-key' },
  { programs: 'ngrok', command: 'authtoken', operand: 0 },
  { programs: 'ngrok', command: 'add-authtoken', operand: 0 },
  { programs: 'ngrok', options: '--authtoken --basic-auth -authtoken', keep: /^[^:]*:(?=.)/ },
  { programs: 'cloudflared', command: 'service install', operand: 0 },
  { programs: 'cloudflared', options: '--token' },
  { programs: 'netbird zerotier-cli', options: '--setup-key' },
  { programs: 'wg', command: 'pubkey', input: /./ },
  { programs: 'pulumi', command: 'config set', operand: 1, when: /--secret/ },
  { programs: 'pulumi', command: 'login', options: '--token' },
  {
    programs: 'terraform tofu',
    options: '-backend-config -var',
    keep: /^(?!.*(?:pass|secret|token|key|cred)[\w-]*=).*$|^[^=]*=/i,
  },
  { programs: 'databricks', command: 'secrets put-secret', options: '--string-value', operand: 2 },
  { programs: 'databricks', command: 'secrets put', options: '--string-value' },
  { programs: 'etcdctl', options: '--user', keep: user },
  { programs: 'dscl', command: '-passwd', operand: 1 },
  // Packages.
  { programs: 'npm pnpm yarn', options: '--otp --_auth --_authToken --_password' },
  { programs: 'cargo', command: 'login', operand: 0 },
  {
    programs: 'cargo gem twine poetry uv flit hatch maturin',
    options: '--token -p --password --api-key',
    when: /\b(?:publish|upload|login|push)\b/,
  },
  { programs: 'poetry', command: 'config', operand: 1, when: /pypi-token|http-basic|password/ },
  { programs: 'poetry', command: 'config', operand: 2, when: /http-basic/ },
  { programs: 'composer', command: 'config', operand: 1, when: /token|oauth|bearer/ },
  { programs: 'composer', command: 'config', operand: 2, when: /http-basic/ },
  { programs: 'bundle', command: 'config', operand: -1, when: /\.|__/, keep: user },
  {
    programs: 'dotnet nuget',
    options: '-k --api-key -ApiKey -Password -p --password',
    when: /\b(?:push|add|source|sources|setApiKey|delete)\b/,
  },
  { programs: 'nuget', command: 'setApiKey', operand: 0 },
  { programs: 'snyk', command: 'auth', operand: 0 },
  { programs: 'huggingface-cli hf', command: 'login', options: '--token' },
  { programs: 'wandb', command: 'login', operand: 0 },
  { programs: 'stripe twilio sentry-cli', options: '--api-key --auth-token --token -k -p' },
  { programs: 'mc', command: 'alias set', operand: 3 },
  { programs: 's3cmd', options: '--secret_key --access_token' },
  { programs: 'flyway liquibase', options: '-password --password' },
  { programs: 'mosquitto_pub mosquitto_sub', options: '-P --pw' },
  { programs: 'mosquitto_passwd', operand: -1, when: /(?:^|\s)-[a-z]*b/ },
  {
    programs: 'virt-customize virt-builder',
    options: '--root-password --password',
    keep: /^.*password:/,
  },
  { programs: 'net', command: 'user', operand: 1 },
  { programs: 'cmdkey runas', options: '/pass /password', keep: /^:/ },
];
