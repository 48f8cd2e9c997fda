import { test } from 'node:test'
import { killWhileCrawling } from './connector.ts'

test('killed in the middle of a crawl, it goes on from its checkpoint and reads the same', (t) =>
  killWhileCrawling(t, 3))
