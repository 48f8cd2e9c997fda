import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PairSchedule, StoredAttempt } from '../../store/sources/schedules.ts'
import { isRepeatedError, nextRunOf, runBackoffMs } from './next-run.ts'

const NOW = 1_000_000_000
const attempt: StoredAttempt = {
  id: 1,
  cc_pair_id: 1,
  status: 'success',
  from_beginning: 0,
  targets: null,
  poll_range_start: null,
  poll_range_end: null,
  checkpoint: null,
  new_docs: 0,
  total_docs: 0,
  removed_docs: 0,
  skipped_docs: 0,
  docs_without_text: 0,
  changed_docs: 0,
  unchanged_docs: 0,
  error_count: 0,
  error_msg: 'It answers 500.',
  trace: null,
  time_created: NOW - 50_000,
  time_started: NOW - 40_000,
  time_updated: NOW - 30_000,
  time_finished: NOW - 30_000,
}
const idle: PairSchedule = {
  cc_pair_id: 1,
  holder: null,
  lease_until: null,
  fence: 1,
  last_started: NOW - 40_000,
  last_success: null,
  failures: 0,
  not_before: null,
  wait_reason: null,
  wait_until: null,
  polled_until: NOW - 40_000,
  prune_wanted: 0,
  prune_state: null,
  prune_started: null,
  prune_error: null,
  prune_removed: null,
  last_pruned: null,
  source_count: null,
  counted_at: null,
  access_freq: null,
  access_synced: null,
  access_started: null,
  access_failures: 0,
  access_not_before: null,
  access_error: null,
  access_closed: 0,
  listed_at: null,
  missing_count: null,
  failure_kind: null,
  paused_at: null,
  name: 'A pair',
  connector_id: 1,
  credential_id: 0,
  source: 'web',
  access_type: 'public',
  connector_specific_config: '{}',
  status: 'ACTIVE',
  refresh_freq: 60,
  prune_freq: null,
  indexing_start: null,
  time_created: NOW - 50_000,
  open: null,
  last: attempt,
}
const open = { ...attempt, status: 'not_started', time_finished: null }

const SYNC = { access_type: 'sync', access_freq: 60 }
const CLOSED = { access_closed: 1 as const, access_error: 'No answer.' }

const CASES: [name: string, schedule: Partial<PairSchedule>, state: string, until: number | null, reason: RegExp][] = [
  ['refreshed a while ago', {}, 'waiting', NOW + 30_000, /next sync/],
  ['refreshed long ago', { refresh_freq: 10 }, 'due', null, /run slots are busy/],
  ['never again', { refresh_freq: null }, 'resting', null, /no `refresh_freq`/],
  ['a frequency of zero', { refresh_freq: 0 }, 'resting', null, /no `refresh_freq`/],
  ['new', { last: null, open, refresh_freq: null }, 'due', null, /run slots are busy/],
  ['running', { holder: 'me', lease_until: NOW + 1 }, 'running', null, /Syncing now/],
  [
    'running and waiting for its host',
    { lease_until: NOW + 1, wait_reason: 'x asks to be left alone.', wait_until: NOW + 9 },
    'running',
    NOW + 9,
    /left alone/,
  ],
  [
    'running after a wait',
    { lease_until: NOW + 1, wait_reason: 'x answered 503.', wait_until: NOW },
    'running',
    null,
    /Syncing now/,
  ],
  ['left by a process that is gone', { holder: 'gone', lease_until: NOW, open }, 'due', null, /run slots are busy/],
  ['paused', { status: 'PAUSED', open }, 'resting', null, /Paused/],
  ['invalid', { status: 'INVALID', open }, 'resting', null, /answers 500.*start a run/],
  ['going', { status: 'DELETING', open }, 'resting', null, /deleted/],
  ['failed', { failures: 1, not_before: NOW + 5 }, 'waiting', NOW + 5, /failed.*answers 500/],
  ['failed and asked for', { failures: 1, open }, 'due', null, /run slots are busy/],
  ['failed five times, without a refresh', { failures: 5, refresh_freq: null }, 'resting', null, /last 5 syncs failed/],
  ['failed fifty times, with one', { failures: 50, not_before: NOW + 5 }, 'waiting', NOW + 5, /failed/],
  ['to be pruned', { refresh_freq: null, prune_freq: 100 }, 'waiting', NOW + 50_000, /check for deleted documents/],
  ['held back', { refresh_freq: null, prune_freq: 10, prune_state: 'held' }, 'resting', null, /refresh_freq/],
  ['not read to its end yet', { prune_freq: 10, polled_until: null }, 'waiting', NOW + 30_000, /next sync/],
  ['whose permissions were never asked for', { ...SYNC, refresh_freq: null }, 'due', null, /run slots are busy/],
  [
    'whose permissions are known',
    { ...SYNC, access_synced: NOW, refresh_freq: 3_600 },
    'waiting',
    NOW + 60_000,
    /sync of permissions/,
  ],
  [
    'whose permissions are not learnt',
    { ...SYNC, access_not_before: NOW + 9 },
    'waiting',
    NOW + 9,
    /sync of permissions/,
  ],
  ['invalid and not closed yet', { ...SYNC, status: 'INVALID' }, 'due', null, /run slots are busy/],
  [
    'invalid and closed',
    { ...SYNC, ...CLOSED, status: 'INVALID' },
    'resting',
    null,
    /hidden from all users.*No answer/,
  ],
  [
    'that is public and needs no permission sync',
    { ...SYNC, access_type: 'public', refresh_freq: null },
    'resting',
    null,
    /refresh/,
  ],
  ['pruning wanted', { prune_wanted: 1 }, 'due', null, /run slots are busy/],
]
for (const [name, schedule, state, until, reason] of CASES) {
  test(`a pair ${name} is ${state}, and says why`, () => {
    const due = nextRunOf({ ...idle, ...schedule }, NOW)
    assert.deepEqual([due.state, due.until], [state, until])
    assert.match(due.reason, reason)
  })
}

test('each failure doubles the wait, from a minute to an hour', () => {
  assert.deepEqual([1, 2, 3, 6, 7, 100].map(runBackoffMs), [60_000, 120_000, 240_000, 1_920_000, 3_600_000, 3_600_000])
})

test('five consecutive failures are repeated, and one is without a schedule', () => {
  const states = [
    [4, 60],
    [5, 60],
    [1, null],
    [0, null],
  ] as const
  assert.deepEqual(
    states.map(([failures, refresh_freq]) => isRepeatedError({ failures, refresh_freq })),
    [false, true, true, false],
  )
})
