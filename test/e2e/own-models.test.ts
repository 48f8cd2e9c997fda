// The model settings of a chat, and the tokens that a person used.
import assert from 'node:assert/strict'
import { assertAccessible, assertFits, NARROW, SCHEMES } from './browser.ts'
import { ask, inBrowser, lastAnswer, model, open } from './chat-fixture.ts'

const SETTINGS = 'Model settings of this chat'

inBrowser('a person chooses the model of a chat, and how it answers', {}, async ({ page, url }) => {
  await open(page, url)
  await ask(page, 'Hello')
  await page.getByRole('button', { name: SETTINGS }).click()
  const dialog = page.getByRole('dialog', { name: SETTINGS })
  await dialog.getByLabel('Model', { exact: true }).selectOption({ label: 'Second (More)' })
  await dialog.getByLabel('Temperature').fill('0.3')
  await dialog.getByLabel('Thinking before the answer').selectOption({ label: 'Much' })
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await ask(page, 'And now?')
  await lastAnswer(page).getByText('You said: And now?').waitFor()
  const asked = model.requests.map(({ body }) => body).findLast((it) => it.model === 'Second')
  assert.partialDeepStrictEqual(asked, { temperature: 0.3, reasoning_effort: 'high' })

  await page.getByRole('button', { name: SETTINGS }).click()
  assert.equal(await dialog.getByLabel('Temperature').inputValue(), '0.3')
  await dialog.getByLabel('Model', { exact: true }).selectOption({ label: 'As the agent chooses' })
  await dialog.getByLabel('Temperature').fill('')
  await dialog.getByLabel('Thinking before the answer').selectOption({ label: 'As usual for the model' })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await ask(page, 'And then?')
  const last = model.requests.at(-1)?.body
  assert.ok(last !== undefined && !('temperature' in last) && !('reasoning_effort' in last), JSON.stringify(last))
})

inBrowser('the account shows the own tokens and the models to choose from', {}, async ({ page, url }) => {
  await page.goto(`${url}/account`)
  const usage = page.getByRole('region', { name: 'Token usage' })
  await usage.getByText(/^You used \d+ tokens of language models today\./).waitFor()
  await usage.getByText('You may choose among these models: scripted, Second, Third.').waitFor()
  await usage.getByRole('row').filter({ hasText: 'Second' }).waitFor()
  await usage.getByRole('img', { name: /^Tokens per day/ }).waitFor()
})

for (const scheme of SCHEMES) {
  for (const width of [1_280, NARROW]) {
    inBrowser(
      `the settings and the tokens are accessible, ${scheme}, ${width} wide`,
      { scheme, width },
      async (visit) => {
        const { page, url } = visit
        await page.goto(`${url}/account`)
        await page.getByRole('img', { name: /^Tokens per day/ }).waitFor()
        await assertAccessible(page)
        await assertFits(page, 'the account')
        if (process.env.SHOTS !== undefined)
          await page.screenshot({ path: `${process.env.SHOTS}/account-${scheme}-${width}.png`, fullPage: true })
        await open(page, url)
        await ask(page, 'Hello')
        await page.getByRole('button', { name: SETTINGS }).click()
        await page.getByRole('dialog', { name: SETTINGS }).getByLabel('Temperature').waitFor()
        await assertAccessible(page)
        if (process.env.SHOTS !== undefined)
          await page.screenshot({ path: `${process.env.SHOTS}/chat-model-${scheme}-${width}.png` })
      },
    )
  }
}
