// The git connector against a real git server, through the whole program.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWithConnectors } from '../connectors/setup.ts'
import { openSite } from '../connectors/site.ts'
import { killWhileReading } from '../crash/connector.ts'
import { killedGit } from './killed-sources.ts'
import { onGit, TOKEN } from './start-git.ts'

await onGit(async (server) => {
  const { ok, pull, ended, documents, runAgain, prune, found, search, refused, until } = await startWithConnectors()
  const source = (repository_url: string, more: object = {}) => ({
    source: 'git',
    connector_specific_config: { repository_url, ...more },
    refresh_freq: null,
    prune_freq: null,
  })
  const paths = async (pair: number) => (await documents(pair)).map((it) => it.split('#')[1]).sort()
  const finds = (word: string, ids: string[]) =>
    until(async () => JSON.stringify(await found(word)) === JSON.stringify(ids), `"${word}" to find ${ids}`)

  for (const isFiltering of [true, false])
    test(`a repository is read, updated and pruned from a server ${isFiltering ? 'with' : 'without'} filters`, async () => {
      const repository = server.create(`open-${isFiltering}`, { isFiltering })
      const { url } = repository
      const word = isFiltering ? 'narwhal' : 'axolotl'
      // Similar enough to be packed as deltas.
      const long = Array.from({ length: 400 }, (_, at) => `line ${at} of a long text`).join('\n')
      repository.commit({
        'README.md': `# Title\n\nAbout a ${word}.`,
        'src/main.ts': 'export const answer = 42 // quine',
        'docs/a.txt': `${long}\nfirst`,
        'docs/b.txt': `${long}\nsecond`,
        'docs/größe.txt': 'Ein Umlaut.',
        Makefile: 'all:\n\techo',
        'picture.png': Buffer.from([0x89, 0x50, 0, 1]),
        'blob.unknown': Buffer.from([1, 0, 2, 0]),
        'large.txt': 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n',
      })
      repository.git('repack', '-adfq')
      const pair = await pull(`Code ${word}`, source(url))
      const attempt = await ended(pair)
      assert.deepEqual([attempt.status, attempt.error_count], ['success', 0], JSON.stringify(attempt))
      const all = ['Makefile', 'README.md', 'docs/a.txt', 'docs/b.txt', 'docs/größe.txt', 'src/main.ts']
      assert.deepEqual(await paths(pair), all)
      await finds(word, [`${url}#README.md`])
      const [hit] = (await search(word)).results
      assert.deepEqual(hit.metadata, { repository: url, branch: 'main', path: 'README.md' })

      const before = { ...repository.asked }
      repository.commit({ 'docs/a.txt': `${long}\nchanged ${word}s`, 'src/main.ts': null, 'new.txt': 'New.' })
      const again = await runAgain(pair)
      assert.deepEqual([again.status, again.new_docs_indexed, again.total_docs_indexed], ['success', 1, 6])
      const bytes = repository.asked.bytes - before.bytes
      if (isFiltering) assert.ok(bytes < 4_000, `${bytes} bytes were sent for two files`)
      await finds(`${word}s`, [`${url}#README.md`, `${url}#docs/a.txt`])
      const { removed, error } = await prune(pair)
      assert.deepEqual([removed, error], [1, null])
      assert.deepEqual(await paths(pair), [...all.slice(0, 5), 'new.txt'])
    })

  test('the configuration selects paths, a branch or a tag, and a template makes links', async () => {
    const repository = server.create('chosen', { isFiltering: true })
    repository.commit({ 'a.txt': 'On the main branch.', 'sub/b.txt': 'Below.', 'sub/c.md': 'Besides.' })
    repository.git('tag', '-a', 'v1', '-m', 'Version 1')
    repository.git('push', '-q', 'origin', 'v1')
    repository.git('checkout', '-q', '-b', 'other')
    repository.commit({ 'other.txt': 'An ocelot of the other branch.' })
    const read = async (name: string, more: object) => {
      const pair = await pull(name, source(repository.url, more))
      assert.equal((await ended(pair)).status, 'success')
      return await paths(pair)
    }
    const link_template = 'https://code.example/{branch}/{path}?at={commit}'
    assert.deepEqual(await read('Main', {}), ['a.txt', 'sub/b.txt', 'sub/c.md'])
    assert.deepEqual(await read('Part', { include_patterns: ['sub/'], exclude_patterns: ['*.md'] }), ['sub/b.txt'])
    assert.deepEqual((await read('Tag', { branch: 'v1' })).length, 3)
    assert.deepEqual((await read('Other', { branch: 'other', link_template })).length, 4)
    await finds('ocelot', [`${repository.url}?ref=other#other.txt`])
    const { link } = (await search('ocelot')).results[0]
    assert.equal(link, `https://code.example/other/other.txt?at=${repository.git('rev-parse', 'HEAD').trim()}`)
  })

  test('many files are read in parts, and links and submodules are skipped', async () => {
    const repository = server.create('many', { isFiltering: true })
    repository.commit(
      Object.fromEntries(Array.from({ length: 250 }, (_, at) => [`d${at % 7}/f${at}.txt`, `File ${at}.`])),
    )
    repository.git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},submodule`)
    repository.git('commit', '-q', '-m', 'A repository within')
    repository.git('push', '-q', 'origin', 'HEAD')
    const pair = await pull('Many', source(repository.url))
    const { status, total_docs_indexed } = await ended(pair)
    assert.deepEqual([status, total_docs_indexed], ['success', 250])
  })

  test('an unusable configuration is rejected at association, with the field and the server response', async () => {
    const refusal = async (name: string, connector: object, credential = 0) => {
      const body = { name, input_type: 'poll', access_type: 'PUBLIC', ...connector }
      const { id } = await ok('POST', '/manage/admin/connector', { body })
      return (await refused('PUT', `/manage/admin/connector/${id}/credential/${credential}`, {}, 400)).detail
    }
    const credentialOf = async (git_access_token: string): Promise<number> => {
      const body = { credential_json: { git_access_token }, admin_public: true, source: 'git' }
      return (await ok('POST', '/manage/credential', { body })).id
    }
    const empty = server.create('empty', { isFiltering: true })
    const closed = server.create('closed/code', { isFiltering: true })
    closed.commit({ 'secret.txt': 'A secret of the okapis.' })
    const site = await openSite(() => ({ body: 'A page.' }))
    assert.match(await refusal('Empty', source(empty.url)), /config\.branch: The repository is empty/)
    assert.match(
      await refusal('No branch', source(closed.url, { branch: 'x' }), await credentialOf(TOKEN)),
      /config\.branch: .*"x"/,
    )
    assert.match(
      await refusal('None', source(empty.url.replace('empty', 'nothing'))),
      /repository_url: Repository not found/,
    )
    assert.match(await refusal('A page', source(`${site.url}/x`)), /repository_url: Not a Git repository/)
    assert.match(await refusal('By ssh', source('git@127.0.0.1:x')), /repository_url: Enter the https URL/)
    assert.match(await refusal('Closed', source(closed.url)), /git_access_token: The repository requires a credential/)
    assert.match(
      await refusal('Wrong', source(closed.url), await credentialOf('no')),
      /git_access_token: The token does not have access/,
    )
    const pair = await pull('Opened', source(closed.url), { credential: await credentialOf(TOKEN) })
    assert.equal((await ended(pair)).status, 'success')
    assert.deepEqual(await paths(pair), ['secret.txt'])
  })

  test('a killed run resumes and reads the same documents', { timeout: 600_000 }, async (t) =>
    killWhileReading(t, 2, await killedGit(server, 300)),
  )
})
