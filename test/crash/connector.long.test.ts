import { test } from 'node:test'
import { killWhileCrawling } from './connector.ts'

test('killed twenty times in one crawl, it reads the same', (t) => killWhileCrawling(t, 20))
