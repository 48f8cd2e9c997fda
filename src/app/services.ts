import type { Services } from '../api/services.ts'
import type { ServiceConfig } from '../config.ts'
import { sourceFacts } from '../connectors/source-facts.ts'
import { readDocumentLanguages } from '../ingestion/embed/document-languages.ts'
import { createReadiness } from '../ingestion/readiness.ts'
import { checkDescriptors } from '../process/file-descriptors.ts'
import { version } from '../process/version.ts'
import type { Parts } from './parts.ts'

/** The view of the parts that routes get. */
export function createServices(config: ServiceConfig, parts: Parts): Services {
  const { db, logger, now, record, outbound, storage, metrics, meter, webhooks, alerts, connections } = parts
  const { indexing, identity, search, sources, chat } = parts
  const { blobs, disk, secretKeys } = storage
  const { indexer, reindex, embedding, estimateReindex } = indexing
  return {
    ...{ db, logger, now, blobs, disk, record, webhooks, alerts, metrics, meter, secretKeys },
    ...{ indexer, reindex, embedding, estimateReindex },
    ...identity,
    backups: parts.backups.kept,
    backupTickets: parts.backups.tickets,
    secrets: secretKeys.box,
    egress: outbound.egress,
    openRegistration: config.openRegistration,
    hostApprovals: config.egressApprovals,
    operatorSettings: config.operatorSettings,
    program: {
      version: version(),
      node_version: process.versions.node,
      database: config.databaseUrl === null ? 'sqlite' : 'postgresql',
    },
    egressRefusals: outbound.refusals,
    documentLanguages: () => readDocumentLanguages({ ...indexing, searchIndex: indexing.generations.serving }),
    indexRebuild: indexing.rebuild,
    readiness: createReadiness({
      ...{ db, logger, now, indexer, disk },
      searchIndex: indexing.generations.serving,
      extraChecks: [record.check, connections.checkCapacity, checkDescriptors],
    }),
    deletions: sources.pairDeletion,
    connectorRunner: sources.connectorRunner,
    recognition: sources.recognition,
    transcripts: sources.transcripts,
    captions: sources.captions,
    sensitiveContent: sources.sensitiveContent,
    sourceFacts,
    retrieve: search.search.retrieve,
    readChunk: async (subject, id) => (await search.search.readContextWindows(subject, [id], 0))[0]?.chunks[0],
    suggest: search.search.suggest,
    tags: search.search.findTags,
    countByPair: search.search.countByPair,
    readableSources: search.search.findSources,
    explainMissing: search.search.explainMissing,
    explainAccess: search.search.explainAccess,
    queryLog: search.queryLog,
    replay: search.replay,
    previewRanking: search.previewRanking,
    report: search.report,
    tools: chat.tools,
    languageModels: chat.languageModels,
    listServerModels: chat.listServerModels,
    chats: chat.chats,
  }
}
