// The members of an archive, each as a document of its own. Nothing is ever written to where a name points.
import { Ended, type Reading, spend } from './reading.ts'
import { bytesOf, type ZipFile, type ZipMember } from './zip-file.ts'

/** What systems leave in archives, and nobody put there. */
const LITTER = /(?:^|\/)(?:__MACOSX\/|\.DS_Store$|Thumbs\.db$|desktop\.ini$)/

export async function readArchive(reading: Reading, zip: ZipFile): Promise<void> {
  checkDepth(reading)
  for (const member of zip.members) {
    if (member.name.endsWith('/') || LITTER.test(member.name)) continue
    spend(reading.budget, 'members')
    const reason = refusal(member)
    if (reason === null) await readMember(reading, member)
    else skip(reading, member.name, reason)
  }
}

export function checkDepth({ depth, budget }: Reading): void {
  if (depth >= budget.limits.depth) throw new Ended('limit', 'depth')
}

export const skip = ({ warn }: Reading, name: string, reason: string): void =>
  warn('member_skipped', `${JSON.stringify(name.slice(0, 200).toWellFormed())}: ${reason}`)

/** One broken member costs itself; a limit of the whole costs the rest. */
async function readMember(reading: Reading, member: ZipMember): Promise<void> {
  let bytes: Buffer
  try {
    bytes = await bytesOf(member)
  } catch (error) {
    if (error instanceof Ended && error.verdict === 'limit') throw error
    skip(reading, member.name, error instanceof Ended ? error.verdict : `damaged (${messageOf(error)})`)
    return
  }
  await reading.part(member.name, bytes)
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message.slice(0, 200) : String(error))

const REGULAR = 0o100000
const SYMLINK = 0o120000

function refusal({ name, isEncrypted, unixType }: ZipMember): string | null {
  if (unixType === SYMLINK) return 'a symbolic link'
  if (unixType !== 0 && unixType !== REGULAR) return 'not a file'
  if (isEncrypted) return 'password'
  return nameFault(name)
}

const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

/** Names are shown and linked by others, so one that leads out of the archive does not leave this room. */
export function nameFault(name: string): string | null {
  if (name === '' || name.length > 1_000) return 'its name is empty or longer than 1,000 characters'
  if (/[\0-\x1f]/.test(name)) return 'its name has control characters'
  if (/^(?:[\\/]|[a-z]:)/i.test(name)) return 'its name is an absolute path'
  const steps = name.split(/[\\/]/)
  if (steps.includes('..')) return 'its name leads out of the archive'
  return steps.some((it) => DEVICE.test(it)) ? 'its name is that of a device' : null
}
