// Captions of pictures: the card of the Ingestion page, and a document with a caption.
import { form, formHeaders } from '../api/multipart-form.ts'
import { createRequester } from '../api/request.ts'
import { createSetup, documentOf } from '../api/setup.ts'
import { png } from '../extract/png-writer.ts'
import { says, startModelServer } from '../model/model-server.ts'
import { alterRecord } from '../record.ts'
import { type Server, settled } from '../server.ts'
import { assertAccessible, assertFits, NARROW, openBrowser } from './browser.ts'

const eyes = await startModelServer([says('A photograph of a lighthouse with a red lantern.')])

const inBrowser = await openBrowser(
  async (server: Server) => {
    const { ok } = createSetup(createRequester(server))
    const models = [{ name: 'eyes', supports_image_input: true, max_input_tokens: 100_000 }]
    const body = { name: 'Eyes', provider: 'vllm', api_base: eyes.url, model_configurations: models }
    const { id: provider_id } = await ok('PUT', '/admin/llm/provider?is_creation=true', { body })
    await ok('POST', '/admin/llm/default-vision', { body: { provider_id, model_name: 'eyes' } })
    const bytes = form({ field: 'file', name: 'coast.png', type: 'image/png', content: noise() })
    const file = await ok('POST', '/user/file/upload', { headers: formHeaders, bytes })
    const document = documentOf('', {
      ...{ id: 'coast', semantic_identifier: 'The coast' },
      sections: [{ text: 'Our tour', image_file_id: file.id }],
    })
    await ok('POST', '/service-api/ingestion', { body: { document } })
    await settled(server)
    // A picture that a model refused, whose document is gone.
    await alterRecord(
      server.dataDir,
      `insert into model_text (blob, kind, name, state, queued_at, finished_at, error)
        values ('${'a'.repeat(64)}', 'caption', 'old.png', 'failed', 1, 1, 'refused')`,
    )
  },
  { EGRESS_ALLOW: '127.0.0.1', OCR: 'off', EMBEDDING: 'off' },
)

/** A picture that no compression makes too small for a caption. */
function noise(): Buffer {
  let state = 1
  const samples = Array.from({ length: 10_000 }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return (state >>> 16) & 255
  })
  return png({ width: 100, height: 100, samples })
}

inBrowser(
  'captions are switched on, found at their document, tried again, switched off and deleted',
  {},
  async ({ page, url }) => {
    await page.goto(`${url}/admin/ingestion`)
    const card = page.getByRole('region', { name: 'Captions of pictures' })
    await card.getByText('1 picture would be sent, and each new one.').waitFor()
    const tried = page.waitForResponse((it) => it.url().endsWith('/admin/captions/retry') && it.ok())
    await card.getByRole('button', { name: 'Try failed pictures again' }).click()
    await tried
    await card.getByRole('button', { name: 'Switch on' }).click()
    await card.getByLabel('Pictures a day').fill('20')
    await assertAccessible(page)
    await card.getByRole('button', { name: 'Switch on' }).click()
    await card.getByRole('button', { name: 'Switch off' }).waitFor()
    await card.getByText('eyes', { exact: true }).waitFor()
    await card.getByText('Captioned').locator('xpath=..').getByText('1', { exact: true }).waitFor()
    await page.goto(`${url}/admin/documents/coast`)
    await page.getByText('1 caption', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Text', exact: true }).click()
    await page.getByText('Description of a picture, made by a model').waitFor()
    await page.getByText('A photograph of a lighthouse with a red lantern.').waitFor()
    await page.goto(`${url}/document?id=coast`)
    await page.getByText('Description of a picture, made by a model').waitFor()
    await page.goto(`${url}/admin/ingestion`)
    await card.getByRole('button', { name: 'Switch off' }).click()
    await card.getByText(/^Captions are off/).waitFor()
    await card.getByRole('button', { name: 'Delete captions' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete captions' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await card.getByText('Captioned').locator('xpath=..').getByText('0', { exact: true }).waitFor()
    await page.goto(`${url}/document?id=coast`)
    await page.getByText('Our tour').waitFor()
  },
)

inBrowser('the card of captions fits a phone', { width: NARROW }, async ({ page, url }) => {
  await page.goto(`${url}/admin/ingestion`)
  const card = page.getByRole('region', { name: 'Captions of pictures' })
  await card.getByRole('button', { name: 'Switch on' }).click()
  await card.getByLabel('Pictures a day').waitFor()
  await assertAccessible(page)
  await assertFits(page)
})
