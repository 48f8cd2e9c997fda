// S3 client: https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html

import { AwsV4Signer } from 'aws4fetch'
import { trimEndCharacters } from '../../domain/values/trim.ts'
import { type ConnectorContext, SourceError, type SourceResponse } from '../connector.ts'
import { readXmlList } from '../files/xml-list.ts'

export interface AwsKeys {
  aws_access_key_id: string
  aws_secret_access_key: string
  aws_session_token: string | null
}

export interface BucketAddress {
  bucket_name: string
  region_name: string | null
  /** Null for AWS. */
  endpoint_url: string | null
}

export interface StoredObject {
  key: string
  /** Another content has another one. */
  etag: string
  size: number
  /** Epoch milliseconds, or null if unknown. */
  changed_at: number | null
  storage_class: string
}

export interface Bucket {
  region: string
  /** Lists the objects after the key `after`, sorted by key. Ends only when the service reports the end. */
  list(prefix: string, after: string | null): AsyncGenerator<StoredObject[]>
  /** Null if the object does not exist. */
  read(key: string, maxBytes: number): Promise<SourceResponse | null>
}

export const REGION = 'us-east-1'
const MAX_LIST_BYTES = 32 << 20
export const configField = (name: string) => `connector_specific_config.${name}`

/** Probes the bucket and its region. Rejects with a `SourceError` that names the config or credential field. */
export async function openBucket(
  context: Pick<ConnectorContext, 'fetch' | 'extract'>,
  address: BucketAddress,
  keys: AwsKeys | null,
): Promise<Bucket> {
  let region = address.region_name ?? REGION
  const request = async (path: string, query: string, maxBytes: number): Promise<SourceResponse> => {
    const url = `${bucketUrl(address, region)}${path}${query}`
    // Without a credential requests are unsigned.
    if (keys === null) return await context.fetch(url, { maxBytes })
    const signed = await new AwsV4Signer({ url, service: 's3', region, ...signerKeys(keys) }).sign()
    return await context.fetch(signed.url.href, { headers: Object.fromEntries(signed.headers), maxBytes })
  }
  const probe = () => request('/', '?list-type=2&max-keys=1', MAX_LIST_BYTES)
  const answer = await probe()
  const actual =
    answer.headers['x-amz-bucket-region'] ??
    /<Region>([\w-]+)<\/Region>/.exec(`${answer.body.subarray(0, 10_000)}`)?.[1]
  const isInOtherRegion =
    answer.status !== 200 && actual !== undefined && actual !== region && address.region_name === null
  if (isInOtherRegion) region = actual
  const final = isInOtherRegion ? await probe() : answer
  if (final.status !== 200) throw toBucketError(final, address)
  await parseObjectList(final.body, context)
  return {
    region,
    list: (prefix, after) =>
      listObjects({ context, request: (query) => request('/', query, MAX_LIST_BYTES) }, address, { prefix, after }),
    async read(key, maxBytes) {
      const read = await request(`/${encodeKey(key)}`, '', maxBytes)
      // The keys expired or were revoked after the listing; this is not an error of the object.
      if (read.status !== 200 && KEY_ERRORS.includes(errorCode(read))) throw toBucketError(read, address)
      return read.status === 404 ? null : read
    },
  }
}

const signerKeys = ({ aws_access_key_id, aws_secret_access_key, aws_session_token }: AwsKeys) => ({
  accessKeyId: aws_access_key_id,
  secretAccessKey: aws_secret_access_key,
  ...(aws_session_token !== null && { sessionToken: aws_session_token }),
})

/** The wildcard certificate does not cover bucket names with a dot. */
export function bucketUrl({ bucket_name, endpoint_url }: BucketAddress, region: string): string {
  const bucket = encodeKey(bucket_name)
  if (endpoint_url !== null) return `${trimEndCharacters(endpoint_url.trim(), '/')}/${bucket}`
  const host = `s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
  return bucket.includes('.') ? `https://${host}/${bucket}` : `https://${bucket}.${host}`
}

/** Encodes the key as the signature requires. */
export const encodeKey = (key: string): string =>
  encodeURIComponent(key)
    .replaceAll('%2F', '/')
    .replace(/[!'()*]/g, (it) => `%${it.charCodeAt(0).toString(16).toUpperCase()}`)

/** URL normalization would change a key with `.` or `..` segments. */
export const isAddressableKey = (key: string): boolean => !/(?:^|\/)\.{1,2}(?:\/|$)/.test(key)

async function* listObjects(
  {
    context,
    request,
  }: { context: Pick<ConnectorContext, 'extract'>; request: (query: string) => Promise<SourceResponse> },
  address: BucketAddress,
  { prefix, after }: { prefix: string; after: string | null },
): AsyncGenerator<StoredObject[]> {
  const fixed = { 'list-type': '2', 'encoding-type': 'url', prefix }
  let next: Record<string, string> = after === null ? {} : { 'start-after': after }
  for (;;) {
    const query = Object.entries({ ...fixed, ...next }).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    const answer = await request(`?${query.join('&')}`)
    if (answer.status !== 200) throw toBucketError(answer, address)
    const { objects, token } = await parseObjectList(answer.body, context)
    yield objects
    if (token === null) return
    next = { 'continuation-token': token }
  }
}

const unexpectedBucketAnswer = (what: string) => new SourceError('unexpected', `The storage service returned ${what}.`)

export async function parseObjectList(
  bytes: Buffer,
  context: Pick<ConnectorContext, 'extract'>,
): Promise<{ objects: StoredObject[]; token: string | null }> {
  const { root, isWhole, records, values } = await readXmlList(bytes, context)
  if (root !== 'ListBucketResult' || !isWhole) throw unexpectedBucketAnswer('an incomplete or unexpected list')
  const objects = records.filter((it) => it.name === 'Contents').map((it) => parseObject(it.fields))
  const isTruncated = values.IsTruncated?.trim() === 'true'
  const token = values.NextContinuationToken ?? ''
  if (isTruncated && token === '') throw unexpectedBucketAnswer('a truncated list without a continuation token')
  return { objects, token: isTruncated ? token : null }
}

function parseObject({
  Key,
  ETag = '',
  Size,
  LastModified = '',
  StorageClass = '',
}: Record<string, string>): StoredObject {
  const changedAt = Date.parse(LastModified)
  if (Key === undefined || !/^\d+$/.test(Size ?? '')) throw unexpectedBucketAnswer('an object without a key or size')
  return {
    key: decodeURIComponent(Key.replaceAll('+', ' ')),
    etag: ETag.replaceAll('"', ''),
    size: Number(Size),
    changed_at: Number.isFinite(changedAt) ? changedAt : null,
    storage_class: StorageClass,
  }
}

const KEY_ERRORS = [
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'ExpiredToken',
  'InvalidToken',
  'TokenRefreshRequired',
]
const REGION_ERRORS = ['PermanentRedirect', 'AuthorizationHeaderMalformed', 'IllegalLocationConstraintException']

const errorCode = ({ body }: Pick<SourceResponse, 'body'>): string =>
  /<Code>([^<]*)<\/Code>/.exec(body.subarray(0, 10_000).toString('utf8'))?.[1] ?? ''

function toBucketError(
  { status, body, url }: SourceResponse,
  { bucket_name, region_name }: BucketAddress,
): SourceError {
  const text = body.subarray(0, 10_000).toString('utf8')
  const code = errorCode({ body })
  const message = /<Message>([^<]*)<\/Message>/.exec(text)?.[1] ?? ''
  const description = `${new URL(url).host} returned HTTP ${status}${code === '' ? '' : ` ${code}`}${message === '' ? '' : `: ${message}`}`
  const configError = (name: string, what: string) =>
    new SourceError('config', `${what} ${description}`, { field: configField(name), status })
  if (code === 'NoSuchBucket') return configError('bucket_name', `Bucket "${bucket_name}" does not exist.`)
  if (code === 'InvalidBucketName') return configError('bucket_name', `"${bucket_name}" is not a valid bucket name.`)
  if (REGION_ERRORS.includes(code)) return configError('region_name', `The bucket is not in ${region_name ?? REGION}.`)
  if (KEY_ERRORS.includes(code) || status === 401 || status === 403) {
    const name = code === 'InvalidAccessKeyId' ? 'aws_access_key_id' : 'aws_secret_access_key'
    const what = KEY_ERRORS.includes(code) ? 'The access keys are invalid.' : 'This credential may not list the bucket.'
    return new SourceError('credential', `${what} ${description}`, { field: `credential_json.${name}`, status })
  }
  if (code === '') return configError('endpoint_url', 'This is not an S3 endpoint.')
  return new SourceError('unexpected', `${description}.`, { status })
}
