import type { Filled } from './filled.ts'

/** For the addresses of a service that is not filled. */
export const NO_IDS: Filled = {
  pair: 1,
  failingPair: 1,
  group: 1,
  documentId: '1',
  agent: 1,
  webhook: 1,
  project: 1,
  tool: 1,
  mcpServer: 1,
  oauthConfig: 1,
  chatId: '1',
  ownChat: '1',
}
