// Objects of a bucket, of Amazon's service or any that speaks like it.
import { z } from 'zod'
import { nullish, wireBoolean, wireEnum, wireString } from '../domain/wire.ts'
import { connector, type Item, type Pull, type PullAnswer, SourceError } from './connector.ts'
import { NEVER_READ, sectionsOf, textTypeOf } from './file-sections.ts'
import { readFileText } from './read-file.ts'
import { type Bucket, baseOf, encoded, isAskable, type Keys, openBucket, type StoredObject } from './s3-api.ts'

const Config = z.object({
  bucket_name: wireString({ min: 1, max: 255 }),
  prefix: nullish(wireString({ max: 1_024 })).describe('Only objects whose key begins so.'),
  region_name: nullish(wireString({ min: 1, max: 100 })).describe('The service is asked for it, if it is not said.'),
  endpoint_url: nullish(wireString({ min: 1, max: 2_000 })).describe(
    'Of another service than that of Amazon, such as MinIO, Ceph or Cloudflare R2.',
  ),
  bucket_type: nullish(wireEnum(['s3'], { caseInsensitive: true })).describe('Taken and not needed.'),
  european_residency: nullish(wireBoolean()).describe('Taken and not needed: the endpoint says where it is.'),
})
type Config = z.infer<typeof Config>

const METHODS = ['access_key', 'iam_role', 'assume_role'] as const
const Credential = z.object({
  authentication_method: nullish(wireEnum(METHODS)).describe(
    'Only `access_key`: what a machine is given as its role is asked of an address that is never called.',
  ),
  aws_access_key_id: nullish(wireString({ min: 1, max: 500 })),
  aws_secret_access_key: nullish(wireString({ min: 1, max: 500 })),
  aws_session_token: nullish(wireString({ min: 1, max: 10_000 })),
})
type Credential = z.infer<typeof Credential>

type BucketPull = Pull<Config, Credential>

export default connector<Config, Credential>({
  sources: ['s3'],
  label: 'S3 bucket',
  description: 'Reads the objects of a bucket; those of which the service says another ETag are read again.',
  config: Config,
  credential: Credential,
  isCredentialOptional: true,
  hasAccess: false,
  check: async (pull) => void (await open(pull)),
  load,
  async *listIds(pull) {
    const bucket = await open(pull)
    for await (const objects of bucket.list(pull.config.prefix ?? '', null)) {
      for (const { key } of objects) yield idOf(pull, key)
    }
  },
})

const open = ({ config, credential, fetch }: BucketPull): Promise<Bucket> =>
  openBucket(fetch, config, credential === null ? null : keysOf(credential))

function keysOf(credential: Credential): Keys {
  const { authentication_method, aws_access_key_id, aws_secret_access_key, aws_session_token } = credential
  const missing = (name: string, message: string) =>
    new SourceError('credential', message, { field: `credential_json.${name}` })
  if (authentication_method !== null && authentication_method !== 'access_key') {
    throw missing('authentication_method', `"${authentication_method}" is not offered here; use access_key.`)
  }
  if (aws_access_key_id === null) throw missing('aws_access_key_id', 'It is needed.')
  if (aws_secret_access_key === null) throw missing('aws_secret_access_key', 'It is needed.')
  return { aws_access_key_id, aws_secret_access_key, aws_session_token }
}

const idOf = ({ config }: BucketPull, key: string): string =>
  config.endpoint_url === null ? `s3://${config.bucket_name}/${key}` : `${baseOf(config, '')}/${encoded(key)}`

const Checkpoint = z.object({ after: z.string() })
const BATCH = 100

async function* load(pull: BucketPull): AsyncGenerator<Item, void> {
  const bucket = await open(pull)
  const left = pull.checkpoint === null ? null : Checkpoint.parse(pull.checkpoint)
  for await (const page of bucket.list(pull.config.prefix ?? '', left?.after ?? null)) {
    for (let at = 0; at < page.length; at += BATCH) {
      const objects = page.slice(at, at + BATCH)
      const wanted = objects.filter(
        ({ key, size }) =>
          (pull.only === null || pull.only.includes(idOf(pull, key))) && !(key.endsWith('/') && size === 0),
      )
      for (const together of groups(wanted)) {
        for (const item of await Promise.all(together.map((it) => readOne(pull, bucket, it)))) {
          if (item !== null) yield item
        }
      }
      yield { type: 'checkpoint', checkpoint: { after: objects.at(-1)!.key } satisfies z.infer<typeof Checkpoint> }
    }
  }
}

const MAX_BYTES = 50 << 20
/** What lies in memory at a time. */
const TOGETHER = 8

function groups(objects: readonly StoredObject[]): StoredObject[][] {
  const list: StoredObject[][] = []
  let bytes = 0
  for (const object of objects) {
    const size = Math.min(object.size, MAX_BYTES)
    const last = list.at(-1)
    if (last === undefined || last.length >= TOGETHER || bytes + size > MAX_BYTES) {
      list.push([object])
      bytes = size
    } else {
      last.push(object)
      bytes += size
    }
  }
  return list
}

/** They must be brought back first, which costs money. */
const ARCHIVED = ['GLACIER', 'DEEP_ARCHIVE']

async function readOne(pull: BucketPull, bucket: Bucket, object: StoredObject): Promise<Item | null> {
  const { key, etag, size, storage_class } = object
  const id = idOf(pull, key)
  const link = linkOf(pull, bucket, key)
  const skip = (reason: string): Item => ({ type: 'skipped', id, link, reason: `${key}: ${reason}` })
  if (etag !== '' && (await pull.recall(id)) === etag) return { type: 'unchanged', id }
  if (NEVER_READ.test(key)) return skip('Files of this kind are not read.')
  if (size > MAX_BYTES) return skip(`It has ${size} bytes; at most ${MAX_BYTES} are read.`)
  if (ARCHIVED.includes(storage_class)) return skip('It lies in an archive of the service.')
  if (!isAskable(key)) return skip('Its key cannot be written as an address.')
  const answer = await fetched(pull, bucket, key)
  if (answer === null) return null
  if (typeof answer === 'string' || answer.status !== 200) {
    const message = typeof answer === 'string' ? answer : `The service answers ${answer.status} for it.`
    return { type: 'failure', document_id: id, link, stage: 'fetch', message }
  }
  return await itemOf(pull, object, answer, { id, link })
}

/** As large as it is listed, or it grew meanwhile. A service that has no answer at all ends the run. */
async function fetched(pull: BucketPull, bucket: Bucket, key: string): Promise<PullAnswer | string | null> {
  try {
    return await bucket.read(key, MAX_BYTES + 1)
  } catch (error) {
    pull.signal.throwIfAborted()
    if (error instanceof SourceError && (error.cause as { reason?: unknown } | undefined)?.reason === 'size') {
      return error.message
    }
    throw error
  }
}

async function itemOf(
  pull: BucketPull,
  object: StoredObject,
  { body, headers }: PullAnswer,
  { id, link }: { id: string; link: string },
): Promise<Item> {
  const name = object.key.split('/').at(-1) ?? object.key
  const said = headers['content-type'] ?? ''
  const mediaType = /^(?:binary|application)\/octet-stream\b/i.test(said) || said === '' ? textTypeOf(name, body) : said
  const read = await readFileText(body, { name, mediaType }, pull)
  if (read.kind === 'unread') return { type: 'skipped', id, link, reason: `${object.key}: ${read.reason}` }
  const document = {
    id,
    semantic_identifier: name,
    title: read.title,
    sections: sectionsOf(read, link),
    doc_updated_at: object.changed_at,
    metadata: { bucket: pull.config.bucket_name, key: object.key },
  }
  // It may be newer than the list.
  const value = headers.etag?.replaceAll('"', '') ?? object.etag
  return { type: 'document', document, note: { key: id, value } }
}

/** Where people look at it who may. */
function linkOf({ config }: BucketPull, { region }: Bucket, key: string): string {
  if (config.endpoint_url !== null) return `${baseOf(config, region)}/${encoded(key)}`
  const place = `object/${encodeURIComponent(config.bucket_name)}?region=${region}&prefix=${encodeURIComponent(key)}`
  return `https://${region}.console.aws.amazon.com/s3/${place}`
}
