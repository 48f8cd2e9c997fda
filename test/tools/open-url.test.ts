// Opening web pages, as in a chat.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isUrlInQuestion } from '../../src/tools/builtin/open-url.ts'
import { ANN, openToolFixture, runOf } from './tool-fixture.ts'

const { internet, callables, idOf } = await openToolFixture()
const [openUrl] = await callables(ANN, [await idOf('OpenURLTool')])
const asked: string[] = []
await internet.site('pages.example', (request, response) => {
  asked.push(request.url ?? '')
  if (request.url === '/gone') return void response.writeHead(404).end('gone')
  if (request.url === '/away') return void response.writeHead(302, { location: 'http://169.254.169.254/' }).end()
  response.setHeader('content-type', 'text/html')
  response.end(
    '<html><head><title>The sky</title></head><body><main><h1 id="top">Sky</h1><p>It is blue because of scattering.</p></main></body></html>',
  )
})
const URL = 'http://pages.example/sky'

test('a page that the person named is opened and can be cited', async () => {
  const run = runOf(ANN, { question: `What does ${URL}, say?` }, false)
  const { text, passages, isError } = await openUrl!.call({ urls: [URL] }, run)
  assert.deepEqual([text, isError, run.asked], [`${URL}: Opened.`, false, []])
  const [passage] = passages
  assert.match(passage!.text, /It is blue because of scattering\./)
  assert.deepEqual(
    [passage!.document.document_id, passage!.document.semantic_identifier, passage!.document.is_internet],
    [URL, 'The sky', true],
  )
  assert.match(passage!.link ?? '', /^http:\/\/pages\.example\/sky(?:#|$)/)
  assert.deepEqual(
    run.packets.map((it) => it.type),
    ['open_url_start', 'open_url_urls', 'open_url_documents'],
  )
})

test('an address that the person did not name is opened only with consent [X8]', async () => {
  const wish = `${URL}?d=everything-the-model-knows`
  const before = asked.length
  const run = runOf(ANN, { question: `What does ${URL} say?` }, false)
  const { isError, text } = await openUrl!.call({ urls: [wish] }, run)
  assert.equal(isError, true)
  assert.match(text, /did not allow/)
  assert.equal(asked.length, before)
  assert.deepEqual(
    run.asked.map(({ method, url, tool_args }) => [method, url, tool_args]),
    [['GET', wish, { url: wish }]],
  )
  assert.equal((await openUrl!.call({ urls: [wish] }, runOf(ANN))).isError, false)
})

for (const [url, said] of [
  ['http://pages.example/gone', /responded with status 404/],
  ['http://pages.example/away', /169\.254\.169\.254 resolves to a metadata service/],
  ['http://127.0.0.1/', /not on the public internet/],
  ['http://pages.example:9200/', /Port 9200/],
  ['file:///etc/passwd', /Only http and https/],
  ['not an address', /is not a valid URL/],
  ['http://nobody.example/', /has no address/],
] as const) {
  test(`${url} fails with a reason, and other addresses are read`, async () => {
    const { text, passages, isError } = await openUrl!.call({ urls: [url, URL] }, runOf(ANN))
    assert.match(text.split('\n')[0]!, said)
    assert.deepEqual([passages.length > 0, isError], [true, false])
    assert.equal(internet.canary.connections, 0)
  })
}

test('no address, too many addresses and a number are errors', async () => {
  for (const args of [{}, { urls: [] }, { urls: Array(6).fill(URL) }, { urls: [7] }]) {
    const { isError, text } = await openUrl!.call(args, runOf(ANN))
    assert.equal(isError, true)
    assert.match(text, /"urls/)
  }
})

const NAMED: [url: string, question: string, is: boolean][] = [
  ['https://a.example/x', 'see https://a.example/x.', true],
  ['https://a.example/x', 'see (https://a.example/x)', true],
  ['https://a.example/x', 'see HTTPS://A.EXAMPLE/x', true],
  ['https://a.example/', 'see https://a.example', true],
  ['https://a.example/x#part', 'see https://a.example/x', true],
  ['https://a.example/x?d=1', 'see https://a.example/x', false],
  ['https://a.example/x/y', 'see https://a.example/x', false],
  ['https://a.example.evil/x', 'see https://a.example/x', false],
  ['https://a.example/x', 'see a.example/x', false],
  ['nonsense', 'nonsense', false],
]
for (const [url, question, is] of NAMED) {
  test(`"${question}" ${is ? 'names' : 'does not name'} ${url}`, () => assert.equal(isUrlInQuestion(url, question), is))
}

test('an address with a million exclamation marks in a question is read in one pass', () => {
  assert.equal(isUrlInQuestion('https://a.test/', `https://a.test/${'!'.repeat(1e6)}a`), false)
})
