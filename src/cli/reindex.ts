import { command, JSON_OPTION } from './command.ts'
import { follow } from './follow.ts'

export const reindex = command({
  name: 'reindex',
  summary: 'Throws the index away and fills it from the record.',
  usage: '[options]',
  words: { min: 0, max: 0 },
  options: { json: JSON_OPTION },
  help: `The index holds nothing that is not in the record. A damaged one is filled again by itself; this is for when you
want it now, or want to see that it can be done. The service must be stopped; it fills an index while it runs, too, but
finds only what is in there so far. Interrupted, the next start goes on from there.

  pharos reindex`,
  async run({ terminal, offline, clock }, { values }) {
    const begin = clock()
    const { documents } = await follow(terminal, 'reindex', offline.reindex)
    const seconds = Math.round((clock() - begin) / 100) / 10
    if (values.json === true) terminal.json({ documents, seconds })
    else terminal.say(`The index holds ${documents.toLocaleString('en')} documents, filled in ${seconds} s.`)
    return 0
  },
})
