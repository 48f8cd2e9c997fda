import assert from 'node:assert/strict'
import { test } from 'node:test'
import './english.ts'
import { readUserAgent } from '../../web/src/parts/user-agent.ts'

const APPLE = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const READ: [string | null, string][] = [
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox 140 on Windows'],
  [`Mozilla/5.0 (X11; Linux x86_64) ${APPLE} Chrome/139.0.0.0 Safari/537.36`, 'Chrome 139 on Linux'],
  [`Mozilla/5.0 (Windows NT 10.0) ${APPLE} Chrome/139.0.0.0 Safari/537.36 Edg/139.0.0.0`, 'Edge 139 on Windows'],
  [`Mozilla/5.0 (Windows NT 10.0) ${APPLE} Chrome/138.0.0.0 Safari/537.36 OPR/122.0.0.0`, 'Opera 122 on Windows'],
  [`Mozilla/5.0 (Linux; Android 10; K) ${APPLE} Chrome/139.0.0.0 Mobile Safari/537.36`, 'Chrome 139 on Android'],
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${APPLE} Chrome/139.0.0.0 Safari/537.36`, 'Chrome 139 on ChromeOS'],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
    'Safari 18 on macOS',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/139.0.1 Mobile/15E148 Safari/604.1',
    'Chrome 139 on iPhone',
  ],
  ['curl/8.14.1', 'curl 8'],
  ['Firefox/', 'Firefox'],
  ['our-tool 3', 'our-tool 3'],
  ['x'.repeat(100), `${'x'.repeat(80)}…`],
  ['', 'Not known'],
  [null, 'Not known'],
]

test('a User-Agent header is read as people call the program and the system', () => {
  for (const [text, expected] of READ) assert.equal(readUserAgent(text), expected)
})
