// Connectors and the work on the documents that they bring.
import { randomUUID } from 'node:crypto'
import type { ServiceConfig } from '../../config.ts'
import type { Logger } from '../../domain/logger.ts'
import type { Meter } from '../../domain/meter.ts'
import type { Egress } from '../../egress/egress.ts'
import { createExtractor, type Extractor } from '../../extract/extract.ts'
import { readPictureSize } from '../../extract/picture/picture-size.ts'
import { createTextRecogniser, explainMissingRecogniser } from '../../inference/ocr/recogniser.ts'
import { createTranscriber } from '../../inference/transcription/transcriber.ts'
import type { Indexer } from '../../ingestion/index/indexer.ts'
import { type CaptionMakerDeps, createCaptionMaker } from '../../ingestion/make-texts/caption-maker.ts'
import { createMadeTexts, type MadeTexts } from '../../ingestion/make-texts/made-texts.ts'
import { createTranscriptMaker, NO_TRANSCRIPTION_MODEL } from '../../ingestion/make-texts/transcript-maker.ts'
import { type ConnectorRunner, createConnectorRunner } from '../../ingestion/pull/connector-runner.ts'
import { createPairDeletion } from '../../ingestion/pull/pair-deletion.ts'
import { createInjectionScan } from '../../ingestion/push/injection-scan.ts'
import { createRecognition, type Recognition } from '../../ingestion/recognise/recognition.ts'
import { createSensitiveContent } from '../../ingestion/sensitive/sensitive-content.ts'
import type { Database } from '../../store/database/database.ts'
import { isTranscriptionSetUp } from '../../store/made-texts/transcription-model.ts'
import { mapCredentialsById } from '../../store/sources/credentials.ts'
import type { Storage } from './storage.ts'

const NO_CREDENTIAL = { credential_json: {}, allowed_origins: [] }

export interface Sources {
  extractor: Extractor
  recognition: Recognition
  transcripts: MadeTexts
  captions: MadeTexts
  connectorRunner: ConnectorRunner
  pairDeletion: ReturnType<typeof createPairDeletion>
  injectionScan: ReturnType<typeof createInjectionScan>
  sensitiveContent: ReturnType<typeof createSensitiveContent>
  close(): Promise<void>
}

interface SourcesDeps {
  db: Database
  logger: Logger
  meter: Meter
  now: () => number
  storage: Storage
  egress: Egress
  indexer: Indexer
  onRunEnded: () => void
  /** The model that makes captions of pictures. */
  chooseVisionModel: CaptionMakerDeps['chooseModel']
}

export async function openSources(config: ServiceConfig, deps: SourcesDeps): Promise<Sources> {
  const { db, logger, meter, now, storage, egress, indexer, onRunEnded, chooseVisionModel } = deps
  const { blobs, disk, secretKeys } = storage
  const stored = { db, logger, now, secrets: secretKeys.box }
  const extractor = createExtractor()
  const recogniser = createTextRecogniser()
  const offReason = explainRecognitionOff(config)
  const captions = createMadeTexts({
    ...{ db, blobs, logger, now, indexer },
    maker: createCaptionMaker({
      ...{ db, now, isTextRecognised: offReason === null },
      sizeOf: readPictureSize,
      chooseModel: chooseVisionModel,
    }),
  })
  const recognition = createRecognition({
    ...{ db, blobs, logger, now, indexer, offReason },
    reader: { extractor, recogniser },
    onRead: captions.wake,
  })
  const transcripts = createMadeTexts({
    ...{ db, blobs, logger, now, indexer },
    maker: createTranscriptMaker({ ...stored, transcribe: createTranscriber(egress) }),
  })
  const connectorRunner = createConnectorRunner({
    ...stored,
    ...{ blobs, egress, extractor, indexer, meter, onRunEnded },
    keepScan: recognition.offReason === null ? recognition.keepScan : null,
    recordings: {
      offReason: async () => ((await isTranscriptionSetUp(db)) ? null : NO_TRANSCRIPTION_MODEL),
      keep: transcripts.keep,
    },
    wakeRecognition() {
      recognition.wake()
      transcripts.wake()
      captions.wake()
    },
    checkDisk: disk.check,
    openCredential: async (id) => (await mapCredentialsById(stored, [id])).get(id) ?? NO_CREDENTIAL,
    holder: randomUUID(),
    hostLimits: { parallel: config.connectorParallel, perSecond: config.connectorPerSecond },
    folders: config.connectorFolders,
  })
  await connectorRunner.bindCredentials()
  return {
    extractor,
    recognition,
    transcripts,
    captions,
    connectorRunner,
    pairDeletion: createPairDeletion({ db, logger, now, indexer }),
    injectionScan: createInjectionScan({ db, logger }),
    sensitiveContent: createSensitiveContent({ db, logger, now, indexer }),
    async close() {
      await Promise.all([extractor.close(), recogniser.close()])
    },
  }
}

function explainRecognitionOff({ isOcrOn }: ServiceConfig): string | null {
  if (!isOcrOn) return 'Text recognition is off (OCR=off).'
  const missing = explainMissingRecogniser(process)
  return missing === null ? null : `Text recognition is off: ${missing}.`
}
