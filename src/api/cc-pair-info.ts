// A cc-pair with all that is known of it.
import { z } from 'zod'
import { AppError } from '../domain/errors.ts'
import { getListedCcPair, type ListedCcPair } from '../store/cc-pairs.ts'
import { getListedConnector } from '../store/connectors.ts'
import { credentialsOfPairs } from '../store/credentials.ts'
import { listAttempts } from '../store/index-attempts.ts'
import { findSchedule } from '../store/pulling.ts'
import { ConnectorSnapshot, connectorSnapshot } from './connector-snapshot.ts'
import { CredentialSnapshot, credentialSnapshot } from './credential-snapshot.ts'
import { isoOrNull } from './iso.ts'
import { accessFields, attemptFields, PullState, pullState } from './pull-state.ts'
import type { Services } from './services.ts'

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
    is_editable_for_current_user: z.boolean(),
    permissions: z.object({ edit: z.boolean(), delete: z.boolean(), publish: z.boolean() }),
    deletion_failure_message: z.string().nullable(),
    indexing: z.boolean().describe('Whether its source is being read, or documents wait to be indexed.'),
    creator: z.string().nullable(),
    creator_email: z.string().nullable(),
    last_indexed: time,
    last_pruned: time,
    last_full_permission_sync: time,
    overall_indexing_speed: z.number().nullable().describe('Documents a minute since the connector was made.'),
    latest_checkpoint_description: z.string().nullable(),
    last_permission_sync_attempt_status: z.string().nullable(),
    permission_syncing: z.boolean(),
    last_permission_sync_attempt_finished: time,
    last_permission_sync_attempt_error_message: z.string().nullable(),
    supports_targeted_reindex: z.boolean(),
    pull: PullState,
  })
  .meta({ id: 'CCPairFullInfo' })

/** Whoever manages pairs sees the credential of each, masked. One that is not there is CC_PAIR_NOT_FOUND. */
export async function ccPairFullInfo(
  { db, secrets, indexer, now }: Services,
  id: number,
): Promise<z.infer<typeof CcPairFullInfo>> {
  const pair = await getListedCcPair(db, indexer.progress().indexed_seq, id)
  const connector = await getListedConnector(db, pair.connector_id)
  const credential = (await credentialsOfPairs({ db, secrets }, [pair.credential_id])).get(pair.credential_id)
  // It may have gone with its pair since that was read.
  if (credential === undefined) throw new AppError('CC_PAIR_NOT_FOUND', { id })
  const isEditable = id !== 1 && pair.status !== 'DELETING'
  const schedule = await findSchedule(db, id)
  const { total } = await listAttempts(db, id, { limit: 1, offset: 0 })
  const minutes = (now() - connector.time_created) / 60_000
  return {
    deletion_failure_message: null,
    creator_email: null,
    ...accessFields(schedule),
    ...attemptFields(schedule, total),
    pull: pullState(schedule, pair, now()),
    id,
    name: pair.name,
    status: pair.status,
    num_docs_indexed: pair.indexed,
    connector: connectorSnapshot(connector),
    credential: credentialSnapshot(credential),
    latest_deletion_attempt: deletionOf(pair),
    access_type: pair.access_type,
    is_editable_for_current_user: isEditable,
    permissions: { edit: isEditable, delete: isEditable, publish: isEditable },
    indexing: pair.documents > pair.indexed + pair.failed || schedule?.open?.status === 'in_progress',
    creator: pair.creator,
    last_indexed: isoOrNull(pair.last_indexed_at),
    overall_indexing_speed: minutes > 0 && pair.indexed > 0 ? pair.indexed / minutes : null,
  }
}

const deletionOf = ({ status, connector_id, credential_id }: ListedCcPair) =>
  status === 'DELETING' ? { connector_id, credential_id, status: 'STARTED' } : null
