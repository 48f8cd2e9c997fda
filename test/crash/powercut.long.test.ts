import { test } from 'node:test'
import { needs } from '../needs.ts'
import { cutEverywhere, cutFirstStart, failSyncs } from './powercut-cases.ts'

const SYNCS = Array.from({ length: 60 }, (_, index) => index + 1)
const options = { timeout: 3_600_000, ...needs('gcc') }

test('a power cut before any sync of a run of 500 attempts loses nothing acknowledged', options, (t) =>
  cutEverywhere(t, { attempts: 500, isThorough: true }),
)

test('whichever sync fails, the program ends and the write is not acknowledged', options, (t) => failSyncs(t, SYNCS))

test('a power cut at any instant of the very first start leaves nothing that stops the next start', options, (t) =>
  cutFirstStart(t),
)
