// The full description of a cc-pair.
import { z } from 'zod'
import { groupIdsToWire } from '../../domain/connector.ts'
import { AppError } from '../../domain/errors.ts'
import type { Subject } from '../../domain/subject.ts'
import type { Indexer } from '../../ingestion/index/indexer.ts'
import type { Database } from '../../store/database/database.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import { type CcPairListing, getCcPairListing } from '../../store/sources/cc-pairs.ts'
import { getConnectorListing } from '../../store/sources/connectors.ts'
import { mapCredentialsOfPairs } from '../../store/sources/credentials.ts'
import { listAttempts } from '../../store/sources/index-attempts.ts'
import { findSchedule } from '../../store/sources/schedules.ts'
import { isoOrNull } from '../wire/iso.ts'
import { ConnectorSnapshot, connectorSnapshot } from './connector-snapshot.ts'
import { CredentialSnapshot, credentialSnapshot } from './credential-snapshot.ts'
import { indexAttemptFields, PullState, permissionSyncFields, pullState } from './pull-state.ts'

const time = z.iso.datetime().nullable()

export const CcPairFullInfo = z
  .object({
    id: z.int(),
    name: z.string(),
    status: z.string(),
    in_repeated_error_state: z.boolean(),
    num_docs_indexed: z.int(),
    connector: ConnectorSnapshot,
    credential: CredentialSnapshot,
    number_of_index_attempts: z.int(),
    last_index_attempt_status: z.string().nullable(),
    latest_deletion_attempt: z.object({ connector_id: z.int(), credential_id: z.int(), status: z.string() }).nullable(),
    access_type: z.string(),
    groups: z.array(z.union([z.int(), z.string()])).describe('The groups that read a private pair.'),
    is_editable_for_current_user: z.boolean(),
    permissions: z.object({ edit: z.boolean(), delete: z.boolean(), publish: z.boolean() }),
    deletion_failure_message: z.string().nullable(),
    indexing: z.boolean().describe('True while the source is read or documents wait to be indexed.'),
    creator: z.string().nullable(),
    creator_email: z.string().nullable(),
    last_indexed: time,
    last_pruned: time,
    last_full_permission_sync: time,
    overall_indexing_speed: z.number().nullable().describe('Documents per minute since the connector was created.'),
    latest_checkpoint_description: z.string().nullable(),
    last_permission_sync_attempt_status: z.string().nullable(),
    permission_syncing: z.boolean(),
    last_permission_sync_attempt_finished: time,
    last_permission_sync_attempt_error_message: z.string().nullable(),
    supports_targeted_reindex: z.boolean(),
    pull: PullState,
  })
  .meta({ id: 'CCPairFullInfo' })

interface CcPairInfoDeps {
  db: Database
  secrets: SecretBox
  indexer: Pick<Indexer, 'progress'>
  now: () => number
}

/** CC_PAIR_NOT_FOUND: there is no such pair, or the subject does not manage it. */
export async function ccPairFullInfo(
  { db, secrets, indexer, now }: CcPairInfoDeps,
  subject: Subject,
  id: number,
): Promise<z.infer<typeof CcPairFullInfo>> {
  const pair = await getCcPairListing(db, subject, indexer.progress().indexed_seq, id)
  const connector = await getConnectorListing(db, subject, pair.connector_id)
  const credential = (await mapCredentialsOfPairs({ db, secrets }, subject, [pair.credential_id])).get(
    pair.credential_id,
  )
  // The pair and its credential may have been deleted since the pair was read.
  if (credential === undefined) throw new AppError('CC_PAIR_NOT_FOUND', { id })
  const isEditable = id !== 1 && pair.status !== 'DELETING'
  const schedule = await findSchedule(db, id)
  const { total } = await listAttempts(db, id, { limit: 1, offset: 0 })
  const minutes = (now() - connector.time_created) / 60_000
  return {
    deletion_failure_message: null,
    creator_email: null,
    ...permissionSyncFields(schedule),
    ...indexAttemptFields(schedule, total),
    pull: pullState(schedule, pair, now()),
    id,
    name: pair.name,
    status: pair.status,
    num_docs_indexed: pair.indexed,
    connector: connectorSnapshot(connector),
    credential: credentialSnapshot(credential),
    latest_deletion_attempt: latestDeletionAttempt(pair),
    access_type: pair.access_type,
    groups: groupIdsToWire(JSON.parse(pair.groups)),
    is_editable_for_current_user: isEditable,
    permissions: { edit: isEditable, delete: isEditable, publish: isEditable },
    indexing: pair.documents > pair.indexed + pair.failed || schedule?.open?.status === 'in_progress',
    creator: pair.creator,
    last_indexed: isoOrNull(pair.last_indexed_at),
    overall_indexing_speed: minutes > 0 && pair.indexed > 0 ? pair.indexed / minutes : null,
  }
}

const latestDeletionAttempt = ({ status, connector_id, credential_id }: CcPairListing) =>
  status === 'DELETING' ? { connector_id, credential_id, status: 'STARTED' } : null
