// The script of the API reference: searches operations, opens linked ones, and shows samples in several languages.
const scheme = localStorage.getItem('pharos-color-scheme')
if (scheme === 'light' || scheme === 'dark') document.documentElement.dataset.scheme = scheme

const search = document.querySelector('#search')
const status = document.querySelector('#found')
search.hidden = false
search.addEventListener('input', find)

/** The operations by their links, each with the text in which words are searched. */
const operations = new Map()
for (const link of document.querySelectorAll('aside details a')) {
  const operation = document.querySelector(link.hash)
  const tag = link.parentElement.querySelector('summary').textContent
  operations.set(link, { operation, text: `${operation.querySelector('summary').textContent} ${tag}`.toLowerCase() })
}

function find() {
  const words = search.value.toLowerCase().split(' ').filter(Boolean)
  let count = 0
  for (const [link, { operation, text }] of operations) {
    const isFound = words.every((it) => text.includes(it))
    link.hidden = !isFound
    operation.hidden = !isFound
    if (isFound) count += 1
  }
  for (const group of document.querySelectorAll('aside details')) {
    const isEmpty = group.querySelector('a:not([hidden])') === null
    group.hidden = isEmpty
    group.open = words.length > 0 && !isEmpty
    document.getElementById(group.dataset.section).hidden = isEmpty
  }
  status.textContent = words.length === 0 ? '' : count === 1 ? '1 operation' : `${count} operations`
}

function open() {
  const target = location.hash === '' ? null : document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (target === null) return
  if (target.tagName === 'DETAILS') target.open = true
  target.scrollIntoView()
}
addEventListener('hashchange', open)
open()

const SAMPLES = {
  curl: ({ method, url, body }) =>
    `curl -X ${method} '${url}' \\\n  -H "Authorization: Bearer $PHAROS_API_KEY"` +
    (body === undefined
      ? ''
      : ` \\\n  -H 'Content-Type: application/json' \\\n  -d '${body.replaceAll("'", "'\\''")}'`),
  TypeScript: ({ method, url, body }) =>
    `const response = await fetch('${url}', {\n  method: '${method}',\n  headers: {\n    authorization: \`Bearer \${process.env.PHAROS_API_KEY}\`,\n` +
    (body === undefined
      ? '  },\n'
      : `    'content-type': 'application/json',\n  },\n  body: JSON.stringify(${indented(body, '  ')}),\n`) +
    '})\nif (!response.ok) throw new Error(await response.text())\nconst answer = await response.json()',
  Python: ({ method, url, body }) =>
    'import json, os, urllib.request\n\n' +
    (body === undefined ? '' : `body = json.loads('''${body.replaceAll('\\', '\\\\')}''')\n`) +
    `request = urllib.request.Request(\n    "${url}",\n    method="${method}",\n    headers={"Authorization": "Bearer " + os.environ["PHAROS_API_KEY"], "Content-Type": "application/json"},\n` +
    (body === undefined ? '' : '    data=json.dumps(body).encode(),\n') +
    ')\nwith urllib.request.urlopen(request) as response:\n    answer = json.load(response)',
}
const indented = (text, space) => text.replaceAll('\n', `\n${space}`)

/** The base URL from which this page was loaded. */
const base = new URL('.', location.href).href.slice(0, -1)
for (const sample of document.querySelectorAll('.sample')) {
  const { method, path, body } = sample.dataset
  const code = sample.querySelector('pre')
  const buttons = Object.keys(SAMPLES).map((language) => {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = language
    button.addEventListener('click', () => show(language))
    return button
  })
  const show = (language) => {
    for (const it of buttons) it.setAttribute('aria-pressed', String(it.textContent === language))
    code.textContent = SAMPLES[language]({ method, url: base + path, body })
  }
  const bar = document.createElement('div')
  bar.className = 'languages'
  bar.append(...buttons)
  code.before(bar)
  show('curl')
}
