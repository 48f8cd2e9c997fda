// Starts the program on the database and the backup of every release, of which the core tests start the first and the last.
import { listFixtures } from '../fixtures/fixtures.ts'
import { testBackup, testDatabase } from './earlier-programs.ts'

for (const name of listFixtures('.db.gz')) testDatabase(name)
for (const name of listFixtures('.backup.tar.gz')) testBackup(name)
