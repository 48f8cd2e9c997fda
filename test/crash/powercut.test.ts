import { test } from 'node:test'
import { needs } from '../needs.ts'
import { cutEverywhere, cutFirstStart } from './powercut-cases.ts'

test('a power cut before any sync of a run of 40 attempts loses nothing acknowledged', needs('gcc'), (t) =>
  cutEverywhere(t, { attempts: 40, isThorough: false }),
)

test('a power cut during the very first start leaves nothing that stops the next start', needs('gcc'), (t) =>
  cutFirstStart(t, 6),
)
