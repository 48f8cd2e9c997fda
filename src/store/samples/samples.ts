// Measurements of the service over time. Each process adds to rows of its own.
import { addPeriods, EMPTY_SAMPLE, type Sample } from '../../domain/samples/sample.ts'
import { floorTo, RESOLUTION_MS, type Resolution, type StoredSample } from '../../domain/samples/series.ts'
import { DAY_MS, HOUR_MS } from '../../wire/date-time.ts'
import type { Database, Queryable } from '../database/database.ts'

/** An hour and a day longer than the ranges that are shown, because their first step is a whole one. */
const KEPT_MS: Readonly<Record<Resolution, number>> = { minute: 25 * HOUR_MS, hour: 31 * DAY_MS }
const RESOLUTIONS = ['minute', 'hour'] as const

/**
 * Adds the measurements of one minute to the minute and the hour, in one transaction, and deletes the expired rows of all
 * processes. A minute that was interrupted by a restart is added to twice.
 */
export const addSample = (db: Database, { at, process, sample }: StoredSample, now: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    for (const resolution of RESOLUTIONS) {
      const key = { resolution, at: floorTo(at, RESOLUTION_MS[resolution]), process }
      await addToRow(trx, key, sample)
      await trx
        .deleteFrom('sample')
        .where('resolution', '=', resolution)
        .where('at', '<', now - KEPT_MS[resolution])
        .execute()
    }
  })

async function addToRow(
  trx: Queryable,
  { resolution, at, process }: { resolution: Resolution; at: number; process: string },
  added: Sample,
): Promise<void> {
  const row = await trx
    .selectFrom('sample')
    .select('measurements')
    .where('resolution', '=', resolution)
    .where('at', '=', at)
    .where('process', '=', process)
    .executeTakeFirst()
  const sum = row === undefined ? added : addPeriods(readSample(row.measurements), added)
  // A clock that was set back counts the same minute again.
  const measured_ms = Math.min(RESOLUTION_MS[resolution], sum.measured_ms)
  const measurements = JSON.stringify({ ...sum, measured_ms })
  await trx
    .insertInto('sample')
    .values({ resolution, at, process, measurements })
    .onConflict((it) => it.columns(['resolution', 'at', 'process']).doUpdateSet({ measurements }))
    .execute()
}

/** Returns the samples of all processes since that time, in no particular order. */
export async function listSamples(db: Queryable, resolution: Resolution, from: number): Promise<StoredSample[]> {
  const rows = await db
    .selectFrom('sample')
    .select(['at', 'process', 'measurements'])
    .where('resolution', '=', resolution)
    .where('at', '>=', from)
    .execute()
  return rows.map(({ at, process, measurements }) => ({ at, process, sample: readSample(measurements) }))
}

/** Rows of an earlier release lack what it did not measure. */
const readSample = (json: string): Sample => ({ ...EMPTY_SAMPLE, ...JSON.parse(json) })
