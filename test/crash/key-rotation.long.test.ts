import { test } from 'node:test'
import { killWhileRotating } from './key-rotation.ts'

const RESEALING = [1, 2, 3, 4, 5].map((it) => `resealing:${it}`)
const steps = [
  'secret-key-added:1',
  ...RESEALING,
  'secret-key-removed:1',
  'resealing:2',
  'resealing:3',
  'secret-key-removed:1',
]

test('killed twenty times while its keys rotate, it can read every secret', (t) =>
  killWhileRotating(t, { steps, kills: 10 }))
