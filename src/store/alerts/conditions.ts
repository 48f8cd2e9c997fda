// Counts of what needs an administrator, from the record.
import type { SamlProviderSettings } from '../../domain/sign-in/provider.ts'
import type { Queryable } from '../database/database.ts'

export interface PairCount {
  cc_pair_id: number
  name: string
  count: number
}

/** Documents of each pair that could not be indexed and will not be tried again by themselves. */
export const countUnindexed = (db: Queryable): Promise<PairCount[]> =>
  db
    .selectFrom('receipt')
    .innerJoin('document', (join) =>
      join.onRef('document.id', '=', 'receipt.document_id').onRef('document.seq', '=', 'receipt.seq'),
    )
    .innerJoin('document_cc_pair as link', 'link.document_id', 'document.id')
    .innerJoin('cc_pair', 'cc_pair.id', 'link.cc_pair_id')
    .select((it) => ['cc_pair.id as cc_pair_id', 'cc_pair.name', it.fn.countAll<number>().as('count')])
    .where('receipt.error', 'is not', null)
    .where('receipt.retry_at', 'is', null)
    .where('document.deleted_at', 'is', null)
    .where('cc_pair.status', '<>', 'DELETING')
    .groupBy(['cc_pair.id', 'cc_pair.name'])
    .execute()

/** Documents of each pair that its runs could not read. */
export const countUnread = (db: Queryable): Promise<PairCount[]> =>
  db
    .selectFrom('index_attempt_error as failure')
    .innerJoin('cc_pair', 'cc_pair.id', 'failure.cc_pair_id')
    .select((it) => [
      'cc_pair.id as cc_pair_id',
      'cc_pair.name',
      it.fn.count<number>('failure.document_id').distinct().as('count'),
    ])
    .where('failure.is_resolved', '=', 0)
    .where('failure.document_id', 'is not', null)
    .where('cc_pair.status', '<>', 'DELETING')
    .groupBy(['cc_pair.id', 'cc_pair.name'])
    .execute()

/** Members of groups of each source whose address belongs to no person. */
export const countUnmatchedPeople = (db: Queryable): Promise<PairCount[]> =>
  db
    .selectFrom('source_group_member as member')
    .innerJoin('cc_pair', 'cc_pair.id', 'member.cc_pair_id')
    .leftJoin('person', 'person.email_key', 'member.email')
    .select((it) => [
      'cc_pair.id as cc_pair_id',
      'cc_pair.name',
      it.fn.count<number>('member.email').distinct().as('count'),
    ])
    .where('person.id', 'is', null)
    .where('cc_pair.access_type', '=', 'sync')
    .where('cc_pair.status', '<>', 'DELETING')
    .groupBy(['cc_pair.id', 'cc_pair.name'])
    .execute()

/** Removals that wait for a decision. */
export async function countHeldRemovals(db: Queryable): Promise<{ count: number; since: number | null }> {
  return db
    .selectFrom('scim_removal')
    .select((it) => [it.fn.countAll<number>().as('count'), it.fn.min('asked_at').as('since')])
    .where('state', '=', 'held')
    .executeTakeFirstOrThrow()
}

/** Keys that were used since then and end within these times. */
export const listEndingKeys = (
  db: Queryable,
  { usedSince, from, until }: { usedSince: number; from: number; until: number },
): Promise<{ id: number; name: string | null; expires_at: number | null }[]> =>
  db
    .selectFrom('api_key')
    .select(['id', 'name', 'expires_at'])
    .where('expires_at', '>', from)
    .where('expires_at', '<=', until)
    .where('last_used_at', '>', usedSince)
    .orderBy('id')
    .execute()

/** Servers that were connected with credentials of the service, and wait for other ones now. */
export const listRefusingMcpServers = (db: Queryable): Promise<{ id: number; name: string }[]> =>
  db
    .selectFrom('mcp_server')
    .select(['id', 'name'])
    .where('status', '=', 'AWAITING_AUTH')
    .where('auth_performer', '=', 'ADMIN')
    .where('last_refreshed_at', 'is not', null)
    .orderBy('id')
    .execute()

/** The certificates, in PEM, of each SAML provider that is switched on. */
export async function listSamlCertificates(
  db: Queryable,
): Promise<{ id: number; name: string; certificates: readonly string[] }[]> {
  const rows = await db
    .selectFrom('sign_in_provider')
    .select(['id', 'name', 'settings'])
    .where('type', '=', 'saml')
    .where('is_enabled', '=', 1)
    .orderBy('id')
    .execute()
  return rows.map(({ id, name, settings }) => {
    const { saml }: SamlProviderSettings = JSON.parse(settings)
    return { id, name, certificates: saml.certificates }
  })
}
