import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createThinkTagParser } from './think-tags.ts'

/** The text and the reasoning when the answer arrives in pieces of that length. */
function split(answer: string, length: number): { text: string; reasoning: string } {
  const { push, end } = createThinkTagParser()
  const pieces = answer.match(new RegExp(`.{1,${length}}`, 'gs')) ?? []
  const told = { text: '', reasoning: '' }
  for (const it of [...pieces.flatMap(push), ...end()]) told[it.type] += it.text
  return told
}

const cases: [answer: string, text: string, reasoning: string][] = [
  ['Paris.', 'Paris.', ''],
  ['<think>Hm.</think>Paris.', 'Paris.', 'Hm.'],
  [' \n<think>Hm.\n</think>\n\nParis.\n', 'Paris.\n', 'Hm.\n'],
  ['<think></think>Paris.', 'Paris.', ''],
  ['<think>a < b </ think> </thin</think>Paris.', 'Paris.', 'a < b </ think> </thin'],
  ['<thinking>Paris.', '<thinking>Paris.', ''],
  ['<thi', '<thi', ''],
  ['Paris <think>no</think>', 'Paris <think>no</think>', ''],
  ['<think>Hm.</think>A<think>B</think>', 'A<think>B</think>', 'Hm.'],
  ['<think>for ever', '', 'for ever'],
  ['  indented', '  indented', ''],
  [' \n ', '', ''],
  ['', '', ''],
]
for (const [answer, text, reasoning] of cases)
  test(`${JSON.stringify(answer)} gives the same result in pieces of any length`, () => {
    for (const length of [1, 2, 3, 7, 1_000]) assert.deepEqual(split(answer, length), { text, reasoning })
  })
