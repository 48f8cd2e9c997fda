import { test } from 'node:test'
import { needs } from '../needs.ts'
import { cutEverywhere, cutFirstStart } from './powercut-cases.ts'

test('a power cut before any sync of a run of 100 attempts loses nothing acknowledged', needs('gcc'), (t) =>
  cutEverywhere(t, { attempts: 100, isThorough: false }),
)

test('a power cut during the very first start leaves nothing that the next start trips over', needs('gcc'), (t) =>
  cutFirstStart(t, 50),
)
