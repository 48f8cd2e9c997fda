import { lookAtPages } from './look.ts'

await lookAtPages({ name: 'dark', scheme: 'dark', language: 'en' })
