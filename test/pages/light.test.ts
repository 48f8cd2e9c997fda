import { lookAtPages } from './look.ts'

await lookAtPages({ name: 'light', scheme: 'light', language: 'en' })
