import { test } from 'node:test'
import { killWhileRotating } from './key-rotation.ts'

test('killed while its keys rotate, it can read every secret', (t) =>
  killWhileRotating(t, {
    steps: ['secret-key-added:1', 'resealing:2', 'secret-key-removed:1'],
    kills: 1,
  }))
