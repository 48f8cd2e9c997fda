// Text recognition in pictures and scanned pages: how far it is, and another try of what failed or was skipped.
import { z } from 'zod'
import { countRecognitions } from '../../../store/recognition/recognition.ts'
import { requestRuns } from '../../../store/sources/request-runs.ts'
import { listSkippedScans } from '../../../store/sources/skipped-documents.ts'
import { type RouteServices, route } from '../../route.ts'

const RecognitionStatus = z
  .object({
    off_reason: z.string().nullable().describe('Why no text is recognised. Null if it is.'),
    waiting: z.int().describe('Number of files in which text is still to be recognised.'),
    read: z.int(),
    failed: z.int().describe('Number of files that could not be read, or not all of their pages.'),
    skipped: z
      .int()
      .describe(
        'Number of scans and pictures of connectors that were skipped because they have no text, at most 10,000. `POST /admin/recognition/reread` reads them again.',
      ),
  })
  .meta({ id: 'RecognitionStatus' })

const recognitionDefaults = { access: 'admin', tag: 'Text recognition' } as const
const MAX_REREAD = 10_000

export const recognitionRoutes = [
  route({
    ...recognitionDefaults,
    name: 'getRecognition',
    method: 'GET',
    path: '/admin/recognition',
    summary: 'Get the state of text recognition',
    description: 'Counts files by content: the same file in several documents is read once.',
    reply: RecognitionStatus,
    services: ['db', 'recognition'],
    handle: ({ services }) => readStatus(services),
  }),
  route({
    ...recognitionDefaults,
    name: 'retryRecognition',
    method: 'POST',
    path: '/admin/recognition/retry',
    summary: 'Retry failed text recognition',
    description: 'Files in which no text could be recognised are read again.',
    audit: { action: 'recognition.retry' },
    reply: RecognitionStatus,
    services: ['db', 'recognition'],
    handle: async ({ services }) => {
      await services.recognition.retryFailed()
      return readStatus(services)
    },
  }),
  route({
    ...recognitionDefaults,
    name: 'rereadSkippedScans',
    method: 'POST',
    path: '/admin/recognition/reread',
    summary: 'Read skipped scans again',
    description:
      'Starts a run of each connector that skipped scans or pictures because they have no text, for these files alone: for example those of an older version without text recognition. Connectors that are already running are skipped.',
    audit: { action: 'recognition.reread' },
    reply: z
      .object({ runs: z.int().describe('Number of started runs.'), documents: z.int() })
      .meta({ id: 'RecognitionReread' }),
    services: ['db', 'connectorRunner', 'now'],
    handle: async ({ services: { db, connectorRunner, now }, subject }) => {
      const started = { runs: 0, documents: 0 }
      for (const [pair, skipped] of Map.groupBy(await listSkippedScans(db, MAX_REREAD), (it) => it.cc_pair_id)) {
        const targets = skipped.map((it) => it.document_id)
        const attempts = await requestRuns(db, subject, [pair], { fromBeginning: false, targets }, now())
        started.runs += attempts.length
        if (attempts.length > 0) started.documents += targets.length
      }
      connectorRunner.wake()
      return started
    },
  }),
]

const readStatus = async ({ db, recognition }: RouteServices<'db' | 'recognition'>) => ({
  off_reason: recognition.offReason,
  ...(await countRecognitions(db)),
  skipped: (await listSkippedScans(db, MAX_REREAD)).length,
})
