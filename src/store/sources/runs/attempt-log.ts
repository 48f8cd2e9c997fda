// The log of the runs of a pair: the last lines of each of the newest runs.
import type { CompiledQuery, Selectable } from 'kysely'
import type { AttemptLogLineRow } from '../../database/connector-run-tables.ts'
import type { Database, Queryable } from '../../database/database.ts'
import type { PairLease } from '../schedules.ts'

export const LOG_LEVELS = ['info', 'warning', 'error'] as const
export type NewLogLine = Pick<Selectable<AttemptLogLineRow>, 'line' | 'time' | 'text'> & {
  level: (typeof LOG_LEVELS)[number]
}

/** Statements that append lines and keep the last `kept`. They change nothing once the lease is lost. */
export function logStatements(
  db: Database,
  lease: PairLease,
  attemptId: number,
  { lines, kept }: { lines: readonly NewLogLine[]; kept: number },
): CompiledQuery[] {
  const last = lines.at(-1)
  if (last === undefined) return []
  const held = db
    .selectFrom('cc_pair_schedule')
    .where('cc_pair_schedule.cc_pair_id', '=', lease.cc_pair_id)
    .where('fence', '=', lease.fence)
  const insertion = ({ line, time, level, text }: NewLogLine) =>
    db
      .insertInto('attempt_log_line')
      .columns(['cc_pair_id', 'index_attempt_id', 'line', 'time', 'level', 'text'])
      .expression(
        held.select((select) => [
          'cc_pair_id',
          select.val(attemptId).as('index_attempt_id'),
          select.val(line).as('line'),
          select.val(time).as('time'),
          select.val(level).as('level'),
          select.val(text).as('text'),
        ]),
      )
      .onConflict((it) => it.doNothing())
  const removal = db
    .deleteFrom('attempt_log_line')
    .where('cc_pair_id', '=', lease.cc_pair_id)
    .where('index_attempt_id', '=', attemptId)
    .where('line', '<=', last.line - kept)
    .where((it) => it.exists(held.select('fence')))
  return [...lines.map((it) => insertion(it).compile()), removal.compile()]
}

/** Writes lines outside of a batch. */
export async function insertLogLines(
  db: Database,
  lease: PairLease,
  attemptId: number,
  log: { lines: readonly NewLogLine[]; kept: number },
): Promise<void> {
  const statements = logStatements(db, lease, attemptId, log)
  if (statements.length === 0) return
  await db.transaction().execute(async (trx) => {
    for (const statement of statements) await trx.executeQuery(statement)
  })
}

/** The number of the last line; 0 for a run without a log. */
export async function findLastLine(db: Queryable, cc_pair_id: number, attemptId: number): Promise<number> {
  const { last } = await db
    .selectFrom('attempt_log_line')
    .select((it) => it.fn.max('line').as('last'))
    .where('cc_pair_id', '=', cc_pair_id)
    .where('index_attempt_id', '=', attemptId)
    .executeTakeFirstOrThrow()
  return last ?? 0
}

/** Oldest first. Empty for a run whose log is no longer kept. */
export const listLogLines = (
  db: Queryable,
  cc_pair_id: number,
  attemptId: number,
): Promise<Selectable<AttemptLogLineRow>[]> =>
  db
    .selectFrom('attempt_log_line')
    .selectAll()
    .where('cc_pair_id', '=', cc_pair_id)
    .where('index_attempt_id', '=', attemptId)
    .orderBy('line')
    .execute()

/** Keeps the logs of the newest `kept` runs of the pair. */
export async function trimLogs(db: Database, cc_pair_id: number, kept: number): Promise<void> {
  const newest = await db
    .selectFrom('index_attempt')
    .select('id')
    .where('cc_pair_id', '=', cc_pair_id)
    .orderBy('id', 'desc')
    .offset(kept)
    .limit(1)
    .executeTakeFirst()
  if (newest === undefined) return
  await db
    .deleteFrom('attempt_log_line')
    .where('cc_pair_id', '=', cc_pair_id)
    .where('index_attempt_id', '<=', newest.id)
    .execute()
}
