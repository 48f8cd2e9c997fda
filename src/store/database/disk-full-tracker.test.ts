import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../domain/errors.ts'
import type { ItemResult } from './database.ts'
import { createDiskFullTracker } from './disk-full-tracker.ts'

const full = new AppError('STORE_FULL')
const taken = async (): Promise<ItemResult[]> => [{ ok: true, rows: [] }]
const refused = async (): Promise<ItemResult[]> => [{ ok: false, error: full }]

test('a refused write reports a full disk, an accepted one ends that', async () => {
  const { track, check } = createDiskFullTracker()
  check()
  await assert.rejects(track(Promise.reject(full)), full)
  assert.throws(check, { code: 'STORE_FULL' })
  await track(taken())
  check()
  await track(refused())
  assert.throws(check, { code: 'STORE_FULL' })
})

test('another write may be tried after half a minute', async () => {
  let time = 0
  const { track, check } = createDiskFullTracker(() => time)
  await track(refused())
  time = 29_999
  assert.throws(check, { code: 'STORE_FULL' })
  time = 30_000
  check()
})

test('other errors say nothing about the disk', async () => {
  const { track, check } = createDiskFullTracker()
  await assert.rejects(track(Promise.reject(new AppError('STORE_UNAVAILABLE'))))
  check()
})
