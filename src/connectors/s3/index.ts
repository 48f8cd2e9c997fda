// S3 connector: the objects of a bucket on AWS or an S3-compatible service.
import { z } from 'zod'
import { nullish, wireBoolean, wireEnum, wireString } from '../../wire/schemas.ts'
import { batchesOf } from '../batches.ts'
import {
  type ConnectorContext,
  type ConnectorItem,
  defineConnector,
  isSizeLimitError,
  SourceError,
  type SourceResponse,
} from '../connector.ts'
import { guessTextType, SKIPPED_EXTENSIONS, toSections } from '../files/file-sections.ts'
import { readFileText } from '../files/read-file-text.ts'
import { HIDDEN, NEEDED, SECRET } from '../form-hints.ts'
import {
  type AwsKeys,
  type Bucket,
  bucketUrl,
  configField,
  encodeKey,
  isAddressableKey,
  openBucket,
  REGION,
  type StoredObject,
} from './bucket.ts'

const S3Config = z.object({
  bucket_name: wireString({ min: 1, max: 255 }),
  prefix: nullish(wireString({ max: 1_024 })).describe('Read only objects whose key has this prefix.'),
  region_name: nullish(wireString({ min: 1, max: 100 })).describe('The region of the bucket. Default: detected.'),
  endpoint_url: nullish(wireString({ min: 1, max: 2_000 })).describe(
    'The endpoint of an S3-compatible service such as MinIO, Ceph or Cloudflare R2. Default: AWS.',
  ),
  bucket_type: nullish(wireEnum(['s3'], { caseInsensitive: true }))
    .describe('Accepted for compatibility; ignored.')
    .meta(HIDDEN),
  european_residency: nullish(wireBoolean())
    .describe('Accepted for compatibility; ignored. The endpoint determines the location.')
    .meta(HIDDEN),
})
type S3Config = z.infer<typeof S3Config>

const METHODS = ['access_key', 'iam_role', 'assume_role'] as const
const S3Credential = z.object({
  authentication_method: nullish(wireEnum(METHODS))
    .describe('Only `access_key` is supported. Instance roles need the metadata service, which is never called.')
    .meta(HIDDEN),
  aws_access_key_id: nullish(wireString({ min: 1, max: 500 })).meta(NEEDED),
  aws_secret_access_key: nullish(wireString({ min: 1, max: 500 })).meta({ ...SECRET, ...NEEDED }),
  aws_session_token: nullish(wireString({ min: 1, max: 10_000 })).meta(SECRET),
})
type S3Credential = z.infer<typeof S3Credential>

type S3Context = ConnectorContext<S3Config, S3Credential>

export default defineConnector<S3Config, S3Credential>({
  sources: ['s3'],
  label: 'S3 bucket',
  description: 'Reads the objects of a bucket. Objects with a new ETag are read again.',
  egress: 'admin-target',
  config: S3Config,
  ignoredFields: ['batch_size'],
  credential: S3Credential,
  origins: (config) => [awsOrigin(parseEndpoint(config))],
  canonicalOrigin: awsOrigin,
  isTestedWithRealSource: true,
  isCredentialOptional: true,
  hasAccess: false,
  check: async (context) => void (await openConfiguredBucket(context)),
  load,
  async *listIds(context) {
    const bucket = await openConfiguredBucket(context)
    for await (const objects of bucket.list(context.config.prefix ?? '', null)) {
      for (const { key } of objects) yield s3DocumentId(context, key)
    }
  },
})

function parseEndpoint(config: S3Config): URL {
  const text = bucketUrl(config, config.region_name ?? REGION)
  if (URL.canParse(text)) return new URL(text)
  throw new SourceError('config', 'This is not a valid endpoint URL.', { field: configField('endpoint_url') })
}

/** AWS has one host per bucket and region; they all count as one origin. */
const AWS_HOST = /^(?:[a-z0-9_-]+\.)?s3\.[a-z0-9-]+\.amazonaws\.com(\.cn)?$/

function awsOrigin({ protocol, port, hostname, origin }: URL): string {
  const [found, china = ''] = (protocol === 'https:' && port === '' && AWS_HOST.exec(hostname)) || []
  return found === undefined ? origin : `https://s3.amazonaws.com${china}`
}

const openConfiguredBucket = (context: S3Context): Promise<Bucket> =>
  openBucket(context, context.config, context.credential === null ? null : requireKeys(context.credential))

function requireKeys(credential: S3Credential): AwsKeys {
  const { authentication_method, aws_access_key_id, aws_secret_access_key, aws_session_token } = credential
  const missing = (name: string, message: string) =>
    new SourceError('credential', message, { field: `credential_json.${name}` })
  if (authentication_method !== null && authentication_method !== 'access_key') {
    throw missing('authentication_method', `"${authentication_method}" is not supported. Use access_key.`)
  }
  if (aws_access_key_id === null) throw missing('aws_access_key_id', 'This field is required.')
  if (aws_secret_access_key === null) throw missing('aws_secret_access_key', 'This field is required.')
  return { aws_access_key_id, aws_secret_access_key, aws_session_token }
}

const s3DocumentId = ({ config }: S3Context, key: string): string =>
  config.endpoint_url === null ? `s3://${config.bucket_name}/${key}` : `${bucketUrl(config, '')}/${encodeKey(key)}`

const S3Checkpoint = z.object({ after: z.string() })
const BATCH = 100

async function* load(context: S3Context): AsyncGenerator<ConnectorItem, void> {
  const bucket = await openConfiguredBucket(context)
  const resumed = context.checkpoint === null ? null : S3Checkpoint.parse(context.checkpoint)
  for await (const page of bucket.list(context.config.prefix ?? '', resumed?.after ?? null)) {
    for (const { batch, last } of batchesOf(page, BATCH)) {
      const wanted = batch.filter(
        ({ key, size }) =>
          (context.only === null || context.only.includes(s3DocumentId(context, key))) &&
          !(key.endsWith('/') && size === 0),
      )
      for (const group of groupBySize(wanted)) {
        for (const item of await Promise.all(group.map((it) => readBucketObject(context, bucket, it)))) {
          if (item !== null) yield item
        }
      }
      yield { type: 'checkpoint', checkpoint: { after: last.key } satisfies z.infer<typeof S3Checkpoint> }
    }
  }
}

const MAX_BYTES = 50 << 20
/** Bounds the bytes in memory. */
const MAX_CONCURRENT_READS = 8

function groupBySize(objects: readonly StoredObject[]): StoredObject[][] {
  const list: StoredObject[][] = []
  let bytes = 0
  for (const object of objects) {
    const size = Math.min(object.size, MAX_BYTES)
    const last = list.at(-1)
    if (last === undefined || last.length >= MAX_CONCURRENT_READS || bytes + size > MAX_BYTES) {
      list.push([object])
      bytes = size
    } else {
      last.push(object)
      bytes += size
    }
  }
  return list
}

/** Archived objects must be restored first, which costs money. */
const ARCHIVED_CLASSES = ['GLACIER', 'DEEP_ARCHIVE']

async function readBucketObject(
  context: S3Context,
  bucket: Bucket,
  object: StoredObject,
): Promise<ConnectorItem | null> {
  const { key, etag, size, storage_class } = object
  const id = s3DocumentId(context, key)
  const link = consoleLink(context, bucket, key)
  const skip = (reason: string): ConnectorItem => ({ type: 'skipped', id, link, reason: `${key}: ${reason}` })
  if (etag !== '' && (await context.recall(id)) === etag) return { type: 'unchanged', id }
  if (SKIPPED_EXTENSIONS.test(key)) return skip('This file type is not supported.')
  if (size > MAX_BYTES) return skip(`The object has ${size} bytes. The limit is ${MAX_BYTES}.`)
  if (ARCHIVED_CLASSES.includes(storage_class)) return skip('The object is in an archive storage class.')
  if (!isAddressableKey(key)) return skip('The key cannot be represented in a URL.')
  const answer = await fetchObject(context, bucket, key)
  if (answer === null) return null
  if (typeof answer === 'string' || answer.status !== 200) {
    const message = typeof answer === 'string' ? answer : `The service returned HTTP ${answer.status}.`
    return { type: 'failure', document_id: id, link, stage: 'fetch', message }
  }
  return await toObjectItem(context, object, answer, { id, link })
}

/** Returns the error message if the object has grown beyond the size limit. An unreachable service ends the run. */
async function fetchObject(context: S3Context, bucket: Bucket, key: string): Promise<SourceResponse | string | null> {
  try {
    return await bucket.read(key, MAX_BYTES + 1)
  } catch (error) {
    context.signal.throwIfAborted()
    if (isSizeLimitError(error)) return error.message
    throw error
  }
}

async function toObjectItem(
  context: S3Context,
  object: StoredObject,
  { body, headers }: SourceResponse,
  { id, link }: { id: string; link: string },
): Promise<ConnectorItem> {
  const name = object.key.split('/').at(-1) ?? object.key
  const declaredType = headers['content-type'] ?? ''
  const mediaType =
    /^(?:binary|application)\/octet-stream\b/i.test(declaredType) || declaredType === ''
      ? guessTextType(name, body)
      : declaredType
  const read = await readFileText(body, { name, mediaType, isPictureRead: true }, context)
  if (read.kind === 'unread') return { type: 'skipped', id, link, reason: `${object.key}: ${read.reason}` }
  const document = {
    id,
    semantic_identifier: name,
    title: read.title,
    sections: toSections(read, link),
    report: read.report,
    doc_updated_at: object.changed_at,
    metadata: { bucket: context.config.bucket_name, key: object.key },
  }
  // The object may be newer than the listing.
  const value = headers.etag?.replaceAll('"', '') ?? object.etag
  return { type: 'document', document, note: { key: id, value } }
}

/** Link to the object or to the AWS console. */
function consoleLink({ config }: S3Context, { region }: Bucket, key: string): string {
  if (config.endpoint_url !== null) return `${bucketUrl(config, region)}/${encodeKey(key)}`
  const place = `object/${encodeURIComponent(config.bucket_name)}?region=${region}&prefix=${encodeURIComponent(key)}`
  return `https://${region}.console.aws.amazon.com/s3/${place}`
}
