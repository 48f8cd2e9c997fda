import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isQuestion } from './is-question.ts'

const QUESTIONS = [
  'How do I kill a query',
  'what is a tuple',
  '  Can I rename a table',
  'wie heißt das?',
  'limits of a row? ',
]

for (const text of QUESTIONS) test(`"${text}" is a question`, () => assert.equal(isQuestion(text), true))

const OTHERS = ['remember the results of expensive calls', 'howto logging', '', '1,000 genomes project', 'whatsoever']

for (const text of OTHERS) test(`"${text}" is no question`, () => assert.equal(isQuestion(text), false))
