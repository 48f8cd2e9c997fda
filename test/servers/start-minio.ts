// Starts a real S3 service: MinIO with its own folder and port. MINIO_BIN names an installed program.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { AwsV4Signer } from 'aws4fetch'
import { MINIO, needs } from '../needs.ts'
import { answers, freePort, ownFolder, startServerProcess } from './server-process.ts'

export const KEYS = { aws_access_key_id: 'test-access-key', aws_secret_access_key: 'test-secret-key' }
export const REGION = 'eu-test-1'

export interface Minio {
  url: string
  createBucket(name: string): Promise<void>
  /** Null removes the object. */
  put(bucket: string, key: string, content: string | Buffer | null, type?: string): Promise<void>
  open(bucket: string): Promise<void>
}

/** Registers the tests, or a skipped test with the reason if no service is available. */
export async function onMinio(tests: (minio: Minio) => void | Promise<void>): Promise<void> {
  const need = needs('minio')
  if (need.skip !== undefined) test('MinIO', need, () => {})
  else await tests(await startMinio())
}

async function startMinio(): Promise<Minio> {
  const folder = ownFolder('minio')
  const host = `127.0.0.1:${await freePort()}`
  const url = `http://${host}`
  mkdirSync(join(folder, 'data'))
  await startServerProcess({
    command: [MINIO, 'server', '--quiet', '--address', host, join(folder, 'data')],
    cwd: folder,
    env: {
      MINIO_ROOT_USER: KEYS.aws_access_key_id,
      MINIO_ROOT_PASSWORD: KEYS.aws_secret_access_key,
      MINIO_SITE_REGION: REGION,
      MINIO_BROWSER: 'off',
      MINIO_UPDATE: 'off',
    },
    probe: () => answers(`${url}/minio/health/ready`),
  })
  const ask = async (method: string, path: string, body?: string | Buffer, headers: Record<string, string> = {}) => {
    const keys = { accessKeyId: KEYS.aws_access_key_id, secretAccessKey: KEYS.aws_secret_access_key }
    const signer = new AwsV4Signer({ method, url: `${url}/${path}`, headers, service: 's3', region: REGION, ...keys })
    const signed = await signer.sign()
    const content = body === undefined ? {} : { body: new Uint8Array(Buffer.from(body)) }
    const response = await fetch(signed.url, { method, headers: signed.headers, ...content })
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status} ${await response.text()}`)
  }
  const encoded = (key: string) =>
    encodeURIComponent(key)
      .replaceAll('%2F', '/')
      .replace(/[!'()*]/g, (it) => `%${it.charCodeAt(0).toString(16).toUpperCase()}`)
  return {
    url,
    createBucket: (name) => ask('PUT', name),
    put: (bucket, key, content, type = 'application/octet-stream') =>
      content === null
        ? ask('DELETE', `${bucket}/${encoded(key)}`)
        : ask('PUT', `${bucket}/${encoded(key)}`, content, { 'content-type': type }),
    open: (bucket) => {
      const to = { Effect: 'Allow', Principal: { AWS: ['*'] } }
      const list = { ...to, Action: ['s3:ListBucket'], Resource: [`arn:aws:s3:::${bucket}`] }
      const read = { ...to, Action: ['s3:GetObject'], Resource: [`arn:aws:s3:::${bucket}/*`] }
      return ask('PUT', `${bucket}?policy=`, JSON.stringify({ Version: '2012-10-17', Statement: [list, read] }))
    },
  }
}
