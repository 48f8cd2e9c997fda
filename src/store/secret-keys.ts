// Which keys there are, a new one on command, and the old ones gone when nothing needs them any more.
import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../domain/errors.ts'
import type { Logger } from '../domain/logger.ts'
import type { Database } from './database.ts'
import { addToKeyFile, readKeyFile, removeFromKeyFile } from './key-file.ts'
import { type KeyOrigin, type KeyRing, keyRing, type SecretKey, secretKeyOf } from './key-ring.ts'
import { countByKid, resealAll } from './reseal.ts'
import { type SecretBox, secretBox } from './secret-box.ts'

export interface SecretKeyState {
  kid: string
  /** Null for a key that is not here: another program on this database sealed with it. */
  origin: KeyOrigin | null
  is_newest: boolean
  /** How many secrets are sealed with it. */
  secrets: number
}

export interface SecretKeys {
  box: SecretBox
  list(): Promise<{ keys: SecretKeyState[]; is_rotating: boolean; unreadable: number }>
  /** A new key seals from now on, and `run` seals the rest with it. SECRET_KEY_FROM_ENVIRONMENT when the operator gives it. */
  rotate(): void
  /** SECRET_KEY_IN_USE while a secret is sealed with it. A backup from before needs it still. */
  remove(kid: string): Promise<void>
  /** Seals with the newest key whatever is sealed with an older one, at start and when asked to. Never rejects. */
  run(signal: AbortSignal): Promise<void>
}

export interface SecretKeysNeeds {
  db: Database
  /** DATA_DIR/secret-key. */
  path: string
  /** SECRET_KEY, if the operator gives it. */
  given: string | null
  /** SECRET_KEY_PREVIOUS, the oldest first. */
  previous: readonly string[]
  logger: Logger
  failpoint: (name: string) => void
}

const PAUSE_AFTER_FAILURE_MS = 1_000

/** SECRET_KEY_MISSING when the record holds secrets that no key here opens: it would only make things worse to go on. */
export async function openSecretKeys(needs: SecretKeysNeeds): Promise<SecretKeys> {
  const { db, path, logger, failpoint } = needs
  const ring = await openRing(needs)
  const box = secretBox(ring)
  let isWanted = (await countOlder(db, ring)) > 0
  let unreadable = 0
  let pause = new AbortController()
  const wake = () => {
    isWanted = true
    pause.abort()
  }
  return {
    box,
    list: async () => ({ keys: statesOf(ring, await countByKid(db)), is_rotating: isWanted, unreadable }),
    rotate() {
      if (ring.newest().origin !== 'file') throw new AppError('SECRET_KEY_FROM_ENVIRONMENT', { reason: ROTATE_THERE })
      if (isWanted) throw new AppError('SECRET_KEY_ROTATING')
      const text = addToKeyFile(path)
      failpoint('secret-key-added')
      ring.add(secretKeyOf(text, 'file'))
      wake()
    },
    remove: (kid) =>
      db.transaction().execute(async (trx) => {
        const key = removable(ring, kid, (await countByKid(trx)).get(kid) ?? 0)
        removeFromKeyFile(path, (text) => secretKeyOf(text, 'file').kid === key.kid)
        failpoint('secret-key-removed')
        ring.remove(kid)
      }),
    async run(signal) {
      while (!signal.aborted) {
        pause = new AbortController()
        try {
          if (isWanted) {
            unreadable = await resealAll({ db, ring, box, failpoint }, signal)
            if (signal.aborted) return
            isWanted = false
            logger.info({ kid: ring.newest().kid, unreadable }, 'every secret was sealed with the newest key')
          }
          await sleep(null, [signal, pause.signal])
        } catch (error) {
          logger.error({ err: error }, 'secrets could not be sealed with the newest key yet')
          await sleep(PAUSE_AFTER_FAILURE_MS, [signal])
        }
      }
    },
  }
}

const ROTATE_THERE =
  'start the service with a new SECRET_KEY, and with the present one as SECRET_KEY_PREVIOUS; the secrets follow by themselves'
const REMOVE_THERE = 'take it out of the settings and start the service again'

export type KeySettings = Pick<SecretKeysNeeds, 'path' | 'given' | 'previous'>

async function openRing({ db, ...settings }: SecretKeysNeeds): Promise<KeyRing> {
  const { path } = settings
  const { older, newest } = readKeys(settings)
  const known = new Set([...older, ...(newest ? [newest] : [])].map(({ kid }) => kid))
  for (const [kid, count] of await countByKid(db)) {
    if (!known.has(kid)) throw new AppError('SECRET_KEY_MISSING', { kid, count, path })
  }
  return keyRing(older, newest ?? newKey(path))
}

/** Opens what the keys that are here open; what it seals is for nobody. For looking at secrets whose keys are lost. */
export function openReadingBox(settings: KeySettings): SecretBox {
  const { older, newest } = readKeys(settings)
  return secretBox(keyRing(older, newest ?? secretKeyOf(randomBytes(32).toString('base64url'), 'file')))
}

/** The same that seals, too, with a key that is made if there is none: whoever asks for it has given up the lost ones. */
export function openBox(settings: KeySettings): SecretBox {
  const { older, newest } = readKeys(settings)
  return secretBox(keyRing(older, newest ?? newKey(settings.path)))
}

const newKey = (path: string) => secretKeyOf(addToKeyFile(path), 'file')

function readKeys({ path, given, previous }: KeySettings): { older: SecretKey[]; newest: SecretKey | undefined } {
  const kept = readKeyFile(path)
  const older = [
    ...previous.map((it) => secretKeyOf(it, 'SECRET_KEY_PREVIOUS')),
    ...kept.map((it) => secretKeyOf(it, 'file')),
  ]
  return {
    older,
    newest: given === null ? older.findLast((it) => it.origin === 'file') : secretKeyOf(given, 'SECRET_KEY'),
  }
}

async function countOlder(db: Database, ring: KeyRing): Promise<number> {
  const counts = await countByKid(db)
  return [...counts].reduce((sum, [kid, count]) => sum + (kid === ring.newest().kid ? 0 : count), 0)
}

function statesOf(ring: KeyRing, counts: ReadonlyMap<string, number>): SecretKeyState[] {
  const known = ring.list().map(({ kid, origin }) => ({ kid, origin }))
  const others = [...counts.keys()].filter((kid) => ring.find(kid) === undefined).map((kid) => ({ kid, origin: null }))
  const { kid: newest } = ring.newest()
  return [...others, ...known].map((it) => ({ ...it, is_newest: it.kid === newest, secrets: counts.get(it.kid) ?? 0 }))
}

function removable(ring: KeyRing, kid: string, secrets: number): SecretKey {
  const key = ring.find(kid)
  if (key === undefined) throw new AppError('SECRET_KEY_NOT_FOUND', { kid })
  if (kid === ring.newest().kid) throw new AppError('SECRET_KEY_IN_USE', { kid, reason: 'it is the newest' })
  if (secrets > 0) throw new AppError('SECRET_KEY_IN_USE', { kid, reason: `${secrets} secrets are sealed with it` })
  if (key.origin !== 'file') throw new AppError('SECRET_KEY_FROM_ENVIRONMENT', { reason: REMOVE_THERE })
  return key
}

const sleep = (ms: number | null, signals: AbortSignal[]) =>
  delay(ms ?? FOREVER_MS, undefined, { signal: AbortSignal.any(signals) }).catch(() => {})
/** The longest that a timer takes. */
const FOREVER_MS = 2 ** 31 - 1
