// From an empty data directory to a backup: what the people of a company do with Pharos, in the order in which they do it.
import { openBrowser } from './browser.ts'
import { ask, search, setUpAgent, setUpMcpServer, setUpModel, setUpTool } from './story/answers.ts'
import { BERTHS, model, STEP_MS, type Story } from './story/company.ts'
import { deleteAndRestore, judge, pushWithKey } from './story/documents.ts'
import { backUp, rotateKey } from './story/operations.ts'
import { becomeAdministrator, inviteBea, makeGroup } from './story/people.ts'
import { breakAndMend, connect, prune, watch } from './story/sources.ts'

let dataDir = ''
const inBrowser = await openBrowser(
  async (server) => {
    dataDir = server.dataDir
  },
  { ...model.env(), EGRESS_ALLOW: '127.0.0.1', CONNECTOR_REQUESTS_PER_SECOND: '0' },
)

inBrowser('a company starts, works and recovers with the pages alone', { key: null }, async (visit) => {
  const story: Story = { ...visit, dataDir }
  story.page.setDefaultTimeout(STEP_MS)
  await becomeAdministrator(story)
  await connect(story, 'Handbook', '/docs', 'everyone')
  await watch(story, BERTHS + 2)
  await search(story)
  await ask(story)
  await makeGroup(story, 'Board')
  await connect(story, 'Board', '/board', { group: 'Board' })
  await watch(story, 1)
  await inviteBea(story)
  await pushWithKey(story)
  await breakAndMend(story)
  await prune(story)
  await deleteAndRestore(story)
  await judge(story)
  await setUpModel(story)
  await setUpTool(story)
  await setUpMcpServer(story)
  await setUpAgent(story)
  await rotateKey(story)
  await backUp(story)
})
