import { openPlainIndex } from '../../src/search-index/plain.ts'
import { searchIndexContract } from './search-index.ts'

searchIndexContract('plain', async () => openPlainIndex(), { isPersistent: false })
