// Stores passwords as argon2id hashes and compares them. The form of a hash is that of PHC:
// https://github.com/P-H-C/phc-string-format/blob/master/phc-sf-spec.md
import { type Argon2Parameters, randomBytes, timingSafeEqual } from 'node:crypto'
import { AppError } from '../../domain/errors.ts'
import { createMutex } from '../../flow/mutex.ts'
import { createTagComputer } from './compute-tag.ts'

/** In code points after normalization. It bounds the work that a stranger can cause. */
export const MAX_PASSWORD_LENGTH = 1_000
/** Normalization joins at most four code points, of two UTF-16 units each, to one. */
const MAX_RAW_LENGTH = 8 * MAX_PASSWORD_LENGTH

/** The recommendation of OWASP: https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html */
const PRESENT: Cost = { memory: 19_456, passes: 2, parallelism: 1 }
const SALT_BYTES = 16
const TAG_BYTES = 32
/** A hash that demands more than this was not made here, and would stall the service. */
const MAX_COST: Cost = { memory: 2 ** 20, passes: 10, parallelism: 4 }
/** The bounds of argon2 and of Node for what a hash stores. */
const MIN_SALT_BYTES = 8
const MIN_TAG_BYTES = 16
const MAX_BYTES = 64

/** About 40 ms of one processor each, so that the last one waits for some seconds, and longer while searches need it. */
const MAX_WAITING = 200

export interface Passwords {
  /**
   * The hash to store. INVALID_INPUT if the password is too long, SERVICE_UNAVAILABLE if too many computations wait.
   */
  hash(password: string): Promise<string>
  /**
   * Whether the hash was made of this password. Null stands for a person who is unknown or has no password: the answer
   * is false and takes as long. Fails like `hash`, and with an error for a hash that is malformed or out of bounds.
   */
  matches(password: string, hash: string | null): Promise<boolean>
}

/** The memory is in KiB. */
type Cost = Pick<Argon2Parameters, 'memory' | 'passes' | 'parallelism'>

interface ParsedHash {
  cost: Cost
  salt: Buffer
  tag: Buffer
}

/** One computation runs at a time, so that searches keep the other processors. */
export function createPasswords({ computeTag = createTagComputer(), maxWaiting = MAX_WAITING } = {}): Passwords {
  const runExclusive = createMutex()
  let waiting = 0
  const compute = async (password: string, salt: Buffer, cost: Cost, tagLength: number): Promise<Buffer> => {
    const message = normalize(password)
    // The one that runs is counted too.
    if (waiting > maxWaiting) throw new AppError('SERVICE_UNAVAILABLE', { reason: TOO_MANY })
    waiting++
    try {
      return await runExclusive(() => computeTag({ ...cost, message, nonce: salt, tagLength }))
    } finally {
      waiting--
    }
  }
  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES)
      return format({ cost: PRESENT, salt, tag: await compute(password, salt, PRESENT, TAG_BYTES) })
    },
    async matches(password, hash) {
      const { cost, salt, tag } = hash === null ? NOBODY : parse(hash)
      const isEqual = timingSafeEqual(await compute(password, salt, cost, tag.length), tag)
      return isEqual && hash !== null
    },
  }
}

/** Whether the hash was made with other parameters than new ones are. Fails like `matches`. */
export function needsRehash(hash: string): boolean {
  const { memory, passes, parallelism } = parse(hash).cost
  return memory !== PRESENT.memory || passes !== PRESENT.passes || parallelism !== PRESENT.parallelism
}

const TOO_MANY = 'Too many people are signing in at this moment. Try again after the time in Retry-After.'

/** Keyboards and systems encode the same accented letter in different ways. */
function normalize(password: string): string {
  const normal = password.length > MAX_RAW_LENGTH ? password : password.normalize('NFC')
  if (normal.length <= MAX_PASSWORD_LENGTH) return normal
  if (normal.length > 2 * MAX_PASSWORD_LENGTH || [...normal].length > MAX_PASSWORD_LENGTH) {
    throw new AppError('INVALID_INPUT', {
      reason: `The password is longer than ${MAX_PASSWORD_LENGTH} characters. Choose a shorter one.`,
    })
  }
  return normal
}

const NOBODY: ParsedHash = { cost: PRESENT, salt: Buffer.alloc(SALT_BYTES), tag: Buffer.alloc(TAG_BYTES) }

const toBase64 = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '')

const format = ({ cost: { memory, passes, parallelism }, salt, tag }: ParsedHash): string =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${toBase64(salt)}$${toBase64(tag)}`

const PHC_PATTERN =
  /^\$argon2id\$v=19\$m=([1-9]\d{0,6}),t=([1-9]\d?),p=([1-9])\$([A-Za-z0-9+/]{1,90})\$([A-Za-z0-9+/]{1,90})$/

function parse(hash: string): ParsedHash {
  const [, memory, passes, parallelism, salt = '', tag = ''] = PHC_PATTERN.exec(hash) ?? []
  const parsed = {
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
  // A text that is not the one form of its bytes was changed after it was written.
  if (format(parsed) === hash && isBounded(parsed)) return parsed
  // The hash itself belongs in no log.
  throw new Error(
    'A stored password hash cannot be read: it is malformed, or its parameters are out of bounds. Set the password again.',
  )
}

const isBounded = ({ cost: { memory, passes, parallelism }, salt, tag }: ParsedHash): boolean =>
  memory >= 8 * parallelism &&
  memory <= MAX_COST.memory &&
  passes <= MAX_COST.passes &&
  parallelism <= MAX_COST.parallelism &&
  salt.length >= MIN_SALT_BYTES &&
  salt.length <= MAX_BYTES &&
  tag.length >= MIN_TAG_BYTES &&
  tag.length <= MAX_BYTES
