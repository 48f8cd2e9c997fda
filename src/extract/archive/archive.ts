// Reads each member of an archive as a document. Members are never written to disk.
import { chargeBudget, ReadEnded, type ReaderContext } from '../reader.ts'
import { memberBytes, type ZipFile, type ZipMember } from './zip-file.ts'

/** Files that operating systems add to archives. */
const SYSTEM_FILES = /(?:^|\/)(?:__MACOSX\/|\.DS_Store$|Thumbs\.db$|desktop\.ini$)/

export async function readArchive(context: ReaderContext, zip: ZipFile): Promise<void> {
  checkArchiveDepth(context)
  for (const member of zip.members) {
    if (member.name.endsWith('/') || SYSTEM_FILES.test(member.name)) continue
    chargeBudget(context.budget, 'members')
    const reason = reasonToSkipMember(member)
    if (reason === null) await readMember(context, member)
    else warnMemberSkipped(context, member.name, reason)
  }
}

export function checkArchiveDepth({ depth, budget }: ReaderContext): void {
  if (depth >= budget.limits.depth) throw new ReadEnded('limit', 'depth')
}

export const warnMemberSkipped = ({ warn }: ReaderContext, name: string, reason: string): void =>
  warn('member_skipped', `${JSON.stringify(name.slice(0, 200).toWellFormed())}: ${reason}`)

/** A broken member is skipped. A limit of the whole archive ends the reading. */
export async function readMember(context: ReaderContext, member: ZipMember): Promise<void> {
  let bytes: Buffer
  try {
    bytes = await memberBytes(member)
  } catch (error) {
    if (error instanceof ReadEnded && error.verdict === 'limit') throw error
    warnMemberSkipped(
      context,
      member.name,
      error instanceof ReadEnded ? error.verdict : `damaged (${errorMessage(error)})`,
    )
    return
  }
  await context.part(member.name, bytes)
}

const errorMessage = (error: unknown): string => (error instanceof Error ? error.message.slice(0, 200) : String(error))

const REGULAR = 0o100000
const SYMLINK = 0o120000

function reasonToSkipMember({ name, isEncrypted, unixType }: ZipMember): string | null {
  if (unixType === SYMLINK) return 'a symbolic link'
  if (unixType !== 0 && unixType !== REGULAR) return 'not a file'
  if (isEncrypted) return 'password'
  return unsafeNameReason(name)
}

const DEVICE_NAME = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

/** Names are displayed and used in links, so names that point outside the archive are rejected here. */
export function unsafeNameReason(name: string): string | null {
  if (name === '' || name.length > 1_000) return 'its name is empty or longer than 1,000 characters'
  if (/[\0-\x1f]/.test(name)) return 'its name has control characters'
  if (/^(?:[\\/]|[a-z]:)/i.test(name)) return 'its name is an absolute path'
  const steps = name.split(/[\\/]/)
  if (steps.includes('..')) return 'its name points outside the archive'
  return steps.some((it) => DEVICE_NAME.test(it)) ? 'its name is a device name' : null
}
