// Tools, language models and chats.
import { randomUUID } from 'node:crypto'
import { createAnswerer } from '../../chat/answer/answerer.ts'
import { type LanguageModels, openLanguageModels } from '../../chat/models/language-models.ts'
import { ANSWER_RUN_LIMITS, type Chats, openChats } from '../../chat/session/chats.ts'
import type { ServiceConfig } from '../../config.ts'
import type { Logger } from '../../domain/logger.ts'
import type { Meter } from '../../domain/meter.ts'
import type { Subject } from '../../domain/subject.ts'
import type { Egress } from '../../egress/egress.ts'
import type { Extractor } from '../../extract/extract.ts'
import { filterReadable } from '../../identity/access.ts'
import type { CallTokens } from '../../identity/keys/call-tokens.ts'
import type { ListServerModels } from '../../inference/model-settings.ts'
import { createModelLister, createModelOpener } from '../../inference/open-model.ts'
import type { Recognition } from '../../ingestion/recognise/recognition.ts'
import type { Search } from '../../retrieval/search.ts'
import type { Database } from '../../store/database/database.ts'
import { syncBuiltInTools } from '../../store/tools/built-in-tools.ts'
import { BUILT_IN_TOOLS } from '../../tools/built-in-tools.ts'
import { openToolRegistry, type ToolRegistry } from '../../tools/tool-registry.ts'
import type { Storage } from './storage.ts'

export interface Chat {
  tools: ToolRegistry
  languageModels: LanguageModels
  listServerModels: ListServerModels
  chats: Chats
}

interface ChatDeps {
  db: Database
  logger: Logger
  now: () => number
  meter: Meter
  storage: Storage
  egress: Egress
  extractor: Extractor
  recognition: Pick<Recognition, 'offReason' | 'readNow'>
  callTokens: CallTokens
  search: Search
  onModelChange: () => void
  publicUrl: () => string
}

export async function openChat(config: ServiceConfig, deps: ChatDeps): Promise<Chat> {
  const { db, logger, now, meter, storage, egress, extractor, recognition, callTokens } = deps
  const { search, publicUrl, onModelChange } = deps
  const stored = { db, logger, now, secrets: storage.secretKeys.box }
  await syncBuiltInTools(
    db,
    BUILT_IN_TOOLS.map((it) => it.row),
    now(),
  )
  const tools = openToolRegistry({
    ...stored,
    ...{ egress, extractor, callTokens, publicUrl },
    blobs: storage.blobs,
    recognisePages: recognition.offReason === null ? recognition.readNow : null,
    retrieve: search.retrieve,
    readContextWindows: search.readContextWindows,
  })
  const languageModels = openLanguageModels({
    ...stored,
    ...{ meter, onModelChange },
    environment: config.languageModel,
    open: createModelOpener({ egress }),
  })
  const readable = (subject: Subject, ids: readonly string[]) => filterReadable(db, subject, ids)
  const answerer = createAnswerer({
    ...{ db, logger, now, meter, filterReadable: readable },
    clock: () => performance.now(),
    randomId: randomUUID,
  })
  const chats = await openChats({
    ...stored,
    ...{ filterReadable: readable, randomId: randomUUID, toolsFor: tools.toolsFor, readFile: tools.readUserFile },
    answer: answerer,
    blobs: storage.blobs,
    chooseModel: languageModels.choose,
    limits: ANSWER_RUN_LIMITS,
    isOnlyProcess: db.onChange === undefined,
  })
  return { tools, languageModels, listServerModels: createModelLister({ egress }), chats }
}
