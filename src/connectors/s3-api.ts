// How a bucket is asked: https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html
import { AwsV4Signer } from 'aws4fetch'
import { Parser } from 'htmlparser2'
import { type Pull, type PullAnswer, SourceError } from './connector.ts'

export interface Keys {
  aws_access_key_id: string
  aws_secret_access_key: string
  aws_session_token: string | null
}

export interface BucketAddress {
  bucket_name: string
  region_name: string | null
  /** Null: the service of Amazon. */
  endpoint_url: string | null
}

export interface StoredObject {
  key: string
  /** Another content has another one. */
  etag: string
  size: number
  /** Epoch milliseconds, or null. */
  changed_at: number | null
  storage_class: string
}

export interface Bucket {
  region: string
  /** In the order of their keys, those behind `after`. Ends only where the service says that there are no more. */
  list(prefix: string, after: string | null): AsyncGenerator<StoredObject[]>
  /** Null: it is gone. */
  read(key: string, maxBytes: number): Promise<PullAnswer | null>
}

const REGION = 'us-east-1'
const MAX_LIST_BYTES = 32 << 20
export const field = (name: string) => `connector_specific_config.${name}`

/** Asks once. Rejects with a `SourceError` that names the field. */
export async function openBucket(fetch: Pull['fetch'], address: BucketAddress, keys: Keys | null): Promise<Bucket> {
  let region = address.region_name ?? REGION
  const ask = async (path: string, query: string, maxBytes: number): Promise<PullAnswer> => {
    const url = `${baseOf(address, region)}${path}${query}`
    // Without a credential only what is open to everybody is asked for.
    if (keys === null) return await fetch(url, { maxBytes })
    const signed = await new AwsV4Signer({ url, service: 's3', region, ...secretsOf(keys) }).sign()
    return await fetch(signed.url.href, { headers: Object.fromEntries(signed.headers), maxBytes })
  }
  const first = () => ask('/', '?list-type=2&max-keys=1', MAX_LIST_BYTES)
  const answer = await first()
  const actual = answer.headers['x-amz-bucket-region'] ?? /<Region>([\w-]+)<\/Region>/.exec(`${answer.body}`)?.[1]
  const isElsewhere = answer.status !== 200 && actual !== undefined && actual !== region && address.region_name === null
  if (isElsewhere) region = actual
  const final = isElsewhere ? await first() : answer
  if (final.status !== 200) throw faultOf(final, address)
  parseList(final.body.toString('utf8'))
  return {
    region,
    list: (prefix, after) => listAll((query) => ask('/', query, MAX_LIST_BYTES), address, { prefix, after }),
    async read(key, maxBytes) {
      const read = await ask(`/${encoded(key)}`, '', maxBytes)
      return read.status === 404 ? null : read
    },
  }
}

const secretsOf = ({ aws_access_key_id, aws_secret_access_key, aws_session_token }: Keys) => ({
  accessKeyId: aws_access_key_id,
  secretAccessKey: aws_secret_access_key,
  ...(aws_session_token !== null && { sessionToken: aws_session_token }),
})

/** A certificate for all buckets does not fit one whose name has a dot. */
export function baseOf({ bucket_name, endpoint_url }: BucketAddress, region: string): string {
  const bucket = encoded(bucket_name)
  if (endpoint_url !== null) return `${endpoint_url.trim().replace(/\/+$/, '')}/${bucket}`
  const host = `s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
  return bucket.includes('.') ? `https://${host}/${bucket}` : `https://${bucket}.${host}`
}

/** As it is signed. */
export const encoded = (key: string): string =>
  encodeURIComponent(key)
    .replaceAll('%2F', '/')
    .replace(/[!'()*]/g, (it) => `%${it.charCodeAt(0).toString(16).toUpperCase()}`)

/** Such a key is another one in an address. */
export const isAskable = (key: string): boolean => !/(?:^|\/)\.{1,2}(?:\/|$)/.test(key)

async function* listAll(
  ask: (query: string) => Promise<PullAnswer>,
  address: BucketAddress,
  { prefix, after }: { prefix: string; after: string | null },
): AsyncGenerator<StoredObject[]> {
  const fixed = { 'list-type': '2', 'encoding-type': 'url', prefix }
  let next: Record<string, string> = after === null ? {} : { 'start-after': after }
  for (;;) {
    const query = Object.entries({ ...fixed, ...next }).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    const answer = await ask(`?${query.join('&')}`)
    if (answer.status !== 200) throw faultOf(answer, address)
    const { objects, token } = parseList(answer.body.toString('utf8'))
    yield objects
    if (token === null) return
    next = { 'continuation-token': token }
  }
}

const unexpected = (what: string) => new SourceError('unexpected', `The service of the bucket answers ${what}.`)

export function parseList(xml: string): { objects: StoredObject[]; token: string | null } {
  const objects: StoredObject[] = []
  const path: string[] = []
  let fields: Record<string, string> = {}
  const top: Record<string, string> = {}
  let [text, isWhole] = ['', false]
  const parser = new Parser(
    {
      onopentag(name) {
        path.push(name)
        text = ''
        if (name === 'Contents') fields = {}
      },
      ontext(piece) {
        text += piece
      },
      onclosetag(name, isImplied) {
        path.pop()
        if (isImplied) return
        const parent = path.at(-1)
        if (parent === 'Contents') fields[name] = text
        else if (parent === 'ListBucketResult' && name === 'Contents') objects.push(objectOf(fields))
        else if (parent === 'ListBucketResult') top[name] = text
        if (name === 'ListBucketResult' && path.length === 0) isWhole = true
      },
    },
    { xmlMode: true, decodeEntities: true },
  )
  parser.end(xml)
  if (!isWhole) throw unexpected('something else than a whole list')
  const token = top.NextContinuationToken ?? ''
  if (top.IsTruncated?.trim() === 'true' && token === '') throw unexpected('a part of a list without its end')
  return { objects, token: top.IsTruncated?.trim() === 'true' ? token : null }
}

function objectOf({
  Key,
  ETag = '',
  Size,
  LastModified = '',
  StorageClass = '',
}: Record<string, string>): StoredObject {
  const changedAt = Date.parse(LastModified)
  if (Key === undefined || !/^\d+$/.test(Size ?? '')) throw unexpected('an object without a name or a size')
  return {
    key: decodeURIComponent(Key.replaceAll('+', ' ')),
    etag: ETag.replaceAll('"', ''),
    size: Number(Size),
    changed_at: Number.isFinite(changedAt) ? changedAt : null,
    storage_class: StorageClass,
  }
}

const KEYS = ['InvalidAccessKeyId', 'SignatureDoesNotMatch', 'ExpiredToken', 'InvalidToken', 'TokenRefreshRequired']
const PLACE = ['PermanentRedirect', 'AuthorizationHeaderMalformed', 'IllegalLocationConstraintException']

function faultOf({ status, body, url }: PullAnswer, { bucket_name, region_name }: BucketAddress): SourceError {
  const text = body.subarray(0, 10_000).toString('utf8')
  const [code, message] = ['Code', 'Message'].map((it) => new RegExp(`<${it}>([^<]*)</${it}>`).exec(text)?.[1] ?? '')
  const said = `${new URL(url).host} answers ${status}${code === '' ? '' : ` ${code}`}${message === '' ? '' : `: ${message}`}`
  const config = (name: string, what: string) =>
    new SourceError('config', `${what} ${said}`, { field: field(name), status })
  if (code === 'NoSuchBucket') return config('bucket_name', `There is no bucket "${bucket_name}".`)
  if (code === 'InvalidBucketName') return config('bucket_name', `"${bucket_name}" is no name of a bucket.`)
  if (PLACE.includes(code!)) return config('region_name', `The bucket is not in ${region_name ?? REGION}.`)
  if (KEYS.includes(code!) || status === 401 || status === 403) {
    const name = code === 'InvalidAccessKeyId' ? 'aws_access_key_id' : 'aws_secret_access_key'
    const what = KEYS.includes(code!)
      ? 'The keys are not accepted.'
      : 'The bucket may not be listed with this credential.'
    return new SourceError('credential', `${what} ${said}`, { field: `credential_json.${name}`, status })
  }
  if (code === '') return config('endpoint_url', 'That is no service of buckets.')
  return new SourceError('unexpected', `${said}.`, { status })
}
