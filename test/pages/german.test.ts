import { lookAtPages } from './look.ts'

await lookAtPages({ name: 'german', scheme: 'light', language: 'de' })
