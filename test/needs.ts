// What a test needs from the system beside Node: test('…', needs('gcc'), () => …)
// Missing, it is installed where that is allowed (CI, npm test -- --install) and possible, else the test is skipped.
import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const NEEDS = {
  gcc: { probe: 'gcc --version && test -e /usr/include/stdio.h', debian: ['gcc', 'libc6-dev'] },
  chromium: { probe: 'chromium --version', debian: ['chromium'] },
  postgres: { probe: 'ls /usr/lib/postgresql/*/bin/initdb', debian: ['postgresql'] },
} as const

export type Need = keyof typeof NEEDS

const INSTALL_TIMEOUT_MS = 600_000
const answers = new Map<Need, { skip?: string }>()

export function needs(need: Need): { skip?: string } {
  const known = answers.get(need)
  if (known !== undefined) return known
  const reason = isThere(need) ? undefined : install(need)
  const answer = reason === undefined ? {} : { skip: reason }
  answers.set(need, answer)
  return answer
}

const isThere = (need: Need): boolean => shell(NEEDS[need].probe).status === 0

/** Why it is still missing, or undefined. */
function install(need: Need): string | undefined {
  const packages = NEEDS[need].debian.join(' ')
  const missing = `needs ${need} (Debian: apt-get install ${packages})`
  if (process.env.TEST_INSTALL !== '1') return `${missing}; npm test -- --install installs it`
  if (shell('command -v apt-get flock').status !== 0) return `${missing}; there is no apt-get here`
  const root = process.getuid?.() === 0 ? '' : 'sudo -n '
  if (shell(`${root}true`).status !== 0) return `${missing}; there are no rights to install it`
  // The package lists may be missing or too old: then the first try fails, and the second has new ones.
  const get = `${root}env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install ${packages}`
  const steps = `(${NEEDS[need].probe}) || ${get} || { ${root}apt-get -qq update && ${get}; }`
  const { stdout, stderr } = shell(`flock ${join(tmpdir(), 'pharos-apt.lock')} sh -c '${steps}'`)
  return isThere(need) ? undefined : `${missing}; installing failed: ${`${stdout}${stderr}`.trim().slice(-300)}`
}

const shell = (line: string) =>
  spawnSync('sh', ['-c', line], { encoding: 'utf8', timeout: INSTALL_TIMEOUT_MS, stdio: ['ignore', 'pipe', 'pipe'] })
