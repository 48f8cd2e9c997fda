// Manages the secret keys: lists them, adds a new one on request, and removes old ones that are no longer needed.
import { randomBytes } from 'node:crypto'
import { AppError } from '../../domain/errors.ts'
import type { Logger } from '../../domain/logger.ts'
import { createLoop, logErrors } from '../../flow/background-loop.ts'
import type { Database } from '../database/database.ts'
import { appendKey, readKeyFile, removeKeys } from './key-file.ts'
import { createKeyRing, deriveSecretKey, type KeyOrigin, type KeyRing, type SecretKey } from './key-ring.ts'
import { countSecretsByKid, resealSecrets } from './reseal-secrets.ts'
import { createSecretBox, type SecretBox } from './secret-box.ts'

export interface SecretKeyState {
  kid: string
  /** Null for a key that is not available here: another program on this database sealed with it. */
  origin: KeyOrigin | null
  is_newest: boolean
  /** Number of secrets sealed with it. */
  secrets: number
}

export interface SecretKeys {
  box: SecretBox
  list(): Promise<{ keys: SecretKeyState[]; is_rotating: boolean; unreadable: number }>
  /**
   * Seals with a new key from now on; `run` reseals the rest. SECRET_KEY_FROM_ENVIRONMENT: the operator provides the
   * key.
   */
  rotate(): void
  /** SECRET_KEY_IN_USE: a secret is sealed with it. Older backups still need the key. */
  remove(kid: string): Promise<void>
  /** Reseals secrets with the newest key at start and on request. Never rejects. */
  run(signal: AbortSignal): Promise<void>
}

export interface SecretKeysDeps {
  db: Database
  /** DATA_DIR/secret-key. */
  path: string
  /** SECRET_KEY, if the operator sets it. */
  given: string | null
  /** SECRET_KEY_PREVIOUS, the oldest first. */
  previous: readonly string[]
  logger: Logger
  failpoint: (name: string) => void
}

const PAUSE_AFTER_FAILURE_MS = 1_000

/** SECRET_KEY_MISSING: the record holds secrets that no key here opens. Continuing would only make things worse. */
export async function openSecretKeys(deps: SecretKeysDeps): Promise<SecretKeys> {
  const { db, path, logger, failpoint } = deps
  const ring = await openKeyRing(deps)
  const box = createSecretBox(ring)
  let isWanted = (await countSecretsOfOlderKeys(db, ring)) > 0
  let unreadable = 0
  const loop = createLoop(
    async (signal) => {
      if (!isWanted) return Number.POSITIVE_INFINITY
      unreadable = await resealSecrets({ db, ring, box, failpoint }, signal)
      if (signal.aborted) return 'end'
      isWanted = false
      logger.info({ kid: ring.newest().kid, unreadable }, 'secrets resealed with the newest key')
      return Number.POSITIVE_INFINITY
    },
    { retryMs: PAUSE_AFTER_FAILURE_MS, onError: logErrors(logger, 'resealing secrets failed') },
  )
  return {
    box,
    async list() {
      // Read before the counts: they may be of a moment in which some secrets still had an older key.
      const is_rotating = isWanted
      return { keys: secretKeyStates(ring, await countSecretsByKid(db)), is_rotating, unreadable }
    },
    rotate() {
      if (ring.newest().origin !== 'file') throw new AppError('SECRET_KEY_FROM_ENVIRONMENT', { reason: ROTATE_HINT })
      if (isWanted) throw new AppError('SECRET_KEY_ROTATING')
      const text = appendKey(path)
      failpoint('secret-key-added')
      ring.add(deriveSecretKey(text, 'file'))
      isWanted = true
      loop.wake()
    },
    remove: (kid) =>
      db.transaction().execute(async (trx) => {
        const key = getRemovableKey(ring, kid, (await countSecretsByKid(trx)).get(kid) ?? 0)
        removeKeys(path, (text) => deriveSecretKey(text, 'file').kid === key.kid)
        failpoint('secret-key-removed')
        ring.remove(kid)
      }),
    run: loop.run,
  }
}

const ROTATE_HINT =
  'start the service with a new SECRET_KEY and the present one as SECRET_KEY_PREVIOUS; secrets are then resealed automatically'
const REMOVE_HINT = 'remove it from the settings and restart the service'

export type SecretKeySettings = Pick<SecretKeysDeps, 'path' | 'given' | 'previous'>

async function openKeyRing({ db, ...settings }: SecretKeysDeps): Promise<KeyRing> {
  const { path } = settings
  const { older, newest } = readKeys(settings)
  const known = new Set([...older, ...(newest ? [newest] : [])].map(({ kid }) => kid))
  for (const [kid, count] of await countSecretsByKid(db)) {
    if (!known.has(kid)) throw new AppError('SECRET_KEY_MISSING', { kid, count, path })
  }
  return createKeyRing(older, newest ?? createFileKey(path))
}

/**
 * Opens with the available keys. Nobody will be able to open what it seals. Use it to look for secrets whose keys are
 * lost.
 */
export function openReadOnlySecretBox(settings: SecretKeySettings): SecretBox {
  const { older, newest } = readKeys(settings)
  return createSecretBox(createKeyRing(older, newest ?? deriveSecretKey(randomBytes(32).toString('base64url'), 'file')))
}

/** Opens and seals, with a new key if there is none. Callers have already abandoned the lost secrets. */
export function openSecretBox(settings: SecretKeySettings): SecretBox {
  const { older, newest } = readKeys(settings)
  return createSecretBox(createKeyRing(older, newest ?? createFileKey(settings.path)))
}

const createFileKey = (path: string) => deriveSecretKey(appendKey(path), 'file')

function readKeys({ path, given, previous }: SecretKeySettings): { older: SecretKey[]; newest: SecretKey | undefined } {
  const kept = readKeyFile(path)
  const older = [
    ...previous.map((it) => deriveSecretKey(it, 'SECRET_KEY_PREVIOUS')),
    ...kept.map((it) => deriveSecretKey(it, 'file')),
  ]
  return {
    older,
    newest: given === null ? older.findLast((it) => it.origin === 'file') : deriveSecretKey(given, 'SECRET_KEY'),
  }
}

async function countSecretsOfOlderKeys(db: Database, ring: KeyRing): Promise<number> {
  const counts = await countSecretsByKid(db)
  return [...counts].reduce((sum, [kid, count]) => sum + (kid === ring.newest().kid ? 0 : count), 0)
}

function secretKeyStates(ring: KeyRing, counts: ReadonlyMap<string, number>): SecretKeyState[] {
  const known = ring.list().map(({ kid, origin }) => ({ kid, origin }))
  const others = [...counts.keys()].filter((kid) => ring.find(kid) === undefined).map((kid) => ({ kid, origin: null }))
  const { kid: newest } = ring.newest()
  return [...others, ...known].map((it) => ({ ...it, is_newest: it.kid === newest, secrets: counts.get(it.kid) ?? 0 }))
}

function getRemovableKey(ring: KeyRing, kid: string, secrets: number): SecretKey {
  const key = ring.find(kid)
  if (key === undefined) throw new AppError('SECRET_KEY_NOT_FOUND', { kid })
  if (kid === ring.newest().kid) throw new AppError('SECRET_KEY_IN_USE', { kid, reason: 'it is the newest' })
  if (secrets > 0) throw new AppError('SECRET_KEY_IN_USE', { kid, reason: `${secrets} secrets are sealed with it` })
  if (key.origin !== 'file') throw new AppError('SECRET_KEY_FROM_ENVIRONMENT', { reason: REMOVE_HINT })
  return key
}
