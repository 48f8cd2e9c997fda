// Captions of pictures: whether they are made, how far they are, another try, and their deletion.
import { z } from 'zod'
import {
  type CaptionSettings,
  countUncaptioned,
  readCaptionSettings,
  writeCaptionSettings,
} from '../../../store/made-texts/caption-settings.ts'
import { readModelUsage } from '../../../store/made-texts/model-text-usage.ts'
import { countModelFiles } from '../../../store/made-texts/model-texts.ts'
import { removeCaptions } from '../../../store/made-texts/remove-captions.ts'
import { nullish, wireBoolean, wireInteger } from '../../../wire/schemas.ts'
import { type RouteServices, route } from '../../route.ts'

const MAX_PICTURES = 100_000

const CaptionStatus = z
  .object({
    is_on: z.boolean().describe('Whether pictures are sent to the default vision model.'),
    pictures_per_day: z.int().describe('The most pictures that are sent in a day (UTC).'),
    model: z
      .string()
      .nullable()
      .describe('The name of the default vision model. Null if there is none that can be used.'),
    wait_reason: z.string().nullable().describe('Why pictures wait. Null if nothing keeps them.'),
    waiting: z
      .int()
      .describe('Pictures of which a caption is still to be made; while captions are off, those that would wait.'),
    read: z.int().describe('Pictures with a caption.'),
    failed: z.int(),
    skipped: z.int().describe('Pictures that get no caption: icons, and pictures that are full of text.'),
    pictures_today: z.int().describe('Pictures that were sent today (UTC).'),
  })
  .meta({ id: 'CaptionStatus' })

const CaptionSettingsUpdate = z
  .object({
    is_on: wireBoolean().describe('False: no picture is sent any more. Captions stay.'),
    pictures_per_day: nullish(wireInteger({ min: 1, max: MAX_PICTURES })).describe('Default: as stored, else 100.'),
  })
  .meta({ id: 'CaptionSettingsUpdate' })

const STATUS_SERVICES = ['db', 'captions', 'languageModels', 'now'] as const
const captionDefaults = { access: 'admin', tag: 'Captions', reply: CaptionStatus, path: '/admin/captions' } as const

export const captionRoutes = [
  route({
    ...captionDefaults,
    name: 'getCaptions',
    method: 'GET',
    summary: 'Get the state of captions',
    description: 'Counts pictures by content: a picture in several documents gets one caption.',
    services: STATUS_SERVICES,
    handle: ({ services }) => readStatus(services),
  }),
  route({
    ...captionDefaults,
    name: 'putCaptionSettings',
    method: 'PUT',
    summary: 'Switch captions on or off',
    description:
      'While captions are on, the default vision model gets each picture of a document once. Pictures of connectors wait from the next run on that reads them.',
    audit: { action: 'captions.put' },
    body: CaptionSettingsUpdate,
    errors: ['VALIDATION_ERROR'],
    services: STATUS_SERVICES,
    handle: async ({ body, services }) => {
      const { db, captions, now } = services
      const stored = await readCaptionSettings(db)
      const { is_on, pictures_per_day } = body
      const settings: CaptionSettings = { is_on, pictures_per_day: pictures_per_day ?? stored.pictures_per_day }
      await writeCaptionSettings(db, settings, now())
      captions.onSetupChange()
      return readStatus(services)
    },
  }),
  route({
    ...captionDefaults,
    name: 'deleteCaptions',
    method: 'DELETE',
    summary: 'Delete captions',
    description:
      'Switches captions off and deletes all of them: documents lose theirs in the background. When captions are switched on again, they are made again.',
    audit: { action: 'captions.delete' },
    errors: ['STORE_FULL'],
    services: [...STATUS_SERVICES, 'blobs'],
    handle: async ({ services }) => {
      await removeCaptions(services, services.now())
      services.captions.onSetupChange()
      return readStatus(services)
    },
  }),
  route({
    ...captionDefaults,
    name: 'retryCaptions',
    method: 'POST',
    path: '/admin/captions/retry',
    summary: 'Retry failed captions',
    description: 'Pictures that failed are sent again.',
    audit: { action: 'captions.retry' },
    services: STATUS_SERVICES,
    handle: async ({ services }) => {
      await services.captions.retryFailed()
      return readStatus(services)
    },
  }),
]

async function readStatus({ db, captions, languageModels, now }: RouteServices<(typeof STATUS_SERVICES)[number]>) {
  const settings = await readCaptionSettings(db)
  const { waiting, read, failed, skipped } = await countModelFiles(db, 'caption')
  return {
    ...settings,
    model: (await languageModels.chooseForService()).model?.name ?? null,
    wait_reason: await captions.waitReason(),
    waiting: waiting + (settings.is_on ? 0 : await countUncaptioned(db)),
    ...{ read, failed, skipped },
    pictures_today: await readModelUsage(db, 'caption', now()),
  }
}
